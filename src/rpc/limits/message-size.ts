import type { DescField, DescMessage } from "@bufbuild/protobuf";

/**
 * Unknown or repeated fields that a message may have, so that a newer client can call an older server. A message has as
 * many more as {@link spareOfElement} says for each element of its lists.
 */
export const spareFields = 100;
const spareOfElement = 4;

/** Most elements that all lists of a message may have together. */
export const maxElements = 5_000;

/** Returns the number of fields that an element of a list may have. */
export function fieldsOfElement(list: DescField): number {
  return spareOfElement + (list.message ? fieldsOf(list.message) : 0);
}

/** Returns the number of fields that a message can have once, those of nested messages included. */
export function fieldsOf(desc: DescMessage, seen: ReadonlySet<DescMessage> = new Set()): number {
  if (seen.has(desc)) return 0;
  const path = new Set([...seen, desc]);
  return desc.fields.reduce((sum, field) => {
    return sum + 1 + (field.fieldKind === "message" ? fieldsOf(field.message, path) : 0);
  }, 0);
}
