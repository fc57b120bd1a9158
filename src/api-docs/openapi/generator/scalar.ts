import {
  type DescEnum,
  type DescField,
  type DescMessage,
  hasOption,
  ScalarType,
} from "@bufbuild/protobuf";
import { type Bounds, bounds } from "../../../../gen/rules/v1/rules_pb.ts";
import { integerRanges } from "../../../call/integer-range.ts";
import { optionOf } from "../../../call/option.ts";
import { shortNames, wholeNames } from "../../../rest/binding/enum-names.ts";
import { wrappedField } from "../../../rest/binding/message-field.ts";
import type { JsonStyle } from "../../../rest/json/style.ts";
import type { JsonObject } from "./json.ts";

/** Returns the `rules.v1.bounds` of a field; undefined when it has none. */
export function boundsOf(field: DescField): Bounds | undefined {
  return hasOption(field, bounds) ? optionOf(field, bounds) : undefined;
}

/**
 * Returns the schema of a scalar in JSON of a style.
 *
 * @param limits bounds in addition to those of the type
 */
export function scalarSchema(
  scalar: ScalarType,
  { numbersInStrings }: JsonStyle,
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

/** Returns a number, or a bigint if a double cannot hold the value exactly. */
function plain(value: bigint): number | bigint {
  const double = Number(value);
  return Number.isSafeInteger(double) ? double : value;
}

/** Returns the names of an enum's values in JSON of a style, with their numbers. */
export function enumNames(desc: DescEnum, { shortEnumNames }: JsonStyle): [string, number][] {
  const { toName } = shortEnumNames ? shortNames(desc) : wholeNames(desc);
  return [...toName].map(([number, name]) => [name, number]);
}

/** The schemas of messages whose JSON is not an object of their fields, by type name. */
const wellKnown: Readonly<Record<string, JsonObject>> = {
  "google.protobuf.Timestamp": { type: "string", format: "date-time" },
  "google.protobuf.Duration": { type: "string", pattern: "^-?[0-9]{1,12}(?:\\.[0-9]{1,9})?s$" },
  "google.protobuf.FieldMask": { type: "string" },
  "google.protobuf.Struct": { type: "object" },
  "google.protobuf.ListValue": { type: "array" },
  "google.protobuf.Value": {},
};

/**
 * Returns the schema of a message whose JSON is not an object of its fields.
 *
 * @returns undefined for other messages
 * @see https://protobuf.dev/programming-guides/json/
 */
export function wellKnownSchema(desc: DescMessage, style: JsonStyle): JsonObject | undefined {
  const scalar = wrappedField(desc)?.scalar;
  return scalar ? scalarSchema(scalar, style, undefined) : wellKnown[desc.typeName];
}
