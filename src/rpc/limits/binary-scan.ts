import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { WireType } from "@bufbuild/protobuf/wire";
import { maxItemsOf, tooManyItems } from "../../call/list-limits.ts";
import { InvalidInput, within } from "../../http/invalid-input.ts";
import { fieldsOf, fieldsOfElement, maxElements, spareFields } from "./message-size.ts";

/**
 * Makes the check that a binary message is cheap to parse: that its lists have no more elements than the contract allows,
 * and that it has few fields which are unknown or repeated. It also checks that each known field has the wire type of the
 * contract, and that no field ends behind the message that contains it: protobuf-es checks neither, and reads such bytes
 * as values. Takes a few nanoseconds per byte and little memory. Some other faults pass: the parser reports them.
 *
 * See https://protobuf.dev/programming-guides/encoding
 *
 * @returns a function that throws an InvalidInput, which names the field in proto names
 */
export function createBinaryCheck(desc: DescMessage): (data: Uint8Array) => void {
  const shape = shapeOf(desc, new Map());
  const spare = spareFields + fieldsOf(desc);
  return (data) => new Scan(data, spare).message(shape, data.length, 0);
}

/** The fields of a message type by number. */
type Shape = Map<number, FieldShape>;

/** A field, as far as the scan needs it. */
interface FieldShape {
  readonly name: string;
  /** Of a value. Lists of numbers may also be packed. */
  readonly wireType: WireType;
  /** The fields within, of a message or of the entry of a map. */
  readonly inner: Shape | undefined;
  /** Most elements; 0 if it is neither a list nor a map. */
  readonly maxItems: number;
  /** Fields that an element may have. */
  readonly perElement: number;
}

/** Compiles a message type. @param known the types that are compiled already. Types may contain themselves */
function shapeOf(desc: DescMessage, known: Map<DescMessage, Shape>): Shape {
  const before = known.get(desc);
  if (before) return before;
  const shape: Shape = new Map();
  known.set(desc, shape);
  for (const field of desc.fields) {
    const { name, number } = field;
    const isList = field.fieldKind === "list" || field.fieldKind === "map";
    const value = valueShape("value", field, known);
    shape.set(number, {
      ...(field.fieldKind === "map" ? entryShape(field.mapKey, value) : value),
      name,
      maxItems: isList ? maxItemsOf(field) : 0,
      perElement: isList ? fieldsOfElement(field) : 0,
    });
  }
  return shape;
}

/** @throws Error for a field in the delimited encoding, which proto3 does not have */
function valueShape(name: string, field: DescField, known: Map<DescMessage, Shape>): FieldShape {
  if ("delimitedEncoding" in field && field.delimitedEncoding) {
    throw new Error(`${field}: the delimited encoding is not supported`);
  }
  const inner = field.message && shapeOf(field.message, known);
  const wireType = inner ? WireType.LengthDelimited : wireTypeOf(field.scalar);
  return { name, wireType, inner, maxItems: 0, perElement: 0 };
}

/** The parser reads the entry of a map as a message with the fields 1 and 2. */
function entryShape(mapKey: ScalarType, value: FieldShape): FieldShape {
  const key = { ...value, name: "key", wireType: wireTypeOf(mapKey), inner: undefined };
  const inner = new Map([
    [1, key],
    [2, value],
  ]);
  return { ...value, wireType: WireType.LengthDelimited, inner };
}

/** @param scalar undefined for an enum */
function wireTypeOf(scalar: ScalarType | undefined): WireType {
  switch (scalar) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return WireType.LengthDelimited;
    case ScalarType.DOUBLE:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return WireType.Bit64;
    case ScalarType.FLOAT:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      return WireType.Bit32;
    default:
      return WireType.Varint;
  }
}

const endsTooLate = "is malformed: its last field or number ends behind it";

/** Deepest nesting of messages and groups. The parser has the same limit. */
const maxDepth = 100;

/** The wire types by their numbers, as protobuf.dev spells them. */
const wireTypes = ["VARINT", "I64", "LEN", "SGROUP", "EGROUP", "I32"];

/** One pass over a message. */
class Scan {
  readonly #data: Uint8Array;
  #at = 0;
  /** Fields that the message may still have. */
  #spare: number;
  #elements = 0;
  /**
   * Elements of the lists so far. Singular messages share them with the message that contains them, because a message that
   * occurs twice is merged.
   */
  #counts: Map<FieldShape, number> | undefined;

