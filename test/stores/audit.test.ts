import { describe, expect, test } from "vitest";
import { someTime, storeKinds } from "../support/stores.ts";

describe.each(storeKinds)("audit trail in $name", ({ use }) => {
  const under = use();

  const append = (...bodies: string[]) =>
    bodies.reduce<Promise<unknown>>(
      (before, body) => before.then(() => under.stores.audit.append(body)),
      Promise.resolve(),
    );

  test("never goes back in time", async () => {
    await append("{}");
    under.clock.now -= 60_000;
    await append("{}");
    const { entries } = await under.stores.audit.read(1, 2);
    expect(entries.map(({ time }) => time)).toEqual([someTime, someTime]);
  });
});

describe.each(storeKinds)("an audit trail of three entries at most in $name", ({ use }) => {
  const under = use(3);

  test("removes the oldest entries", async () => {
    const { audit } = under.stores;
    for (let at = 1; at <= 3; at += 1) await audit.append(`{"at":${at}}`);
    const { entries: before } = await audit.read(1, 3);
    for (let at = 4; at <= 5; at += 1) await audit.append(`{"at":${at}}`);
    const { entries, ends } = await audit.read(1, 10);
    expect(entries.map(({ sequence }) => sequence)).toEqual([3, 4, 5]);
    expect(entries[0]).toEqual(before[2]);
    expect(ends).toEqual({ oldest: 3, newest: 5 });
    expect((await audit.read(undefined, 2)).entries).toEqual(entries.slice(1));
  });
});
