import { type DescMethod, hasOption } from "@bufbuild/protobuf";
import { deprecation } from "../../gen/rules/v1/rules_pb.ts";
import { optionOf } from "../call/option.ts";

/** Response headers of a deprecated operation over HTTP. */
export interface DeprecationNotice {
  /** `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link` to the successor (RFC 8288). */
  readonly headers: Readonly<Record<"deprecation" | "sunset" | "link", string>>;
  /** Path of the operation to use instead. */
  readonly successor: string;
}

/**
 * Returns the notice of a method, from its option `rules.v1.deprecation`.
 *
 * @param sunset when the operation ends, in milliseconds since the epoch
 * @returns undefined if the method has no such option
 */
export function deprecationNotice(
  method: DescMethod,
  sunset: number,
): DeprecationNotice | undefined {
  if (!hasOption(method, deprecation)) {
    return undefined;
  }
  const { since, successor } = optionOf(method, deprecation);
  return {
    successor,
    headers: {
      deprecation: `@${Date.parse(`${since}T00:00:00Z`) / 1000}`,
      sunset: new Date(sunset).toUTCString(),
      link: `<${successor}>; rel="successor-version"`,
    },
  };
}
