import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { placeLeaseKey } from "../../src/stores/redis/keys.ts";
import { itemsFrom } from "../support/stock.ts";
import { nth, numbersIn, origin, upTo, useFollow } from "./follow.ts";

const { redis, stores, change, once, start } = useFollow();

const follow = (...more: string[]) => start("history follow", "archive", ...more);

describe("history follow in a child process", () => {
  test.each(["SIGTERM", "SIGINT"] as const)(
    "prints new changes until %s: exit code 0",
    async (signal) => {
      await change(2);
      const child = follow("--from-beginning");
      const reached = (count: number) =>
        child.until(`${count} changes`, () => numbersIn(child.stdout).length >= count);
      await reached(2);
      await change(121);
      await reached(123);
      const { code } = await child.end(signal);
      expect(code).toBe(0);
      expect(numbersIn(child.stdout)).toEqual(upTo(123));
      expect(await once()).toBe("");
    },
  );

  test("another process under the name waits, says so once, and goes on when the first has ended", async () => {
    const first = follow();
    await first.until("it has begun", () => first.stderr.includes("it begins"));
    const second = follow();
    await second.until("it waits", () => second.stderr.includes("another process follows"));
    await change(3);
    await first.until("3 changes", () => numbersIn(first.stdout).length === 3);
    await first.end("SIGTERM");
    await change(2);
    await second.until("2 changes", () => numbersIn(second.stdout).length === 2);
    expect(numbersIn(second.stdout)).toEqual([4, 5]);
    expect(second.stderr).toBe("another process follows as archive: waiting until it ends\n");
  });

  test("loses nothing if it is killed six times while it prints", async () => {
    let isOver = false;
    const changing = (async () => {
      for (let made = 0; !isOver; made += 50) {
        await stores().catalog.put(itemsFrom(1n, 50, made), origin);
        await delay(20);
      }
    })();
    const printed: number[] = [];
    for (let round = 0; round < 6; round++) {
      const child = follow("--from-beginning");
      await child.until("it prints", () => numbersIn(child.stdout).length > 0, 20_000);
      await delay(Math.random() * 60);
      await child.end();
      printed.push(...numbersIn(child.stdout));
      // The next one would wait until the lease of the killed one has expired.
      await redis.client.del(placeLeaseKey("history:archive"));
    }
    isOver = true;
    await changing;
    printed.push(...numbersIn(await once()));
    const { version } = await stores().inventory.page(undefined, 1);
    const all = upTo(Number(version) - nth(1) + 1);
    // A killed process can repeat its last changes. Those that are new are in order.
    let last = 0;
    expect(printed.filter((each) => each > last && ++last === each)).toEqual(all);
  }, 60_000);
});
