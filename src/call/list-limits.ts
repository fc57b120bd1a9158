import { type DescField, hasOption } from "@bufbuild/protobuf";
import { bounds } from "../../gen/rules/v1/rules_pb.ts";
import { optionOf } from "./option.ts";

/** Most elements of a repeated field for which the contract sets no bound, and most entries of a map. */
const unlimited = 1_000;

/** Returns the most elements that a request may have in a repeated field or map. */
export function maxItemsOf(field: DescField): number {
  const maxItems = hasOption(field, bounds) ? optionOf(field, bounds).maxItems : undefined;
  return maxItems ?? unlimited;
}

/**
 * Longest text of a google.protobuf.FieldMask in JSON or in a query, in bytes. It is bounded next to the number of
 * paths, because each capital letter of a path costs almost as much as a path.
 */
export const longestMask = 8 * 1024;

/** Describes what is wrong with a longer mask. Reads on after the name of the field. */
export const maskTooLong = `must have at most ${longestMask} characters`;

/** Describes what is wrong with a longer list. Reads on after the name of the field. */
export function tooManyItems(maxItems: number): string {
  return `must have at most ${maxItems} elements`;
}
