import type { DescMessage } from "@bufbuild/protobuf";
import { textForms } from "../../http/content/text-forms.ts";
import { wrappedField } from "./message-field.ts";

/**
 * Returns whether the JSON of a message is something else than an object of its fields. A google.protobuf.Any
 * holds such JSON in its member `value`.
 */
export function hasOwnJson(desc: DescMessage): boolean {
  const { typeName } = desc;
  return textForms.has(typeName) || ownJson.has(typeName) || wrappedField(desc) !== undefined;
}

const ownJson: ReadonlySet<string> = new Set([
  "google.protobuf.Any",
  "google.protobuf.ListValue",
  "google.protobuf.Struct",
  "google.protobuf.Value",
]);
