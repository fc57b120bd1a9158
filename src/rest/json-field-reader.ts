import type { DescField } from "@bufbuild/protobuf";
import { acceptedIntegers } from "../call/integer-range.ts";
import { InvalidInput } from "./invalid-input.ts";
import { jsonChar, mismatch, nextChar } from "./json-cursor.ts";
import type { JsonReaders } from "./json-message-reader.ts";
import { enumReader, scalarReader, type ValueReader } from "./json-scalar-reader.ts";
import { readElements, readMembers, setOwn } from "./json-value.ts";
import { wellKnownFieldReader } from "./json-well-known-reader.ts";
import { scalarParser } from "./scalar-text.ts";

/** Compiles a reader for the whole value of a field: an array if it is repeated, an object for a map. */
export function fieldReader(readers: JsonReaders, field: DescField): ValueReader {
  switch (field.fieldKind) {
    case "list":
      return listReader(singleReader(readers, field));
    case "map":
      return mapReader(scalarParser(field.mapKey, false), singleReader(readers, field));
    default:
      return singleReader(readers, field);
  }
}

/** The reader for the value of a singular field, an element of a list or a value of a map. */
function singleReader(readers: JsonReaders, field: DescField): ValueReader {
  if (field.message) {
    return wellKnownFieldReader(readers, field) ?? readers.message(field.message);
  }
  if (field.enum) return enumReader(field.enum, readers.dialect);
  const longAsString = field.fieldKind !== "map" && field.longAsString;
  return scalarReader(field.scalar, longAsString, readers.dialect, acceptedIntegers(field));
}

function listReader(readElement: ValueReader): ValueReader {
  return (cursor) => {
    if (nextChar(cursor) !== jsonChar.openBracket) throw mismatch(cursor, "must be a JSON array");
    const list: unknown[] = [];
    readElements(cursor, () => list.push(readElement(cursor)));
    return list;
  };
}

function mapReader(checkKey: (text: string) => unknown, readValue: ValueReader): ValueReader {
  return (cursor) => {
    if (nextChar(cursor) !== jsonChar.openBrace) throw mismatch(cursor, "must be a JSON object");
    const map: Record<string, unknown> = {};
    readMembers(cursor, (key) => {
      checkKey(key);
      if (Object.hasOwn(map, key)) throw new InvalidInput("given twice");
      setOwn(map, key, readValue(cursor));
    });
    return map;
  };
}
