import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { itemsFrom } from "../support/stock.ts";
import { nth, origin, upTo, useFollow } from "./follow.ts";

const { inventory, change, follow, once, files, written, start, reached } = useFollow();

describe("history follow in a child process", () => {
  test.each(["SIGTERM", "SIGINT"] as const)(
    "writes new changes until %s: exit code 0",
    async (signal) => {
      await change(2);
      const child = start();
      await reached(nth(2));
      await change(1);
      await reached(nth(3));
      await change(120);
      await reached(nth(123));
      const { code } = await child.end(signal);
      expect([code, child.stderr]).toEqual([0, ""]);
      expect(child.stdout).toContain(`wrote 123 changes, up to version ${nth(123)}`);
      expect(await written()).toEqual(upTo(123));
    },
  );

  test("locks its directory until it is killed", async () => {
    await change(1);
    const first = start();
    await reached(nth(1));
    expect(await follow("--once")).toMatchObject({
      code: 6,
      stderr: expect.stringContaining("another process writes"),
    });
    await first.end();
    expect(await once()).toMatchObject({ written: 0 });
  });

  test("loses and repeats nothing if it is killed six times while it writes", async () => {
    let isOver = false;
    const changing = (async () => {
      for (let made = 0; !isOver; made += 50) {
        const items = itemsFrom(1n, 50, made);
        await inventory().put(items, origin);
        await delay(20);
      }
    })();
    let last = nth(1);
    for (let round = 0; round < 6; round++) {
      const child = start("--max-size", "100K");
      await reached(last);
      // Kills it while it writes, nearly always in the middle of a line.
      await delay(Math.random() * 60);
      await child.end();
      last = Number((await inventory().page(undefined, 1)).version);
    }
    isOver = true;
    await changing;
    await once("--max-size", "100K");
    const { version } = await inventory().page(undefined, 1);
    expect(await written()).toEqual(upTo(Number(version) - nth(1) + 1));
    expect((await files()).length).toBeGreaterThan(1);
  }, 60_000);
});
