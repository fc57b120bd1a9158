import { type DescMethod, hasOption } from "@bufbuild/protobuf";
import { optionOf } from "connect-gateway/call";
import { deprecation } from "../../gen/rules/v1/rules_pb.ts";

/**
 * Returns the notice of a deprecated method, from its option `rules.v1.deprecation`.
 *
 * @param sunset when the operation ends, in milliseconds since the epoch
 * @returns undefined if the method has no such option
 */
export function deprecationNotice(method: DescMethod, sunset: number) {
  if (!hasOption(method, deprecation)) return undefined;
  const { since, successor } = optionOf(method, deprecation);
  return {
    /** Path of the operation to use instead. */
    successor,
    /** Headers of responses over HTTP. See RFC 9745, RFC 8594 and RFC 8288. */
    headers: {
      deprecation: `@${Date.parse(`${since}T00:00:00Z`) / 1000}`,
      sunset: new Date(sunset).toUTCString(),
      link: `<${successor}>; rel="successor-version"`,
    },
  };
}
