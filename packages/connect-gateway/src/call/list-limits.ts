import type { DescField } from "@bufbuild/protobuf";
import type { Annotations } from "./annotations.ts";
import { notPromise } from "./guard.ts";

/** Most elements of a repeated field for which the contract sets no bound, and most entries of a map. */
const unlimited = 1_000;

export const maxPaths = unlimited;

/** Returns the most elements that a request may have in a repeated field or map. */
export function maxItemsOf(field: DescField, { boundsOf }: Pick<Annotations, "boundsOf">): number {
  return notPromise(boundsOf(field), "annotations.boundsOf")?.maxItems ?? unlimited;
}

/** Longest text of a google.protobuf.FieldMask, in bytes: each capital letter costs almost as much as a path. */
export const longestMask = 8 * 1024;

/** Describes what is wrong with a longer mask. Reads on after the name of the field. */
export const maskTooLong = `must have at most ${longestMask} characters`;

/** Describes what is wrong with a longer list. Reads on after the name of the field. */
export function tooManyItems(maxItems: number): string {
  return `must have at most ${maxItems} elements`;
}
