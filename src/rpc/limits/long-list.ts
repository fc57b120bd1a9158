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
  return function* (message) {
    const parts: Uint8Array[] = [];
    for (const part of partsOf(message, field)) {
      parts.push(toBinary(field.parent, part));
      yield;
    }
    parts.push(toBinary(field.parent, withElements(Object.assign({}, message), field, [])));
    return Buffer.concat(parts);
  };
}

/** Serializes to ProtoJSON. @param write serializes a message without its default values */
export function jsonSlices(field: ListField, write: (message: Message) => string): SliceWriter {
  const opening = `{${JSON.stringify(field.jsonName)}:[`;
  return function* (message) {
    const texts: Uint8Array[] = [];
    let before = opening;
    for (const part of partsOf(message, field)) {
      texts.push(Buffer.from(before + write(part).slice(opening.length, -"]}".length)));
      before = ",";
      yield;
    }
    const others = write(withElements(Object.assign({}, message), field, []));
    texts.push(Buffer.from(others === "{}" ? "]}" : `],${others.slice(1)}`));
    return Buffer.concat(texts);
  };
}

/** Yields messages that each have some of the elements, and no other field. */
function* partsOf(message: Message, field: ListField): Generator<Message> {
  const elements = elementsOf(message, field);
  for (let at = 0; at < elements.length; at += maxElementsAtOnce) {
    yield withElements(create(field.parent), field, elements.slice(at, at + maxElementsAtOnce));
  }
}

function withElements(message: Message, field: ListField, elements: readonly Message[]): Message {
  return Object.assign(message, { [field.localName]: elements });
}
