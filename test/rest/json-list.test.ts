import fc from "fast-check";
import { expect, test } from "vitest";
import { listWriter, messageListWriter } from "../../src/rest/json-list-writer.ts";

interface Element {
  text: string;
}

function counted() {
  let written = 0;
  return {
    write: (value: unknown) => {
      written += 1;
      return (value as Element).text;
    },
    /** Elements written since it was asked last. */
    written() {
      const count = written;
      written = 0;
      return count;
    },
  };
}

const frozen = (text: string): Element => Object.freeze({ text });
const numbered = (count: number) => Array.from({ length: count }, (_, index) => frozen(`${index}`));

test("lists of messages are written as others are, whatever is replaced, added or removed", () => {
  const write = (value: unknown) => (value as Element).text;
  const plain = listWriter(write);
  const change = fc.record({
    at: fc.nat(1_100),
    remove: fc.nat(3),
    insert: fc.nat(3),
    freeze: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.nat(1_100), fc.array(change, { maxLength: 8 }), (length, changes) => {
      const kept = messageListWriter(write);
      let list = numbered(length);
      expect(kept(list)).toBe(plain(list));
      for (const [index, { at, remove, insert, freeze }] of changes.entries()) {
        const added = Array.from({ length: insert }, (_, each) => {
          const element = { text: `"${index}/${each}"` };
          return freeze ? Object.freeze(element) : element;
        });
        list = list.toSpliced(at, remove, ...added);
        expect(kept(list)).toBe(plain(list));
      }
    }),
    { numRuns: 50 },
  );
});

test("of a long list of frozen messages only the chunk with a new one is written anew", () => {
  const { write, written } = counted();
  const writer = messageListWriter(write);
  const list = numbered(2_560);
  writer(list);
  expect(written()).toBe(2_560);
  writer(list.slice());
  expect(written()).toBe(0);
  writer(list.with(300, frozen("new")));
  expect(written()).toBe(256);
});

test("messages that are not frozen can have changed: they are written each time", () => {
  const { write, written } = counted();
  const writer = messageListWriter(write);
  const list: Element[] = numbered(600);
  const own = { text: '"before"' };
  list[599] = own;
  writer(list);
  written();
  own.text = '"after"';
  expect(writer(list)).toContain('"after"');
  expect(written()).toBe(600 - 512);
});
