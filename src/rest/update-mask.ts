import type { DescField, DescMessage, JsonValue } from "@bufbuild/protobuf";
import { messageBehind } from "./field-path.ts";
import { startJson } from "./json-cursor.ts";
import { readJsonValue } from "./json-value.ts";
import { type AnyMessage, createMessage, fieldsByName } from "./message-field.ts";
import type { PathVariable } from "./path-variable.ts";

/**
 * The field of a request that says which fields of the body to update (AIP-134): `update_mask`, a
 * singular google.protobuf.FieldMask.
 */
export function updateMaskField(input: DescMessage): DescField | undefined {
  return input.fields.find(
    ({ name, fieldKind, message }) =>
      name === "update_mask" &&
      fieldKind === "message" &&
      message.typeName === "google.protobuf.FieldMask",
  );
}

/**
 * Says of an update which fields it has, where the client has not: those that are in the body, down to
 * those that hold no fields of their own (AIP-134; the meaning that RFC 7396 gives to a patch). What
 * the path has as well is how the resource is found, and no update.
 *
 * @param body a JSON text that was read without an error as the field's value
 */
export function deriveUpdateMask(
  message: AnyMessage,
  mask: DescField,
  bodyField: DescField,
  body: Uint8Array,
  variables: readonly PathVariable[],
): void {
  const current = message[mask.localName] as { paths: readonly string[] } | undefined;
  if (!mask.message || !bodyField.message || (current && current.paths.length > 0)) return;
  const identity = variables.map(({ fieldPath }) => fieldPath);
  message[mask.localName] = Object.assign(createMessage(mask.message), {
    paths: pathsOf(readJsonValue(startJson(body)), bodyField.message).filter(
      (path) => !identity.includes(`${bodyField.name}.${path}`),
    ),
  });
}

function pathsOf(value: JsonValue, desc: DescMessage): string[] {
  if (value === null || typeof value !== "object") return [];
  const fields = fieldsByName(desc);
  return Object.entries(value).flatMap(([name, inner]) => {
    const field = fields.get(name);
    if (!field) return [];
    const behind = messageBehind(field);
    const paths = behind ? pathsOf(inner, behind) : [];
    return paths.length > 0 ? paths.map((path) => `${field.name}.${path}`) : [field.name];
  });
}
