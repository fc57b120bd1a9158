import {
  create,
  type DescField,
  type DescMessage,
  type Message,
  toBinary,
} from "@bufbuild/protobuf";
import { maxElementsAtOnce } from "../../call/slices.ts";

/** A repeated field of messages. */
export type ListField = DescField & { readonly fieldKind: "list"; readonly parent: DescMessage };

/** Serializes a message with a long list. Yields after each part, so that other work can run. */
export type SliceWriter = (message: Message) => Generator<void, Uint8Array>;

/** Finds the field that can make a message long: the only repeated field of messages, if there is exactly one. */
export function findList(desc: DescMessage): ListField | undefined {
  const [list, ...others] = desc.fields.filter(
    (field) => field.fieldKind === "list" && field.listKind === "message",
  );
  return others.length === 0 ? (list as ListField | undefined) : undefined;
}

/** Returns the elements of a list field. */
export function elementsOf(message: Message, { localName }: ListField): readonly Message[] {
  return (message as unknown as Record<string, readonly Message[]>)[localName] ?? [];
}

/**
 * Serializes to binary protobuf. The concatenated parts of a message parse as the whole message
 * (https://protobuf.dev/programming-guides/encoding/#last-one-wins).
 */
export function binarySlices(field: ListField): SliceWriter {
  return (message) => inParts(message, field, (part) => toBinary(field.parent, part));
}

/** Serializes to ProtoJSON. @param write serializes a message without its default values */
export function jsonSlices(field: ListField, write: (message: Message) => string): SliceWriter {
  const opening = `{${JSON.stringify(field.jsonName)}:[`;
  return (message) =>
    inParts(message, field, (part, index) => {
      const json = write(part);
      if (index === undefined) return Buffer.from(json === "{}" ? "]}" : `],${json.slice(1)}`);
      const before = index === 0 ? opening : ",";
      return Buffer.from(before + json.slice(opening.length, -"]}".length));
    });
}

/**
 * Yields after each part.
 *
 * @param write serializes some of the elements and no other field, from an index on; at the end all other fields
 */
function* inParts(
  message: Message,
  field: ListField,
  write: (part: Message, index?: number) => Uint8Array,
): Generator<void, Uint8Array> {
  const elements = elementsOf(message, field);
  const { localName, parent } = field;
  const parts: Uint8Array[] = [];
  for (let at = 0; at < elements.length; at += maxElementsAtOnce) {
    const some = elements.slice(at, at + maxElementsAtOnce);
    parts.push(write(Object.assign(create(parent), { [localName]: some }), at));
    yield;
  }
  parts.push(write({ ...message, [localName]: [] }));
  return Buffer.concat(parts);
}
