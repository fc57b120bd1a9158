import { setImmediate as tick } from "node:timers/promises";
import { expect, test } from "vitest";
import { readAhead } from "../../src/backup/read-ahead.ts";

async function* pagesUntil(failing: number, made: number[]): AsyncGenerator<number> {
  for (let page = 1; page <= 4; page += 1) {
    await tick();
    if (page === failing) throw new Error(`page ${page}`);
    made.push(page);
    yield page;
  }
}

test("returns all pages in order, and makes one while the one before is used", async () => {
  const made: number[] = [];
  const seen: [number, number][] = [];
  for await (const page of readAhead(pagesUntil(9, made))) {
    await tick();
    await tick();
    seen.push([page, made.length]);
  }
  expect(seen).toEqual([
    [1, 2],
    [2, 3],
    [3, 4],
    [4, 4],
  ]);
});

test("throws an error where the page would be", async () => {
  const seen: number[] = [];
  const reading = (async () => {
    for await (const page of readAhead(pagesUntil(3, []))) seen.push(page);
  })();
  await expect(reading).rejects.toThrow("page 3");
  expect(seen).toEqual([1, 2]);
});

test("a reader that stops is not disturbed by a later error", async () => {
  const seen: number[] = [];
  for await (const page of readAhead(pagesUntil(2, []))) {
    seen.push(page);
    await tick();
    break;
  }
  await tick();
  expect(seen).toEqual([1]);
});
