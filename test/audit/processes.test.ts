import { expect, test } from "vitest";
import { outcomeOf, startThere } from "../cli/command-line.ts";
import { readyStores, useRedis } from "../support/stores.ts";

const redis = useRedis();

test("processes that append at the same time make one trail without gaps", async () => {
  const stores = await Promise.all(Array.from({ length: 4 }, () => readyStores(redis.url)));
  const commands = [1, 2].map((pet) =>
    startThere(["items create", String(pet), "--quantity", "1", "--status", "sold"], redis.url),
  );
  let isOver = false;
  const appending = stores.map(async ({ audit }, process) => {
    for (let count = 0; ; count += 5) {
      if (isOver && count >= 100) return count;
      await Promise.all(
        Array.from({ length: 5 }, (_, at) => audit.append(`{"by":"${process} ${count + at}"}`)),
      );
    }
  });
  for (const command of commands) expect((await outcomeOf(command)).code).toBe(0);
  isOver = true;
  const counts = await Promise.all(appending);
  const total = counts.reduce((sum, count) => sum + count, 4);

  const [reader] = stores;
  const numbers: number[] = [];
  const bodies = new Set<string>();
  for (;;) {
    const page = await reader?.audit.read(numbers.length + 1, 100);
    if (!page || page.entries.length === 0) break;
    for (const { sequence, body } of page.entries) {
      numbers.push(sequence);
      bodies.add(body);
    }
  }
  expect(numbers).toEqual(Array.from({ length: total }, (_, at) => at + 1));
  expect(bodies.size).toBe(total);
});
