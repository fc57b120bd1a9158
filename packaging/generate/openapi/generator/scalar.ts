import { type DescEnum, type DescField, hasOption, ScalarType } from "@bufbuild/protobuf";
import { optionOf } from "connect-gateway/call";
import { integerRanges, shortNames } from "connect-gateway/rest";
import { type Bounds, bounds } from "../../../../gen/rules/v1/rules_pb.ts";
import type { JsonObject } from "./json.ts";

/** Returns the `rules.v1.bounds` of a field; undefined when it has none. */
export function boundsOf(field: DescField): Bounds | undefined {
  return hasOption(field, bounds) ? optionOf(field, bounds) : undefined;
}

/**
 * Returns the schema of a scalar.
 *
 * @param limits bounds in addition to those of the type
 * @throws Error for bytes and floating-point numbers, which the API does not have
 */
export function scalarSchema(scalar: ScalarType, limits: Bounds | undefined): JsonObject {
  const range = integerRanges.get(scalar);
  if (range) {
    const format = `${range.min === 0n ? "u" : ""}int${range.wide ? 64 : 32}`;
    const minimum = plain(limits?.min ?? range.min);
    const maximum = plain(limits?.max ?? range.max);
    const not = limits?.notZero ? { const: 0 } : undefined;
    return { type: "integer", format, minimum, maximum, not };
  }
  if (scalar === ScalarType.BOOL) return { type: "boolean" };
  if (scalar !== ScalarType.STRING) {
    throw new Error(`there is no schema for the type ${ScalarType[scalar]}`);
  }
  return {
    type: "string",
    minLength: limits?.minLength,
    maxLength: limits?.maxLength,
    pattern: limits?.pattern && `^(?:${limits.pattern})$`,
  };
}

/** Returns a number, or a bigint if a double cannot hold the value exactly. */
function plain(value: bigint): number | bigint {
  const double = Number(value);
  return Number.isSafeInteger(double) ? double : value;
}

/** Returns the names of an enum's values in JSON, with their numbers. */
export function enumNames(desc: DescEnum): [string, number][] {
  return [...shortNames(desc).toName].map(([number, name]) => [name, number]);
}
