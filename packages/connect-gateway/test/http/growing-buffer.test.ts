import fc from "fast-check";
import { expect, test } from "vitest";
import { GrowingBuffer } from "../../src/http/exchange/growing-buffer.ts";

/** A chunk as HTTP/2 delivers it: a view of a larger buffer. */
function viewOfRead(bytes: Uint8Array): Uint8Array {
  const read = new Uint8Array(64 * 1024);
  read.set(bytes, 100);
  return read.subarray(100, 100 + bytes.length);
}

test("has the bytes of all chunks, and takes at most twice their size plus 1 KiB", () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 3_000 }), { maxLength: 50 });
  fc.assert(
    fc.property(pieces, fc.boolean(), (all, areViews) => {
      const buffer = new GrowingBuffer();
      for (const [index, piece] of all.entries()) {
        buffer.append(areViews ? viewOfRead(piece) : piece);
        const expected = Buffer.concat(all.slice(0, index + 1));
        expect(Buffer.compare(buffer.bytes, expected)).toBe(0);
        expect(buffer.bytes.buffer.byteLength).toBeLessThanOrEqual(2 * expected.length + 1024);
      }
    }),
  );
});

test("does not write into an appended chunk", () => {
  const piece = Uint8Array.of(1, 2, 3);
  const buffer = new GrowingBuffer();
  buffer.append(piece.subarray(0, 2));
  buffer.append(Uint8Array.of(9));
  expect([...buffer.bytes]).toEqual([1, 2, 9]);
  expect([...piece]).toEqual([1, 2, 3]);
});

test("does not copy a single chunk that has a separate buffer", () => {
  const piece = new Uint8Array(5_000);
  const buffer = new GrowingBuffer();
  buffer.append(piece);
  expect(buffer.bytes.buffer).toBe(piece.buffer);
});

test("counts the memory of long buffers until they are taken", () => {
  let held = 0;
  const buffer = new GrowingBuffer({
    hold(bytes) {
      held += bytes;
    },
    pass() {},
  });
  buffer.append(new Uint8Array(1_000));
  expect(held).toBe(0);
  for (let n = 0; n < 20; n++) buffer.append(viewOfRead(new Uint8Array(1_000)));
  expect(held).toBeGreaterThanOrEqual(21_000);
  expect(held).toBe(buffer.bytes.buffer.byteLength);
  buffer.take();
  expect(held).toBe(0);
  buffer.append(new Uint8Array(5_000));
  expect(held).toBe(5_000);
});
