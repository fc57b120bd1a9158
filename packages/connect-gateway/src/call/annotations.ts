import type { DescEnumValue, DescField } from "@bufbuild/protobuf";
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
