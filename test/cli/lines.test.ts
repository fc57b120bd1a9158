import fc from "fast-check";
import { expect, test } from "vitest";
import { maxLineBytes, readLines } from "../../src/cli/items/import/lines.ts";

async function linesOf(chunks: readonly Buffer[]): Promise<[number, string | undefined][]> {
  async function* source() {
    yield* chunks;
  }
  const lines: [number, string | undefined][] = [];
  for await (const { number, bytes } of readLines(source())) {
    lines.push([number, bytes?.toString()]);
  }
  return lines;
}

test("any division into chunks gives the same lines", async () => {
  const content = Buffer.from("\ufefföne\r\n\n\r\ntwo\rthree\nfour");
  const expected = [
    [1, "öne"],
    [4, "two\rthree"],
    [5, "four"],
  ];
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.nat(content.length)), async (cuts) => {
      const places = [0, ...cuts.sort((a, b) => a - b), content.length];
      const chunks = places.slice(1).map((end, index) => content.subarray(places[index], end));
      expect(await linesOf(chunks)).toEqual(expected);
    }),
  );
});

test("a line of more than maxLineBytes has no bytes", async () => {
  const most = "x".repeat(maxLineBytes);
  expect(
    await linesOf([Buffer.from(`${most}\r\n${most}x\n${most}`), Buffer.from(`${most}\ny`)]),
  ).toEqual([
    [1, most],
    [2, undefined],
    [3, undefined],
    [4, "y"],
  ]);
});

test("an empty file has no lines", async () => {
  expect(await linesOf([])).toEqual([]);
  expect(await linesOf([Buffer.from("\ufeff")])).toEqual([]);
});
