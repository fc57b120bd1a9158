import { type DescField, hasOption } from "@bufbuild/protobuf";
import { bounds } from "../../../gen/rules/v1/rules_pb.ts";
import { rangeText } from "../../call/integer-range.ts";
import { optionOf } from "../../call/option.ts";

/** Returns the bounds of a field in words, such as `between 1 and 1000`; empty without bounds. */
export function boundsText(field: DescField): string {
  if (!hasOption(field, bounds)) return "";
  const { min, max, minLength, maxLength, pattern, minItems, maxItems, uniqueBy, notZero } =
    optionOf(field, bounds);
  return [
    range(min, max),
    range(minLength, maxLength, "characters"),
    pattern && `pattern ${pattern}`,
    range(minItems, maxItems, "elements"),
    uniqueBy && `unique by ${uniqueBy}`,
    notZero && "not 0",
  ]
    .filter(Boolean)
    .join("; ");
}

function range(
  least: bigint | number | undefined,
  max: bigint | number | undefined,
  unit?: string,
) {
  const isNone = least === undefined && max === undefined;
  // Nothing has a length below 0.
  const min = max && !least ? undefined : least;
  return isNone ? "" : rangeText({ min, max: max || undefined }, unit);
}
