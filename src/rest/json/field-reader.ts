import type { DescField } from "@bufbuild/protobuf";
import { acceptedIntegers } from "../../call/integer-range.ts";
import { maxItemsOf, tooManyItems } from "../../call/list-limits.ts";
import { InvalidInput, OutOfBounds } from "../../http/invalid-input.ts";
import { scalarParser } from "../binding/scalar-text.ts";
import { jsonChar, mismatch, nextChar } from "./cursor.ts";
import type { JsonReaders } from "./message-reader.ts";
import { enumReader, scalarReader, type ValueReader } from "./scalar-reader.ts";
import { readElements, readMembers, setOwn } from "./value.ts";
import { wellKnownFieldReader } from "./well-known-reader.ts";

/** Compiles the reader for the value of a field: an array if it is repeated, an object if it is a map. */
export function fieldReader(readers: JsonReaders, field: DescField): ValueReader {
  switch (field.fieldKind) {
    case "list":
      return listReader(singleReader(readers, field), maxItemsOf(field));
    case "map":
      return mapReader(
        scalarParser(field.mapKey, false),
        singleReader(readers, field),
        maxItemsOf(field),
      );
    default:
      return singleReader(readers, field);
  }
}

/** Returns the reader for the value of a singular field, an element of a list or a value of a map. */
function singleReader(readers: JsonReaders, field: DescField): ValueReader {
  if (field.message) {
    return wellKnownFieldReader(readers, field) ?? readers.message(field.message);
  }
  if (field.enum) return enumReader(field.enum, readers.style);
  const longAsString = field.fieldKind !== "map" && field.longAsString;
  return scalarReader(field.scalar, longAsString, readers.style, acceptedIntegers(field));
}

function listReader(readElement: ValueReader, maxItems: number): ValueReader {
  return (cursor) => {
    if (nextChar(cursor) !== jsonChar.openBracket) throw mismatch(cursor, "must be a JSON array");
    const list: unknown[] = [];
    readElements(cursor, () => list.push(readElement(cursor)), maxItems);
    return list;
  };
}

function mapReader(
  checkKey: (text: string) => unknown,
  readValue: ValueReader,
  maxItems: number,
): ValueReader {
  return (cursor) => {
    if (nextChar(cursor) !== jsonChar.openBrace) throw mismatch(cursor, "must be a JSON object");
    const map: Record<string, unknown> = {};
    let count = 0;
    readMembers(cursor, (key) => {
      if (++count > maxItems) throw new OutOfBounds(tooManyItems(maxItems));
      checkKey(key);
      if (Object.hasOwn(map, key)) throw new InvalidInput("is given twice; send it once");
      setOwn(map, key, readValue(cursor));
    });
    return map;
  };
}
