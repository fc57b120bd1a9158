import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { WireType } from "@bufbuild/protobuf/wire";
import { maxItemsOf, tooManyItems } from "../../call/list-limits.ts";
import {
  fieldsOf,
  fieldsOfElement,
  maxElements,
  shortMessage,
  spareFields,
} from "./message-size.ts";

/**
 * Checks that a binary message is cheap to parse, without parsing it: that its lists have no more elements than the
 * contract allows, and that it has few fields which are unknown or repeated. Takes a few nanoseconds per byte and little
 * memory. A malformed message passes: the parser reports it.
 *
 * @throws the error that `refuse` makes from the path of a field and a description of its fault
 */
export type CheckMessage = (data: Uint8Array) => void;

/** Makes the error of a message. @param field the field in proto names; "" for the message itself */
export type Refuse = (field: string, description: string) => Error;

/** Makes the check of a message type. */
export function createBinaryCheck(desc: DescMessage, refuse: Refuse): CheckMessage {
  const shape = createShapes()(desc);
  const spare = spareFields + fieldsOf(desc);
  return (data) => {
    if (data.length <= shortMessage) return;
    const scan = new Scan(data, spare);
    scan.message(shape, data.length, new Map(), 0);
    if (scan.fault) throw refuse(scan.fault.field, scan.fault.description);
  };
}

/** How a field of known type is skipped: a varint, a number of bytes, a length and bytes, or the fields within. */
type Skip = "varint" | 4 | 8 | "bytes" | Shape;

/** A field, as far as the scan needs it. */
interface FieldShape {
  readonly name: string;
  /** Most elements; 0 if it is neither a list nor a map. */
  readonly maxItems: number;
  /** Fields that an element may have. */
  readonly perElement: number;
  readonly skip: Skip;
}

/** The fields of a message type by number. */
interface Shape {
  readonly fields: Map<number, FieldShape>;
}

/** Returns a function that compiles each message type once. Types may contain themselves. */
function createShapes(): (desc: DescMessage) => Shape {
  const known = new Map<DescMessage, Shape>();
  return function shapeOf(desc): Shape {
    const before = known.get(desc);
    if (before) return before;
    const shape: Shape = { fields: new Map() };
    known.set(desc, shape);
    for (const field of desc.fields) {
      const isList = field.fieldKind === "list" || field.fieldKind === "map";
      shape.fields.set(field.number, {
        name: field.name,
        maxItems: isList ? maxItemsOf(field) : 0,
        perElement: isList ? fieldsOfElement(field) : 0,
        skip: skipOf(field, shapeOf),
      });
    }
    return shape;
  };
}

/** @throws Error for a field in the delimited encoding, which proto3 does not have */
function skipOf(field: DescField, shapeOf: (desc: DescMessage) => Shape): Skip {
  if ("delimitedEncoding" in field && field.delimitedEncoding) {
    throw new Error(`${field}: the delimited encoding is not supported`);
  }
  // The parser reads the entry of a map as a message with the fields 1 and 2.
  if (field.fieldKind === "map") {
    const value = field.message ? shapeOf(field.message) : scalarSkip(field.scalar);
    return {
      fields: new Map([
        [1, { name: "key", maxItems: 0, perElement: 0, skip: scalarSkip(field.mapKey) }],
        [2, { name: "value", maxItems: 0, perElement: 0, skip: value }],
      ]),
    };
  }
  return field.message ? shapeOf(field.message) : scalarSkip(field.scalar);
}

/** @param scalar undefined for an enum */
function scalarSkip(scalar: ScalarType | undefined): Skip {
  switch (scalar) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return "bytes";
    case ScalarType.DOUBLE:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return 8;
    case ScalarType.FLOAT:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      return 4;
    default:
      return "varint";
  }
}

/** Deepest nesting that is scanned. The parser reports an error at 100 levels, or 50 that are maps. */
const maxDepth = 200;

/** One pass over a message. Like the parser, it goes by the type of a known field and not by its wire type. */
class Scan {
  readonly #data: Uint8Array;
  #at = 0;
  /** Fields that the message may still have. */
  #spare: number;
  #elements = 0;
  fault: { readonly field: string; readonly description: string } | undefined;

  constructor(data: Uint8Array, spare: number) {
    this.#data = data;
    this.#spare = spare;
  }

