import type { DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { readJsonValue, startJson } from "../json/cursor.ts";
import type { PathVariable } from "../path/path-variable.ts";
import { messageBehind } from "./field-path.ts";
import { type AnyMessage, createMessage, getField, isHttpBody, setField } from "./message-field.ts";

/** The update mask of a request: the field that lists the fields to update, and the types it depends on. */
export interface UpdateMask {
  readonly field: DescField & { readonly fieldKind: "message" };
  readonly bodyDesc: DescMessage;
  /** Fields in the path. They identify the resource, so they are not updated. */
  readonly identity: ReadonlySet<string>;
}

/** Finds the singular google.protobuf.FieldMask `update_mask` of a PATCH whose body is a message (AIP-134), if there is one. */
export function findUpdateMask(
  input: DescMessage,
  body: DescField | "*" | undefined,
  variables: readonly PathVariable[],
): UpdateMask | undefined {
  if (typeof body !== "object") return undefined;
  const bodyDesc = messageBehind(body);
  if (!bodyDesc || isHttpBody(bodyDesc)) return undefined;
  const field = input.fields.find(({ name }) => name === "update_mask");
  const isMask = field?.message?.typeName === "google.protobuf.FieldMask";
  if (field?.fieldKind !== "message" || !isMask) return undefined;
  const prefix = `${body.name}.`;
  const inBody = variables.filter(({ fieldPath }) => fieldPath.startsWith(prefix));
  const identity = new Set(inBody.map(({ fieldPath }) => fieldPath.slice(prefix.length)));
  return { field, bodyDesc, identity };
}

/** Fills an empty update mask with the innermost fields that the body contains (AIP-134, RFC 7396). @param body a valid JSON text */
export function deriveUpdateMask(
  message: AnyMessage,
  { field, bodyDesc, identity }: UpdateMask,
  body: Uint8Array,
): void {
  const given = getField(message, field) as { paths: readonly string[] } | undefined;
  if (given && given.paths.length > 0) return;
  const paths = pathsOf(readJsonValue(startJson(body)), bodyDesc);
  const updates = paths.filter((path) => !identity.has(path));
  setField(message, field, Object.assign(createMessage(field.message), { paths: updates }));
}

/** @param value an object, or null, which removes the message */
function pathsOf(value: JsonValue, desc: DescMessage): string[] {
  const object = (value ?? {}) as JsonObject;
  return desc.fields.flatMap((field) => {
    const name = [field.jsonName, field.name].find((each) => Object.hasOwn(object, each));
    if (name === undefined) return [];
    const behind = messageBehind(field);
    const paths = behind ? pathsOf(object[name] ?? null, behind) : [];
    return paths.length > 0 ? paths.map((path) => `${field.name}.${path}`) : [field.name];
  });
}
