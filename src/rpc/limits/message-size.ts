import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { longestMask, maxItemsOf } from "../../call/list-limits.ts";

/**
 * Unknown or repeated fields that a message may have, so that a newer client can call an older server. A message has as
 * many more as {@link spareOfElement} says for each element of its lists.
 */
export const spareFields = 100;
const spareOfElement = 4;

/** Most elements that all lists of a message may have together. */
export const maxElements = 5_000;

/** JSON up to this length, in bytes, cannot exceed {@link spareFields}, because each value takes two bytes. */
export const shortMessage = 2 * spareFields;

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

/** Different sequences of names that objects may begin with, next to those of maps. V8 needs 1 µs for each. */
const spareShapes = 300;

/** Returns limits that no JSON of a valid message exceeds. */
export function jsonLimitsOf(desc: DescMessage) {
  let items = spareFields;
  let values = 0;
  let shapes = spareShapes;
  let paths = Number.POSITIVE_INFINITY;
  const seen = new Set<DescMessage>();
  const visit = (each: DescMessage): void => {
    if (seen.has(each)) return;
    seen.add(each);
    for (const field of each.fields) {
      if (field.fieldKind === "list" || field.fieldKind === "map") {
        const most = maxItemsOf(field);
        items = Math.max(items, most);
        values += most * (1 + fieldsOfElement(field));
        if (field.fieldKind === "map") shapes += most;
        if (each.typeName === "google.protobuf.FieldMask") paths = most;
      }
      if (field.message) visit(field.message);
    }
  };
  visit(desc);
  return {
    /** Most elements of any of its arrays. */
    items,
    /** Most values, those within others included. */
    values: spareFields + fieldsOf(desc) + values,
    /** Most different beginnings of an object: the sequences of names up to each of its members. */
    shapes,
    /** Most paths of a google.protobuf.FieldMask; Infinity if the message cannot have one. */
    paths,
    /** The longest string, in bytes: {@link longestMask}, or Infinity if the message cannot have a mask. */
    string: paths === Number.POSITIVE_INFINITY ? paths : longestMask,
  };
}
