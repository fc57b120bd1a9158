import { type DescMethod, hasOption } from "@bufbuild/protobuf";
import type { Policy } from "connect-gateway";
import { optionOf } from "connect-gateway/call";
import { httpError } from "connect-gateway/rest";
import { deprecation } from "../../gen/rules/v1/rules_pb.ts";

/** Announces in every response of a deprecated operation that it is deprecated. After the sunset, responds 410. */
export function sunsetPolicy(sunset: number): (method: DescMethod) => Policy | undefined {
  const notices = new Map<DescMethod, Policy | undefined>();
  return (method) => {
    const notice = notices.getOrInsertComputed(method, () => deprecationNotice(method, sunset));
    return notice && Date.now() < sunset ? { headers: notice.headers } : notice;
  };
}

/**
 * Returns the headers and the refusal of a deprecated method, from its option `rules.v1.deprecation`. The headers are those
 * of RFC 9745, RFC 8594 and RFC 8288.
 *
 * @param sunset when the operation ends, in milliseconds since the epoch
 * @returns undefined if the method has no such option
 */
export function deprecationNotice(method: DescMethod, sunset: number): Policy | undefined {
  if (!hasOption(method, deprecation)) return undefined;
  const { since, successor } = optionOf(method, deprecation);
  const end = new Date(sunset);
  const text = `This operation ended on ${end.toISOString().slice(0, 10)}. Use ${successor}.`;
  return {
    headers: {
      deprecation: `@${Date.parse(`${since}T00:00:00Z`) / 1000}`,
      sunset: end.toUTCString(),
      link: `<${successor}>; rel="successor-version"`,
    },
    refusal: httpError("OPERATION_ENDED", text),
  };
}
