import type { DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { messageBehind } from "./field-path.ts";
import { isHttpBody } from "./http-body.ts";
import { startJson } from "./json-cursor.ts";
import { readJsonValue } from "./json-value.ts";
import { type AnyMessage, createMessage, getField, setField } from "./message-field.ts";
import type { PathVariable } from "./path-variable.ts";

/** The field of a request that says which fields of its body to update, and where they come from. */
export interface UpdateMask {
  readonly field: DescField;
  /** google.protobuf.FieldMask. */
  readonly maskDesc: DescMessage;
  readonly bodyDesc: DescMessage;
  /** Fields that the path has: they are how the resource is found, and no update. */
  readonly identity: ReadonlySet<string>;
}

/**
 * Finds the update mask of a PATCH (AIP-134): a singular google.protobuf.FieldMask `update_mask` beside
 * a body that is a message.
 *
 * @returns undefined when there is none
 */
export function findUpdateMask(
  input: DescMessage,
  body: DescField | "*" | undefined,
  variables: readonly PathVariable[],
): UpdateMask | undefined {
  const bodyDesc = typeof body === "object" ? messageBehind(body) : undefined;
  const field = input.fields.find(({ name }) => name === "update_mask");
  if (typeof body !== "object" || !bodyDesc || isHttpBody(bodyDesc)) return undefined;
  if (field?.fieldKind !== "message" || field.message.typeName !== "google.protobuf.FieldMask") {
    return undefined;
  }
  const prefix = `${body.name}.`;
  const inBody = variables.filter(({ fieldPath }) => fieldPath.startsWith(prefix));
  const identity = new Set(inBody.map(({ fieldPath }) => fieldPath.slice(prefix.length)));
  return { field, maskDesc: field.message, bodyDesc, identity };
}

/**
 * Says of an update which fields it has, where the client has not: those that are in the body, down to
 * those that hold no fields of their own (AIP-134; the meaning that RFC 7396 gives to a patch).
 *
 * @param body a JSON text that was read without an error as the body's message
 */
export function deriveUpdateMask(
  message: AnyMessage,
  { field, maskDesc, bodyDesc, identity }: UpdateMask,
  body: Uint8Array,
): void {
  const given = getField(message, field) as { paths: readonly string[] } | undefined;
  if (given && given.paths.length > 0) return;
  const paths = pathsOf(readJsonValue(startJson(body)), bodyDesc);
  const updates = paths.filter((path) => !identity.has(path));
  setField(message, field, Object.assign(createMessage(maskDesc), { paths: updates }));
}

function pathsOf(value: JsonValue, desc: DescMessage): string[] {
  // Where it is no object it is null: a message that the patch takes away.
  return value === null
    ? []
    : desc.fields.flatMap((field) => memberPaths(value as JsonObject, field));
}

function memberPaths(object: JsonObject, field: DescField): string[] {
  const name = [field.jsonName, field.name].find((candidate) => Object.hasOwn(object, candidate));
  if (name === undefined) return [];
  const behind = messageBehind(field);
  const paths = behind ? pathsOf(object[name] ?? null, behind) : [];
  return paths.length > 0 ? paths.map((path) => `${field.name}.${path}`) : [field.name];
}