  /**
   * Scans the fields of a message.
   *
   * @param counts elements of the lists so far. Singular messages share those of the message that contains them,
   * because a message that occurs twice is merged
   * @returns whether to go on; false at the end, and when there is a fault
   */
  message(shape: Shape, end: number, counts: Map<FieldShape, number>, depth: number): boolean {
    if (depth > maxDepth) return false;
    while (this.#at < end) {
      const tag = this.#varint();
      if (this.#at > this.#data.length || !this.#countField()) return false;
      const field = shape.fields.get(tag >>> 3);
      const goesOn = field
        ? this.#known(field, tag & 7, counts, depth)
        : this.#unknown(tag & 7, depth);
      if (!goesOn) return false;
    }
    return this.#at <= this.#data.length;
  }

  #known(
    field: FieldShape,
    wireType: number,
    counts: Map<FieldShape, number>,
    depth: number,
  ): boolean {
    const { skip, maxItems } = field;
    const isNumber = skip !== "bytes" && typeof skip !== "object";
    if (maxItems === 0) return this.#value(skip, counts, depth);
    if (isNumber && wireType === WireType.LengthDelimited) {
      return this.#countItems(field, this.#packed(skip), counts);
    }
    const within = typeof skip === "object" ? new Map() : noCounts;
    return this.#countItems(field, 1, counts) && this.#value(skip, within, depth);
  }

  #value(skip: Skip, counts: Map<FieldShape, number>, depth: number): boolean {
    if (skip === "varint") this.#varint();
    else if (typeof skip === "number") this.#at += skip;
    else {
      const length = this.#varint();
      const end = this.#at + length;
      if (skip !== "bytes") return this.message(skip, end, counts, depth + 1);
      this.#at = end;
    }
    return this.#at <= this.#data.length;
  }

  #unknown(wireType: number, depth: number): boolean {
    switch (wireType) {
      case WireType.Varint:
        // The parser skips a varint of any length.
        while ((this.#data[this.#at++] ?? 0) >= 0x80);
        return this.#at <= this.#data.length;
      case WireType.Bit64:
        return this.#value(8, noCounts, depth);
      case WireType.LengthDelimited:
        return this.#value("bytes", noCounts, depth);
      case WireType.Bit32:
        return this.#value(4, noCounts, depth);
      case WireType.StartGroup:
        return this.#group(depth + 1);
      default:
        return false;
    }
  }

  /** Skips the fields of an unknown group, which count like other unknown fields. */
  #group(depth: number): boolean {
    if (depth > maxDepth) return false;
    for (;;) {
      const wireType = this.#varint() & 7;
      if (this.#at > this.#data.length || !this.#countField()) return false;
      if (wireType === WireType.EndGroup) return true;
      if (!this.#unknown(wireType, depth)) return false;
    }
  }

  /** Skips packed numbers. Like for the parser, the last one may end behind the field. @returns how many there are */
  #packed(skip: "varint" | 4 | 8): number {
    const length = this.#varint();
    const end = Math.min(this.#at + length, this.#data.length);
    let count = 0;
    while (this.#at < end) {
      if (skip === "varint") this.#varint();
      else this.#at += skip;
      count += 1;
    }
    return count;
  }

  #countField(): boolean {
    this.#spare -= 1;
    if (this.#spare >= 0) return true;
    const description = `has too many fields that are unknown or given more than once: more than ${spareFields}, and a few for each element of its lists`;
    this.fault = { field: "", description };
    return false;
  }

  #countItems(field: FieldShape, items: number, counts: Map<FieldShape, number>): boolean {
    const count = (counts.get(field) ?? 0) + items;
    counts.set(field, count);
    this.#elements += items;
    this.#spare += items * field.perElement;
    if (count > field.maxItems) {
      this.fault = { field: field.name, description: tooManyItems(field.maxItems) };
    } else if (this.#elements > maxElements) {
      const description = `must have at most ${maxElements} elements in all of its lists`;
      this.fault = { field: "", description };
    }
    return this.fault === undefined;
  }

  /** Reads a varint of up to 64 bits. @returns its lower 32 bits */
  #varint(): number {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#data[this.#at++] ?? 0;
      if (shift < 32) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return value >>> 0;
  }
}

const noCounts = new Map<FieldShape, number>();
