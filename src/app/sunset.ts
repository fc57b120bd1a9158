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
 * Returns the headers (RFC 9745, RFC 8594, RFC 8288) and the refusal of a method with the option `rules.v1.deprecation`;
 * undefined for any other.
 *
 * @param sunset when the operation ends, in milliseconds since the epoch
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
