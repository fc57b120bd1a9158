import { expect, test } from "vitest";
import { sessionOn } from "../../src/cli/session/session.ts";
import { createMemoryStores } from "../../src/stores/memory/stores.ts";
import { openRedisStores } from "../support/redis-stores.ts";

test("a call of an operator reads only the stores that it uses", async () => {
  const read = new Set<string>();
  const stores = new Proxy(createMemoryStores(Date.now), {
    get(target, name, receiver) {
      read.add(String(name));
      return Reflect.get(target, name, receiver);
    },
  });
  const { admin } = sessionOn(stores, { user: "a", host: "b" });
  expect([...read]).toEqual([]);
  await admin.importItems({ items: [{ petId: 1n, quantity: 2, status: 1 }] });
  expect([...read].sort()).toEqual(["audit", "inventory"]);
});

test("a store in Redis is the same each time that it is read", async () => {
  const stores = openRedisStores("redis://127.0.0.1:1");
  expect(stores.inventory).toBe(stores.inventory);
  expect(stores.usage).toBe(stores.usage);
  await stores.close();
});
