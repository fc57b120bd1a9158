import { setImmediate as nextTick } from "node:timers/promises";
import { expect, test } from "vitest";
import { createRefusalTurns } from "../../src/server/load/overload.ts";

/** Asks for refusals of a client. @returns the names of those that were sent */
function refusing() {
  const refuse = createRefusalTurns();
  const sent: string[] = [];
  const ask = (client: string, count: number) => {
    for (let n = 0; n < count; n++) refuse(client, () => sent.push(client));
  };
  return { sent, ask };
}

test("a tick sends few refusals, and later ticks send all others", async () => {
  const { sent, ask } = refusing();
  ask("flood", 1_000);
  expect(sent.length).toBeGreaterThan(0);
  expect(sent.length).toBeLessThanOrEqual(17);
  let ticks = 0;
  for (; sent.length < 1_000; ticks++) {
    const before = sent.length;
    await nextTick();
    expect(sent.length - before).toBeLessThanOrEqual(34);
  }
  expect(ticks).toBeGreaterThan(20);
});

test("a client with one refusal does not wait for all refusals of another one", async () => {
  const { sent, ask } = refusing();
  ask("flood", 1_000);
  ask("other", 1);
  for (let ticks = 0; ticks < 10 && !sent.includes("other"); ticks++) await nextTick();
  expect(sent).toContain("other");
  expect(sent.length).toBeLessThan(500);
});

test("refusals beyond a bound do not wait, so that waiting requests take bounded memory", () => {
  const { sent, ask } = refusing();
  ask("flood", 4_096);
  const soon = sent.length;
  ask("flood", 1_000);
  expect(sent.length).toBe(1_000);
  expect(soon).toBeLessThanOrEqual(17);
});
