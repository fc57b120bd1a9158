import { expect, test } from "vitest";
import { HoldState } from "../../../gen/store/v1/store_pb.ts";
import { itemsFrom } from "../../support/stock.ts";
import { readyStores, useRedis } from "../../support/stores.ts";

const redis = useRedis();
const accountId = "aaaaaaaaaaaa";

test("after every count, what was counted is on hand, while two processes hold, release, confirm and expire", async () => {
  const both = [await readyStores(redis.url), await readyStores(redis.url)] as const;
  const [first, second] = both;
  await first.catalog.put(itemsFrom(1n, 2, 500));
  let at = 0;
  const put = (petId: bigint, ttlMs: number, holdId = `cart-${at++}`) =>
    both[at % 2 === 0 ? 0 : 1].holds.put(accountId, holdId, {
      items: [{ petId, quantity: 1 + (at % 7) }],
      ttlMs,
    });
  let counted = 0;
  for (let round = 0; round < 40; round += 1) {
    const names = Array.from({ length: 6 }, (_, number) => `round-${round}-${number}`);
    for (const name of names) await put(1n + BigInt(names.indexOf(name) % 2), 60_000, name);
    await Promise.all([put(1n, 1), put(2n, 1)]);
    const units = 400 + round;
    // All of these reach Redis at once, by two connections. Pet 1 has no confirmed holds: nothing leaves its shelf.
    const [, , count, ...confirmed] = await Promise.all([
      put(1n, 60_000, names[0]),
      second.holds.release(accountId, names[2] ?? ""),
      both[round % 2 === 0 ? 0 : 1].inventory.count([
        { petId: 1n, counted: units },
        { petId: 2n, counted: units },
      ]),
      first.holds.confirm(accountId, names[1] ?? ""),
      second.holds.confirm(accountId, names[3] ?? ""),
      put(1n, 1),
      put(2n, 1),
      first.holds.sweep("a process"),
      second.holds.sweep("another process"),
    ]);
    expect(count.kind).toBe("changed");
    counted += 1;
    const { levels } = await second.inventory.levels({ petIds: [1n, 2n], limit: 2 });
    const [one = 0, two = 0] = levels.map(({ quantity, held }) => quantity + held);
    expect(one).toBe(units);
    // What was confirmed after the count has left the shelf.
    const left = [0, ...confirmed.flatMap((each) => unitsOf(each))];
    const sums = new Set(left.flatMap((a, i) => [a, ...left.slice(i + 1).map((b) => a + b)]));
    expect([...sums].map((sum) => units - sum)).toContain(two);
    for (const name of names) await first.holds.release(accountId, name);
  }
  expect(counted).toBe(40);
  // Everything ends: what is on hand is for sale.
  await expect
    .poll(
      async () => {
        await first.holds.sweep("a process");
        return (await first.holds.totals()).active;
      },
      { timeout: 10_000 },
    )
    .toBe(0);
  const { levels } = await first.inventory.levels({ petIds: [1n], limit: 1 });
  expect(levels).toEqual([{ petId: 1n, quantity: 439, held: 0 }]);
});

/** Returns the units of a hold that was confirmed; nothing for other outcomes. */
function unitsOf(outcome: unknown): number[] {
  const { hold } = outcome as {
    readonly hold?: {
      readonly state: HoldState;
      readonly items: readonly { readonly quantity: number }[];
    };
  };
  return hold?.state === HoldState.CONFIRMED ? hold.items.map(({ quantity }) => quantity) : [];
}
