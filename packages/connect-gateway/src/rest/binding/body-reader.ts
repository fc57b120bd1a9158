import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { EmptySchema } from "@bufbuild/protobuf/wkt";
import { getOrInsert } from "../../call/get-or-insert.ts";
import { InvalidInput } from "../../http/invalid-input.ts";
import { endJson, startJson } from "../json/cursor.ts";
import {
  type BoundFields,
  fieldReader,
  type JsonReaders,
  messageReader,
  noFields,
} from "../json/reader.ts";
import type { ValueReader } from "../json/scalar-reader.ts";
import type { PathVariable } from "../path/path-variable.ts";
import { lastField } from "./field-path.ts";
import { createMessage, isHttpBody } from "./message-field.ts";

export interface BodyReader {
  /** Whether the body is a google.api.HttpBody, so that any media type is accepted. */
  readonly raw: boolean;
  /** Reads a body that is not empty, as the message or its field. @param bound values of the path variables @throws InvalidInput */
  read(data: Uint8Array, contentType: string | undefined, bound: readonly unknown[]): unknown;
}

/**
 * Compiles the reader for a route's body. A field that the path sets must have the same value in the body. If the path sets all
 * fields, the body must be an empty object. @throws Error when a path variable is inside a google.api.HttpBody
 */
export function compileBodyReader(
  readers: JsonReaders,
  input: DescMessage,
  body: DescField | "*",
  variables: readonly PathVariable[],
): BodyReader {
  const bound = boundFields(variables);
  const desc = body === "*" ? input : body.fieldKind === "message" ? body.message : undefined;
  const inBody = body === "*" ? bound : bound.inner.get(body);
  const isBound = inBody !== undefined && inBody.values.size + inBody.inner.size > 0;
  if (isHttpBody(desc)) {
    if (isBound) throw new Error("a path variable cannot be inside google.api.HttpBody");
    return {
      raw: true,
      read: (data, contentType = "") => Object.assign(createMessage(desc), { contentType, data }),
    };
  }
  const isEmpty = body === "*" && input.fields.every((field) => bound.values.has(field));
  const read = isEmpty
    ? emptyReader(readers, input)
    : desc && isBound
      ? messageReader(readers, desc, inBody)
      : body === "*"
        ? readers.message(input)
        : fieldReader(readers, body);
  return {
    raw: false,
    read(data, _, values) {
      try {
        const cursor = startJson(data, values);
        const value = read(cursor);
        endJson(cursor);
        return value;
      } catch (error) {
        if (error instanceof InvalidInput && error.path === "") error.path = "request body";
        throw error;
      }
    },
  };
}

function emptyReader(readers: JsonReaders, input: DescMessage): ValueReader {
  const read = readers.message(EmptySchema);
  return (cursor) => {
    read(cursor);
    return createMessage(input);
  };
}

function boundFields(variables: readonly PathVariable[]): BoundFields {
  const bound = noFields();
  for (const [index, { path }] of variables.entries()) {
    let level = bound;
    for (const field of path.slice(0, -1)) {
      level = getOrInsert(level.inner, field, noFields);
    }
    level.values.set(lastField(path), index);
  }
  return bound;
}
