import { array, assert, boolean, integer, property, record } from "fast-check";
import { describe, expect, test } from "vitest";
import { SharedPool } from "../../src/call/shared-pool.ts";

/** Takes places until there are none. @returns how many */
function takeAll(pool: SharedPool, owner: string | undefined): number {
  const holder = pool.holderOf(owner);
  let taken = 0;
  while (holder.enter()) taken += 1;
  return taken;
}

const newPool = (size: number, share?: number) =>
  new SharedPool({ name: "requests", size, ...(share !== undefined && { share }) });

describe("a shared pool", () => {
  test.each([
    [1, 1],
    [2, 2],
    [3, 2],
    [4, 3],
    [4_096, 2_049],
  ])("of %i places gives one owner at most %i", (size, most) => {
    expect(takeAll(newPool(size), "a")).toBe(most);
  });

  test("has a place for a newcomer, whatever the others have taken one after the other", () => {
    const pool = newPool(4_096);
    const taken = Array.from({ length: 11 }, (_, n) => takeAll(pool, `greedy ${n}`));
    expect(taken[0]).toBeLessThanOrEqual(2_049);
    expect(pool.holderOf("newcomer").enter()).toBe(true);
  });

  test("gives owners that take places in turn about the same number, and keeps as many free", () => {
    const pool = newPool(1_000);
    const owners = Array.from({ length: 9 }, (_, n) => pool.holderOf(`owner ${n}`));
    for (let turn = 0; turn < 1_000; turn++) for (const owner of owners) owner.enter();
    for (const { count } of owners) expect(Math.abs(count - 100)).toBeLessThanOrEqual(1);
    expect(pool.size - pool.held).toBeGreaterThanOrEqual(99);
  });

  test("gives an owner no more than the fixed share", () => {
    expect(takeAll(newPool(1_000, 10), "a")).toBe(10);
  });

  test("gives an owner without a share all free places, and counts them", () => {
    const pool = newPool(10);
    expect(takeAll(pool, "a")).toBe(6);
    expect(takeAll(pool, undefined)).toBe(4);
    expect(pool.holderOf("b").enter()).toBe(false);
    expect(pool.held).toBe(10);
  });

  test("counts objects as owners", () => {
    const pool = newPool(100, 1);
    const owner = {};
    expect(pool.holderOf(owner).enter()).toBe(true);
    expect(pool.holderOf(owner).enter()).toBe(false);
    expect(pool.holderOf({}).enter()).toBe(true);
  });

  test("counts the places of an owner exactly while ever more owners come and go", () => {
    const pool = newPool(1_000_000);
    const lasting = pool.holderOf("lasting");
    lasting.enter();
    for (let n = 0; n < 5_000; n++) {
      const holder = pool.holderOf(`owner ${n}`);
      holder.enter();
      holder.leave();
    }
    expect(pool.holderOf("lasting")).toBe(lasting);
    expect([pool.held, pool.owners]).toEqual([1, 1]);
  });

  test("never has more places than its size, and always one for an owner that has none", () => {
    const step = record({ owner: integer({ min: 0, max: 6 }), isLeaving: boolean() });
    assert(
      property(
        integer({ min: 1, max: 60 }),
        integer({ min: 1, max: 60 }),
        array(step, { maxLength: 300 }),
        (size, share, steps) => {
          const pool = newPool(size, share);
          const counts = new Map<string, number>();
          for (const { owner, isLeaving } of steps) {
            const name = `owner ${owner}`;
            const count = counts.get(name) ?? 0;
            const holder = pool.holderOf(name);
            const free = size - [...counts.values()].reduce((sum, each) => sum + each, 0);
            if (isLeaving) {
              if (count === 0) continue;
              holder.leave();
              counts.set(name, count - 1);
            } else {
              const isEntered = holder.enter();
              if (isEntered) counts.set(name, count + 1);
              if (count === 0) expect(isEntered).toBe(free > 0);
              if (isEntered) expect(count).toBeLessThan(Math.min(share, free + 1));
            }
            expect(holder.count).toBe(counts.get(name) ?? 0);
          }
          const held = [...counts.values()].reduce((sum, each) => sum + each, 0);
          const owners = [...counts.values()].filter((each) => each > 0).length;
          expect([pool.held, pool.owners]).toEqual([held, owners]);
          expect(held).toBeLessThanOrEqual(size);
        },
      ),
    );
  });
});
