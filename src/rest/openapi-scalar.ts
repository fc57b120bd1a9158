import {
  type DescEnum,
  type DescField,
  getOption,
  hasOption,
  ScalarType,
} from "@bufbuild/protobuf";
import { type Bounds, bounds } from "../../gen/rules/v1/rules_pb.ts";
import { integerRanges } from "../call/integer-range.ts";
import { shortNames, wholeNames } from "./enum-names.ts";
import type { JsonDialect } from "./json-dialect.ts";
import type { JsonObject } from "./openapi-json.ts";

/** The bounds that the contract states of a field. */
export function boundsOf(field: DescField): Bounds | undefined {
  return hasOption(field, bounds) ? getOption(field, bounds) : undefined;
}

/**
 * The schema of a scalar, as the JSON of a dialect has it.
 *
 * @param limits of the value; those of its type hold besides
 */
export function scalarSchema(
  scalar: ScalarType,
  { numbersInStrings }: JsonDialect,
  limits: Bounds | undefined,
): JsonObject {
  const range = integerRanges.get(scalar);
  if (range) {
    const format = `${range.min === 0n ? "u" : ""}int${range.wide ? 64 : 32}`;
    if (range.wide && numbersInStrings) return { type: "string", format };
    const minimum = plain(limits?.min ?? range.min);
    const maximum = plain(limits?.max ?? range.max);
    const not = limits?.notZero ? { const: 0 } : undefined;
    return { type: "integer", format, minimum, maximum, not };
  }
  switch (scalar) {
    case ScalarType.BOOL:
      return { type: "boolean" };
    case ScalarType.BYTES:
      return { type: "string", contentEncoding: "base64" };
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT: {
      const format = scalar === ScalarType.FLOAT ? "float" : "double";
      const words = { type: "string", enum: ["NaN", "Infinity", "-Infinity"] };
      return { oneOf: [{ type: "number", format }, words] };
    }
    default:
      return {
        type: "string",
        minLength: limits?.minLength,
        maxLength: limits?.maxLength,
        pattern: limits?.pattern && `^(?:${limits.pattern})$`,
      };
  }
}

/** A bigint where a double would lose digits, in the value or in its shortest text (-2^63). */
function plain(value: bigint): number | bigint {
  const double = Number(value);
  return Number.isSafeInteger(double) ? double : value;
}

/** The names of an enum's values, as the JSON of a dialect has them. */
export function enumNames(desc: DescEnum, { shortEnumNames }: JsonDialect): [string, number][] {
  const { toName } = shortEnumNames ? shortNames(desc) : wholeNames(desc);
  return [...toName].map(([number, name]) => [name, number]);
}
