import { type DescField, getOption, hasOption } from "@bufbuild/protobuf";
import { bounds } from "../../../gen/rules/v1/rules_pb.ts";

/** Returns the bounds of a field in words, such as `1 to 1000`; empty without bounds. */
export function boundsText(field: DescField): string {
  if (!hasOption(field, bounds)) return "";
  const { min, max, minLength, maxLength, pattern, minItems, maxItems, uniqueBy, notZero } =
    getOption(field, bounds);
  return [
    range(min, max, ""),
    range(minLength, maxLength, " characters"),
    pattern && `pattern ${pattern}`,
    range(minItems, maxItems, " elements"),
    uniqueBy && `unique by ${uniqueBy}`,
    notZero && "not 0",
  ]
    .filter(Boolean)
    .join("; ");
}

function range(
  least: bigint | number | undefined,
  most: bigint | number | undefined,
  unit: string,
): string {
  if (!least && !most) return least === undefined ? "" : `at least ${least}${unit}`;
  if (!least) return `at most ${most}${unit}`;
  return most ? `${least} to ${most}${unit}` : `at least ${least}${unit}`;
}
