import { type DescEnumValue, type DescField, ScalarType } from "@bufbuild/protobuf";
import { notPromise } from "./guard.ts";

/**
 * What a contract says about its fields and enum values in options of its own. The functions read these options. They are
 * called when types and routes are compiled, not for each request.
 */
export interface Annotations {
  /** Whether JSON over HTTP leaves the field out. Requests that contain it are rejected. */
  readonly isRpcOnly: (field: DescField) => boolean;
  /** Whether only responses may contain the enum value, so that error messages do not suggest it. */
  readonly isOutputOnly: (value: DescEnumValue) => boolean;
  /** Whether the field identifies an event: its value is the `id` of a server-sent event, and `Last-Event-ID` sets it in requests. */
  readonly isEventId: (field: DescField) => boolean;
  /** The bounds of a field; undefined when the contract sets none. For a list or a map, of its elements or values. */
  readonly boundsOf: (field: DescField) => Bounds | undefined;
}

/** What a field accepts. */
export interface Bounds {
  /** Least and greatest integer. */
  readonly min?: bigint | undefined;
  readonly max?: bigint | undefined;
  /** Most elements of a list, or entries of a map. */
  readonly maxItems?: number | undefined;
}

export const noAnnotations: Annotations = {
  isRpcOnly: () => false,
  isOutputOnly: () => false,
  isEventId: () => false,
  boundsOf: () => undefined,
};

/** Most elements of a repeated field for which the contract sets no bound, and most entries of a map. */
export const unlimited = 1_000;

/** Returns the most elements that a request may have in a repeated field or map. */
export function maxItemsOf(field: DescField, { boundsOf }: Pick<Annotations, "boundsOf">): number {
  return notPromise(boundsOf(field), "annotations.boundsOf")?.maxItems ?? unlimited;
}

/** Describes what is wrong with a longer list. Reads on after the name of the field. */
export function tooManyItems(maxItems: number): string {
  return `must have at most ${maxItems} elements`;
}

/** The values of an integer type of protobuf. */
export interface IntegerRange {
  readonly min: bigint;
  readonly max: bigint;
  /** Whether the type has 64 bits. protobuf-es represents its values as bigint. */
  readonly wide: boolean;
}

const int32: IntegerRange = { min: -(2n ** 31n), max: 2n ** 31n - 1n, wide: false };
const uint32: IntegerRange = { min: 0n, max: 2n ** 32n - 1n, wide: false };
const int64: IntegerRange = { min: -(2n ** 63n), max: 2n ** 63n - 1n, wide: true };
const uint64: IntegerRange = { min: 0n, max: 2n ** 64n - 1n, wide: true };

interface AnyRange {
  readonly min?: bigint | number | undefined;
  readonly max?: bigint | number | undefined;
}

/** The integer types of protobuf. */
export const integerRanges: ReadonlyMap<ScalarType, IntegerRange> = new Map([
  [ScalarType.INT32, int32],
  [ScalarType.SINT32, int32],
  [ScalarType.SFIXED32, int32],
  [ScalarType.UINT32, uint32],
  [ScalarType.FIXED32, uint32],
  [ScalarType.INT64, int64],
  [ScalarType.SINT64, int64],
  [ScalarType.SFIXED64, int64],
  [ScalarType.UINT64, uint64],
  [ScalarType.FIXED64, uint64],
]);

/**
 * Returns bounds, which are in the range, in words.
 *
 * @param unit what is counted, such as `characters`
 * @returns such as `between 1 and 9` or `at most 9 characters`
 */
export function rangeText({ min, max }: AnyRange, unit?: string): string {
  const range =
    max === undefined
      ? `at least ${min}`
      : min === undefined
        ? `at most ${max}`
        : `between ${min} and ${max}`;
  return unit ? `${range} ${unit}` : range;
}

/**
 * Returns the integers that a field accepts: the values of its type within its bounds. In a list or map, of its elements or values.
 *
 * @returns undefined when the field does not hold integers
 */
export function acceptedIntegers(
  field: DescField,
  { boundsOf }: Pick<Annotations, "boundsOf">,
): IntegerRange | undefined {
  const range = field.scalar === undefined ? undefined : integerRanges.get(field.scalar);
  if (!range) return undefined;
  const { min = range.min, max = range.max } =
    notPromise(boundsOf(field), "annotations.boundsOf") ?? {};
  return { ...range, min, max };
}