  constructor(data: Uint8Array, spare: number) {
    this.#data = data;
    this.#spare = spare;
  }

  /** Scans the fields of a message. */
  message(shape: Shape, end: number, depth: number): void {
    checkDepth(depth);
    while (this.#at < end) {
      const tag = this.#tag();
      const field = shape.get(tag >>> 3);
      if (field) this.#known(field, tag & 7, depth);
      else this.#skip(tag & 7, depth);
    }
    if (this.#at > end) throw new InvalidInput(endsTooLate);
  }

  #known(field: FieldShape, wireType: number, depth: number): void {
    if (wireType !== field.wireType) {
      this.#packed(field, wireType);
      return;
    }
    const index = field.maxItems > 0 ? this.#countItems(field, 1) - 1 : undefined;
    if (field.inner) this.#nested(field.name, field.inner, index, depth);
    else this.#skip(wireType, depth);
  }

  /** @param index of an element of a list */
  #nested(name: string, shape: Shape, index: number | undefined, depth: number): void {
    const end = this.#end();
    const counts = this.#counts;
    if (index !== undefined) this.#counts = undefined;
    try {
      this.message(shape, end, depth + 1);
    } catch (error) {
      throw within(index === undefined ? name : `${name}[${index}]`, error);
    }
    if (index !== undefined) this.#counts = counts;
  }

  /** Scans packed numbers. @throws InvalidInput when the field is not a list of numbers */
  #packed(field: FieldShape, wireType: number): void {
    const { name, maxItems, wireType: expected } = field;
    if (wireType !== WireType.LengthDelimited || maxItems === 0) {
      throw new InvalidInput(
        `has the wire type ${wireTypes[wireType] ?? wireType}, but the contract has ${wireTypes[expected]}: encode the message by the service's proto files`,
        name,
      );
    }
    const end = this.#end();
    let count = 0;
    for (; this.#at < end; count++) this.#skip(expected, 0);
    if (this.#at > end) throw new InvalidInput(endsTooLate, name);
    this.#countItems(field, count);
  }

  #skip(wireType: number, depth: number): void {
    switch (wireType) {
      case WireType.Varint:
        // The parser skips an unknown varint of any length.
        while ((this.#data[this.#at++] ?? 0) >= 0x80);
        break;
      case WireType.Bit64:
        this.#at += 8;
        break;
      case WireType.LengthDelimited:
        this.#at = this.#end();
        break;
      case WireType.Bit32:
        this.#at += 4;
        break;
      case WireType.StartGroup:
        this.#group(depth + 1);
        break;
      default:
        throw new InvalidInput(
          `is malformed: it has an unknown field of the wire type ${wireTypes[wireType] ?? wireType}`,
        );
    }
  }

  /** Skips the fields of an unknown group, which count like other unknown fields. */
  #group(depth: number): void {
    checkDepth(depth);
    for (;;) {
      const wireType = this.#tag() & 7;
      if (wireType === WireType.EndGroup) return;
      this.#skip(wireType, depth);
    }
  }

  #countItems(field: FieldShape, items: number): number {
    const { name, maxItems } = field;
    this.#counts ??= new Map();
    const count = (this.#counts.get(field) ?? 0) + items;
    this.#counts.set(field, count);
    this.#elements += items;
    this.#spare += items * field.perElement;
    if (count > maxItems) throw new InvalidInput(tooManyItems(maxItems), name);
    if (this.#elements > maxElements) {
      throw new InvalidInput(
        `must have at most ${maxElements} elements with all other lists`,
        name,
      );
    }
    return count;
  }

  /** Reads the tag of a field. */
  #tag(): number {
    const tag = this.#varint();
    if (this.#at > this.#data.length) throw new InvalidInput(endsTooLate);
    this.#spare -= 1;
    if (this.#spare >= 0) return tag;
    throw new InvalidInput(
      `has too many fields that are unknown or given more than once: more than ${spareFields}, and a few for each element of its lists`,
    );
  }

  /** Reads the length of a field. @returns where the field ends */
  #end(): number {
    const length = this.#varint();
    if (length <= this.#data.length - this.#at) return this.#at + length;
    throw new InvalidInput(endsTooLate);
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

function checkDepth(depth: number): void {
  if (depth > maxDepth) throw new InvalidInput(`must have at most ${maxDepth} levels of nesting`);
}
