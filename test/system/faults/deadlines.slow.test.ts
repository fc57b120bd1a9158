import { Code } from "@connectrpc/connect";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { addAccount } from "../../support/accounts.ts";
import { useRedis } from "../../support/stores.ts";
import { useRedisProxy } from "./redis-proxy.ts";
import { useStores } from "./stores.ts";

const redis = useRedis("--appendonly", "no");
const proxy = useRedisProxy();
beforeAll(() => {
  proxy.target = redis.server.port;
});
const base = useStores(redis, () => proxy.url);
const stores = () => base.stores;

const accountId = "aaaaaaaaaaaa";
const item = { petId: 1n, quantity: 1, status: PetStatus.SOLD };
const tooLate = { code: Code.DeadlineExceeded };

beforeEach(async () => {
  proxy.delayMs = 0;
  await redis.client.flushall();
  await stores().catalog.put([item, { ...item, petId: 2n }]);
  await addAccount(stores(), { plan: "business" }, accountId);
});

async function quantities(): Promise<number[]> {
  const { items } = await stores().inventory.page(undefined, 10);
  return items.map(({ quantity }) => quantity);
}

describe("a change whose deadline passes before it is sent to Redis is not made", () => {
  test("if the deadline passes in the same event-loop tick; other changes of the tick are made", async () => {
    const { inventory } = stores();
    const deadline = performance.now() + 5;
    const late = inventory.change({ petId: 1n, quantity: 7 }, {}, { deadline });
    const later = { deadline: deadline + 10_000 };
    const inTime = inventory.change({ petId: 2n, quantity: 8 }, {}, later);
    const unlimited = inventory.change({ petId: 2n, quantity: 20 });
    const limited = inventory.change({ petId: 1n, quantity: 9 }, {}, later);
    const results = Promise.allSettled([late, inTime, unlimited, limited]);
    while (performance.now() < deadline); // blocks the event loop
    expect(await results).toEqual([
      { status: "rejected", reason: expect.objectContaining(tooLate) },
      { status: "fulfilled", value: expect.objectContaining({ kind: "changed" }) },
      { status: "fulfilled", value: expect.objectContaining({ kind: "changed" }) },
      { status: "fulfilled", value: expect.objectContaining({ kind: "changed" }) },
    ]);
    expect(await quantities()).toEqual([9, 20]);
  });

  test("if it passes while Redis reports an unknown script; changes with time left are made", async () => {
    const { inventory } = stores();
    await redis.client.script("FLUSH");
    proxy.delayMs = 60;
    const [soon, later] = [30, 10_000].map((ms) => ({ deadline: performance.now() + ms }));
    const late = inventory.change({ petId: 1n, quantity: 7 }, {}, soon);
    const inTime = inventory.change({ petId: 2n, quantity: 8 }, {}, later);
    const results = await Promise.allSettled([late, inTime]);
    proxy.delayMs = 0;
    expect(results).toEqual([
      { status: "rejected", reason: expect.objectContaining(tooLate) },
      { status: "fulfilled", value: expect.objectContaining({ kind: "changed" }) },
    ]);
    expect(await quantities()).toEqual([1, 8]);
  });
});
