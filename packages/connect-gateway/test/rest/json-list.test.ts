import fc from "fast-check";
import { expect, test } from "vitest";
import { pieceWriter } from "../../src/rest/json/list-writer.ts";

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
    /** Returns the elements written since the last call. */
    written() {
      const count = written;
      written = 0;
      return count;
    },
  };
}

const frozen = (text: string): Element => Object.freeze({ text });
const numbered = (count: number) => Array.from({ length: count }, (_, index) => frozen(`${index}`));

/** Writes a list in pieces. Returns the text. */
function pieces(writer: ReturnType<typeof pieceWriter>): (list: readonly object[]) => string {
  return (list) => {
    const work = writer(list);
    let step = work.next();
    while (!step.done) step = work.next();
    return Buffer.concat(step.value).toString();
  };
}

test("long lists have the same JSON as short ones after messages are replaced, added or removed", () => {
  const write = (value: unknown) => (value as Element).text;
  const plain = (list: readonly Element[]) => `[${list.map(write).join()}]`;
  const change = fc.record({
    at: fc.nat(1_100),
    remove: fc.oneof(fc.nat(3), fc.nat(300)),
    insert: fc.oneof(fc.nat(3), fc.nat(300)),
    freeze: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.nat(1_100), fc.array(change, { maxLength: 8 }), (length, changes) => {
      const cached = pieces(pieceWriter(write));
      let list = numbered(length);
      expect(cached(list)).toBe(plain(list));
      for (const [index, { at, remove, insert, freeze }] of changes.entries()) {
        const added = Array.from({ length: insert }, (_, each) => {
          const element = { text: `"${index}/${each}"` };
          return freeze ? Object.freeze(element) : element;
        });
        list = list.toSpliced(at, remove, ...added);
        expect(cached(list)).toBe(plain(list));
      }
    }),
    { numRuns: 50 },
  );
});

test.each([
  ["replaced", (list: Element[]) => list.with(300, frozen("new"))],
  ["added", (list: Element[]) => list.toSpliced(300, 0, frozen("new"))],
  ["added in front", (list: Element[]) => [frozen("new"), ...list]],
  ["removed", (list: Element[]) => list.toSpliced(300, 1)],
  ["removed in front", (list: Element[]) => list.slice(1)],
])(
  "of a long list of frozen messages only the piece with one that was %s is written",
  (_, change) => {
    const { write, written } = counted();
    const writer = pieces(pieceWriter(write));
    const list = numbered(2_560);
    writer(list);
    expect(written()).toBe(2_560);
    writer(list.slice());
    expect(written()).toBe(0);
    writer(change(list));
    expect(written()).toBeLessThanOrEqual(257);
  },
);

test.each([
  ["the end", (list: Element[], text: string) => [...list, frozen(text)]],
  ["the front", (list: Element[], text: string) => [frozen(text), ...list]],
  ["the middle", (list: Element[], text: string) => list.toSpliced(700, 0, frozen(text))],
])("pieces stay long when messages are added one by one at %s", (_, add) => {
  const write = (value: unknown) => (value as Element).text;
  const writer = pieceWriter(write);
  let list = numbered(1_000);
  for (let added = 0; added < 1_000; added += 1) {
    pieces(writer)(list);
    list = add(list, `${added}`);
  }
  const work = writer(list);
  let step = work.next();
  while (!step.done) step = work.next();
  // All pieces except the last have 128 messages or more. The brackets are two pieces.
  expect(step.value.length).toBeLessThanOrEqual(2_000 / 128 + 3);
});

test("messages that are not frozen are written each time, because they can change", () => {
  const { write, written } = counted();
  const writer = pieces(pieceWriter(write));
  const list: Element[] = numbered(600);
  const own = { text: '"before"' };
  list[599] = own;
  writer(list);
  written();
  own.text = '"after"';
  expect(writer(list)).toContain('"after"');
  expect(written()).toBeLessThanOrEqual(256);
});

test("pieces of a frozen list are written each time, because there can be any number of such lists", () => {
  const { write, written } = counted();
  const writer = pieces(pieceWriter(write));
  const list = Object.freeze(numbered(600));
  writer(list);
  expect(written()).toBe(600);
  writer(list);
  expect(written()).toBe(600);
});
