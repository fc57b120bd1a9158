import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { WireType } from "@bufbuild/protobuf/wire";
import { maxItemsOf, tooManyItems } from "../../call/list-limits.ts";
import { fieldsOf, fieldsOfElement, maxElements, spareFields } from "./message-size.ts";

/**
 * Checks a message without parsing it.
 *
 * @throws the error that `refuse` makes from the path of a field and a description of its fault
 */
export type CheckMessage = (data: Uint8Array) => void;

/** Makes the error of a message. @param field the field in proto names; "" for the message itself */
export type Refuse = (field: string, description: string) => Error;

/**
 * Makes the check that a binary message is cheap to parse: that its lists have no more elements than the contract allows,
 * and that it has few fields which are unknown or repeated. It also checks that each known field has the wire type of the
 * contract, and that no field ends behind the message that contains it: protobuf-es checks neither, and reads such bytes
 * as values. Takes a few nanoseconds per byte and little memory. A message with another fault passes: the parser reports
 * it.
 *
 * See https://protobuf.dev/programming-guides/encoding
 */
export function createBinaryCheck(desc: DescMessage, refuse: Refuse): CheckMessage {
  const shape = createShapes()(desc);
  const spare = spareFields + fieldsOf(desc);
  return (data) => {
    const scan = new Scan(data, spare);
    scan.message(shape, data.length, new Counts(), 0);
    if (scan.fault) throw refuse(scan.fault.field, scan.fault.description);
  };
}

/** How a number is skipped: a varint, or a number of bytes. */
type NumberSkip = "varint" | 4 | 8;

/** How a field of known type is skipped: a number, a length and bytes, or the fields within. */
type Skip = NumberSkip | "bytes" | Shape;

function isNumber(skip: Skip): skip is NumberSkip {
  return skip !== "bytes" && typeof skip !== "object";
}

/** A field, as far as the scan needs it. */
interface FieldShape {
  readonly name: string;
  /** Most elements; 0 if it is neither a list nor a map. */
  readonly maxItems: number;
  /** Fields that an element may have. */
  readonly perElement: number;
  readonly skip: Skip;
  /** Of a value. Lists of numbers may also be packed. */
  readonly wireType: WireType;
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
      shape.fields.set(
        field.number,
        fieldShape(
          field.name,
          skipOf(field, shapeOf),
          isList ? maxItemsOf(field) : 0,
          isList ? fieldsOfElement(field) : 0,
        ),
      );
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
        [1, fieldShape("key", scalarSkip(field.mapKey))],
        [2, fieldShape("value", value)],
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

const endsTooLate = "is malformed: its last field or number ends behind it";

/** Deepest nesting that is scanned. The parser reports an error at 100 levels, or 50 that are maps. */
const maxDepth = 200;

/** The wire types by their numbers, as protobuf.dev spells them. */
const wireTypes = ["VARINT", "I64", "LEN", "SGROUP", "EGROUP", "I32"];

function fieldShape(name: string, skip: Skip, maxItems = 0, perElement = 0): FieldShape {
  return { name, maxItems, perElement, skip, wireType: wireTypeOf(skip) };
}

function wireTypeOf(skip: Skip): WireType {
  if (skip === "varint") return WireType.Varint;
  if (skip === 8) return WireType.Bit64;
  return skip === 4 ? WireType.Bit32 : WireType.LengthDelimited;
}

/** One pass over a message. */
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
  message(shape: Shape, end: number, counts: Counts, depth: number): boolean {
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

  #known(field: FieldShape, wireType: number, counts: Counts, depth: number): boolean {
    const { name, skip, maxItems } = field;
    if (wireType !== field.wireType) {
      if (isNumber(skip) && maxItems > 0 && wireType === WireType.LengthDelimited) {
        return this.#packed(field, skip, counts);
      }
      return this.#fail(
        name,
        `has the wire type ${wireTypes[wireType] ?? wireType}, but the contract has ${wireTypes[field.wireType]}: encode the message by the service's proto files`,
      );
    }
    if (maxItems > 0 && !this.#countItems(field, 1, counts)) return false;
    return typeof skip === "object" ? this.#nested(field, skip, counts, depth) : this.#value(skip);
  }

  #value(skip: Exclude<Skip, Shape>): boolean {
    if (skip === "varint") this.#varint();
    else if (typeof skip === "number") this.#at += skip;
    else {
      const length = this.#varint();
      this.#at += length;
    }
    return this.#at <= this.#data.length;
  }

  #nested(field: FieldShape, shape: Shape, counts: Counts, depth: number): boolean {
    const length = this.#varint();
    const end = this.#at + length;
    const isElement = field.maxItems > 0;
    const isSound = this.message(shape, end, isElement ? new Counts() : counts, depth + 1);
    if (isSound && this.#at === end) return true;
    const path = isElement ? `${field.name}[${counts.of(field) - 1}]` : field.name;
    if (isSound) return this.#fail(path, endsTooLate);
    if (this.fault && this.fault.field !== "") {
      return this.#fail(`${path}.${this.fault.field}`, this.fault.description);
    }
    return false;
  }

  #unknown(wireType: number, depth: number): boolean {
    switch (wireType) {
      case WireType.Varint:
        // The parser skips a varint of any length.
        while ((this.#data[this.#at++] ?? 0) >= 0x80);
        return this.#at <= this.#data.length;
      case WireType.Bit64:
        return this.#value(8);
      case WireType.LengthDelimited:
        return this.#value("bytes");
      case WireType.Bit32:
        return this.#value(4);
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

  /** Skips packed numbers. */
  #packed(field: FieldShape, skip: NumberSkip, counts: Counts): boolean {
    const length = this.#varint();
    const end = Math.min(this.#at + length, this.#data.length);
    let count = 0;
    while (this.#at < end) {
      this.#value(skip);
      count += 1;
    }
    if (this.#at > end && this.#at <= this.#data.length) return this.#fail(field.name, endsTooLate);
    return this.#countItems(field, count, counts);
  }

  #countField(): boolean {
    this.#spare -= 1;
    if (this.#spare >= 0) return true;
    return this.#fail(
      "",
      `has too many fields that are unknown or given more than once: more than ${spareFields}, and a few for each element of its lists`,
    );
  }

  #countItems(field: FieldShape, items: number, counts: Counts): boolean {
    this.#elements += items;
    this.#spare += items * field.perElement;
    if (counts.add(field, items) > field.maxItems) {
      return this.#fail(field.name, tooManyItems(field.maxItems));
    }
    if (this.#elements <= maxElements) return true;
    return this.#fail("", `must have at most ${maxElements} elements in all of its lists`);
  }

  /** @returns false */
  #fail(field: string, description: string): false {
    this.fault = { field, description };
    return false;
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

/** The number of elements of each list so far. Most messages have no list, and need no map. */
class Counts {
  #counts: Map<FieldShape, number> | undefined;

  of(list: FieldShape): number {
    return this.#counts?.get(list) ?? 0;
  }

  /** @returns the new number */
  add(list: FieldShape, items: number): number {
    const count = this.of(list) + items;
    this.#counts ??= new Map();
    this.#counts.set(list, count);
    return count;
  }
}
