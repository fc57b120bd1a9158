import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { WireType } from "@bufbuild/protobuf/wire";
import {
  type Annotations,
  maxItemsOf,
  noAnnotations,
  tooManyItems,
} from "../../call/annotations.ts";
import { InvalidInput, within } from "../../http/invalid-input.ts";

/** Unknown or repeated fields that a message may have, so that a newer client can call an older server; more for each list element. */
export const spareFields = 100;

const spareOfElement = 4;

/** Most elements that all lists of a message may have together, unless one of them alone may have more. */
export const maxElements = 5_000;

/**
 * Makes the check that a binary message is cheap to parse: that its lists have no more elements than the contract allows,
 * and that it has few fields which are unknown or repeated. It also checks that each known field has the wire type of the
 * contract, and that no field ends behind the message that contains it: protobuf-es checks neither, and reads such bytes as
 * values. Takes a few nanoseconds per byte and little memory. Some other faults pass: the parser reports them.
 *
 * See https://protobuf.dev/programming-guides/encoding
 *
 * @returns a function that throws an InvalidInput, which names the field in proto names
 */
export function createBinaryCheck(
  desc: DescMessage,
  annotations: Annotations = noAnnotations,
): (data: Uint8Array) => void {
  const shapes = new Map<DescMessage, Shape>();
  const shape = shapeOf(desc, annotations, shapes);
  let most = maxElements;
  for (const fields of shapes.values()) {
    for (const { maxItems } of fields.values()) most = Math.max(most, maxItems);
  }
  const spare = spareFields + fieldsOf(desc);
  return (data) => new Scan(data, spare, most).message(shape, data.length, 0);
}

/** Returns the number of fields that a message can have once, those of nested messages included. */
export function fieldsOf(desc: DescMessage, seen: ReadonlySet<DescMessage> = new Set()): number {
  if (seen.has(desc)) return 0;
  const path = new Set([...seen, desc]);
  return desc.fields.reduce((sum, field) => {
    return sum + 1 + (field.fieldKind === "message" ? fieldsOf(field.message, path) : 0);
  }, 0);
}

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

/**
 * @param shapes the types that are compiled already: types may contain themselves
 * @throws Error for a field in the delimited encoding, which proto3 does not have
 */
function shapeOf(
  desc: DescMessage,
  annotations: Annotations,
  shapes: Map<DescMessage, Shape>,
): Shape {
  const before = shapes.get(desc);
  if (before) return before;
  const shape: Shape = new Map();
  shapes.set(desc, shape);
  for (const field of desc.fields) {
    if ("delimitedEncoding" in field && field.delimitedEncoding) {
      throw new Error(`${field}: the delimited encoding is not supported`);
    }
    const { name, number, message } = field;
    const inner = message && shapeOf(message, annotations, shapes);
    const wireType = inner ? WireType.LengthDelimited : wireTypeOf(field.scalar);
    const value = { name, wireType, inner, maxItems: 0, perElement: 0 };
    if (field.fieldKind !== "list" && field.fieldKind !== "map") {
      shape.set(number, value);
      continue;
    }
    const maxItems = maxItemsOf(field, annotations);
    const perElement = spareOfElement + (message ? fieldsOf(message) : 0);
    shape.set(number, { ...value, ...entryOf(field, value), maxItems, perElement });
  }
  return shape;
}

/** Returns what is different for a map. The parser reads its entries as messages with the fields 1 and 2. */
function entryOf(field: DescField, value: FieldShape): Partial<FieldShape> {
  if (field.fieldKind !== "map") return {};
  const key = { ...value, name: "key", wireType: wireTypeOf(field.mapKey), inner: undefined };
  const inner = new Map([
    [1, key],
    [2, { ...value, name: "value" }],
  ]);
  return { wireType: WireType.LengthDelimited, inner };
}

/** The wire types of scalars. Enums and the others are varints. */
const scalarWireTypes = new Map<ScalarType | undefined, WireType>([
  [ScalarType.STRING, WireType.LengthDelimited],
  [ScalarType.BYTES, WireType.LengthDelimited],
  [ScalarType.DOUBLE, WireType.Bit64],
  [ScalarType.FIXED64, WireType.Bit64],
  [ScalarType.SFIXED64, WireType.Bit64],
  [ScalarType.FLOAT, WireType.Bit32],
  [ScalarType.FIXED32, WireType.Bit32],
  [ScalarType.SFIXED32, WireType.Bit32],
]);

const wireTypeOf = (scalar?: ScalarType) => scalarWireTypes.get(scalar) ?? WireType.Varint;

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
  readonly #most: number;
  /** Elements of the lists so far. Singular messages share them with their parent: a message that occurs twice is merged. */
  #counts: Map<FieldShape, number> | undefined;

  /** @param most most elements of all lists together */
  constructor(data: Uint8Array, spare: number, most: number) {
    this.#data = data;
    this.#spare = spare;
    this.#most = most;
  }

  message(shape: Shape, end: number, depth: number): void {
    checkDepth(depth);
    while (this.#at < end) {
      const tag = this.#tag();
      const field = shape.get(tag >>> 3);
      const wireType = tag & 7;
      if (!field) this.#skip(wireType, depth);
      else if (wireType !== field.wireType) this.#packed(field, wireType);
      else if (field.inner) this.#nested(field, field.inner, depth);
      else {
        this.#countItems(field, 1);
        this.#skip(wireType, depth);
      }
    }
    if (this.#at > end) throw new InvalidInput(endsTooLate);
  }

  #nested(field: FieldShape, shape: Shape, depth: number): void {
    const isElement = field.maxItems > 0;
    const count = this.#countItems(field, 1);
    const end = this.#end();
    const counts = this.#counts;
    if (isElement) this.#counts = undefined;
    try {
      this.message(shape, end, depth + 1);
    } catch (error) {
      throw within(isElement ? `${field.name}[${count - 1}]` : field.name, error);
    }
    if (isElement) this.#counts = counts;
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
      case WireType.StartGroup: {
        // The fields of an unknown group count like other unknown fields.
        checkDepth(depth + 1);
        let inner = this.#tag() & 7;
        for (; inner !== WireType.EndGroup; inner = this.#tag() & 7) this.#skip(inner, depth + 1);
        break;
      }
      default:
        throw new InvalidInput(
          `is malformed: it has an unknown field of the wire type ${wireTypes[wireType] ?? wireType}`,
        );
    }
  }

  /** Counts elements. @returns the number of elements of the list; 0 if the field is not a list */
  #countItems(field: FieldShape, items: number): number {
    const { name, maxItems } = field;
    if (maxItems === 0) return 0;
    this.#counts ??= new Map();
    const count = (this.#counts.get(field) ?? 0) + items;
    this.#counts.set(field, count);
    this.#elements += items;
    this.#spare += items * field.perElement;
    if (count > maxItems) throw new InvalidInput(tooManyItems(maxItems), name);
    if (this.#elements > this.#most) {
      throw new InvalidInput(`must have at most ${this.#most} elements with all other lists`, name);
    }
    return count;
  }

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
