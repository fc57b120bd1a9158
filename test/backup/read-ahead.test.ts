import { setImmediate as tick } from "node:timers/promises";
import { expect, test } from "vitest";
import { readAhead } from "../../src/backup/read-ahead.ts";

async function* pages(made: number[]): AsyncGenerator<number> {
  for (let page = 1; page <= 4; page += 1) {
    await tick();
    made.push(page);
    yield page;
  }
}

test("returns all pages in order, and makes one while the one before is used", async () => {
  const made: number[] = [];
  const seen: [number, number][] = [];
  for await (const page of readAhead(pages(made))) {
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
