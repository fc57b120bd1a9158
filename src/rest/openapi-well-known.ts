import type { DescMessage } from "@bufbuild/protobuf";
import type { JsonDialect } from "./json-dialect.ts";
import { wrappedField } from "./message-field.ts";
import type { JsonObject } from "./openapi-json.ts";
import { scalarSchema } from "./openapi-scalar.ts";

/** Schemas of the messages whose JSON is not an object of their fields. */
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
 * The schema of a message whose JSON is not an object of its fields.
 *
 * @returns undefined for other messages
 * @see https://protobuf.dev/programming-guides/json/
 */
export function wellKnownSchema(desc: DescMessage, dialect: JsonDialect): JsonObject | undefined {
  const scalar = wrappedField(desc)?.scalar;
  return scalar ? scalarSchema(scalar, dialect, undefined) : wellKnown[desc.typeName];
}
