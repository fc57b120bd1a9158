import type { DescMessage } from "@bufbuild/protobuf";
import { wrappedField } from "../../../rest/binding/message-field.ts";
import type { JsonStyle } from "../../../rest/json/style.ts";
import type { JsonObject } from "./json.ts";
import { scalarSchema } from "./scalar.ts";

/** The schemas of messages whose JSON is not an object of their fields, by type name. */
const wellKnown: Readonly<Record<string, JsonObject>> = {
  "google.protobuf.Timestamp": { type: "string", format: "date-time" },
  "google.protobuf.Duration": { type: "string", pattern: "^-?[0-9]{1,12}(?:\\.[0-9]{1,9})?s$" },
  "google.protobuf.FieldMask": { type: "string" },
  "google.protobuf.Any": {
    type: "object",
    properties: { "@type": { type: "string" } },
    required: ["@type"],
  },
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
