import type { ValueWriter } from "./json-scalar-writer.ts";

/** Messages whose text is kept together. */
const chunkLength = 256;

/** A part of a list as it was written. */
interface Chunk {
  readonly elements: readonly unknown[];
  /** With commas between the elements. */
  readonly text: string;
}

/** Writes lists, element by element. */
export function listWriter(write: ValueWriter): ValueWriter {
  return (list) => `[${joined(list as unknown[], write)}]`;
}

/**
 * Writes lists of messages. What is not going to change, because the messages are frozen, is written once:
 * of a long list that differs from the one before in few places, only the chunks around them are.
 */
export function messageListWriter(write: ValueWriter): ValueWriter {
  /** By their first elements: those that are written anew have others. */
  const kept = new WeakMap<object, Chunk>();

  function chunkText(list: readonly unknown[], at: number): string {
    const first = list[at] as object;
    const known = kept.get(first);
    if (known && isPart(known.elements, list, at)) return known.text;
    const elements = list.slice(at, at + chunkLength);
    // Through bytes, which makes one piece of it: what was added up would be gathered at every use.
    const text = Buffer.from(joined(elements, write)).toString();
    if (elements.every(Object.isFrozen)) kept.set(first, { elements, text });
    return text;
  }

  return (value) => {
    const list = value as unknown[];
    if (list.length <= chunkLength) return `[${joined(list, write)}]`;
    const texts: string[] = [];
    for (let at = 0; at < list.length; at += chunkLength) texts.push(chunkText(list, at));
    return `[${texts.join(",")}]`;
  };
}

/** Whether all elements of a chunk, and no others, are a list's next ones. */
function isPart(elements: readonly unknown[], list: readonly unknown[], at: number): boolean {
  if (elements.length !== Math.min(chunkLength, list.length - at)) return false;
  for (let index = 0; index < elements.length; index += 1) {
    if (elements[index] !== list[at + index]) return false;
  }
  return true;
}

function joined(elements: readonly unknown[], write: ValueWriter): string {
  let json = "";
  for (const element of elements) json += (json === "" ? "" : ",") + write(element);
  return json;
}
