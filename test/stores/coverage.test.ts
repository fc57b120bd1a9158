import { readFileSync } from "node:fs";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { createMemoryStores } from "../../src/stores/memory/stores.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { addAccount } from "../support/accounts.ts";
import { largestRequests } from "../support/largest-requests.ts";
import { callsOn } from "../support/services.ts";
import { methodNamesOf, storesIn } from "../support/store-methods.ts";
import {
  accountIds,
  accountOperation,
  historyClock,
  holdOperation,
  quotaOperation,
  stockOperation,
} from "./operations.ts";

/** The methods of all stores, such as `inventory.get`. */
const methods = storesIn(createMemoryStores()).flatMap(([name, store]) =>
  methodNamesOf(store).map((method) => `${name}.${method}`),
);

/** Returns stores that note which of their methods are called. */
function noting(stores: Stores, called: Set<string>): Stores {
  const noted = storesIn(stores).map(([name, store]) => {
    const get = (target: object, method: string) => {
      called.add(`${name}.${method}`);
      const value: unknown = Reflect.get(target, method);
      return value instanceof Function ? value.bind(target) : value;
    };
    return [name, new Proxy(store, { get: get as ProxyHandler<object>["get"] })];
  });
  return { ...stores, ...Object.fromEntries(noted) };
}

/** Methods that the comparison leaves out, and why. */
const notCompared = {
  "accounts.createAccount": "each history begins with it",
  "accounts.remove": "it needs an account without orders and holds",
  "accounts.unlist": "the store in memory has no index",
  "admission.keyStates": "the store in memory reads the keys themselves",
  "audit.append": "the trails are alike: test/stores/audit.test.ts",
  "audit.read": "as append",
  "inventory.prefetchList": "it returns nothing",
  "orders.removeEnded": "Redis removes a part of the orders at a time",
  "orders.mayBeRemoved": "as removeEnded",
  "places.hold": "the places are alike: test/stores/places.test.ts",
  "places.release": "as hold",
};

test("the comparison of both stores has an operation for every method", async () => {
  const called = new Set<string>();
  const stores = noting(
    createMemoryStores(() => historyClock.now),
    called,
  );
  for (const accountId of accountIds) await addAccount(stores, undefined, accountId);
  called.clear();
  const operation = fc.oneof(accountOperation, quotaOperation, stockOperation, holdOperation);
  for (const each of fc.sample(operation, { numRuns: 2_000, seed: 1 })) await each(stores);
  expect(
    methods.filter((name) => !called.has(name)),
    "add these to test/stores/operations.ts",
  ).toEqual(Object.keys(notCompared));
});

describe("the most expensive requests", () => {
  const accountId = accountIds[0];
  const called = new Set<string>();
  const stores = createMemoryStores();
  const stock = Array.from({ length: 10_000 }, (_, at) => BigInt(at + 1_000_000));
  const pets = (count: number, from: number) => stock.slice(from, from + count);
  const call = callsOn(noting(stores, called), accountId);

  beforeAll(async () => {
    const status = PetStatus.AVAILABLE;
    await stores.catalog.put(stock.map((petId) => ({ petId, quantity: 1_000, status })));
    await addAccount(stores, undefined, accountId);
  });

  test.each(largestRequests({ stores, accountId, pets }))("$title", async ({ method, make }) => {
    if (typeof make === "string") return expect(make).not.toBe("");
    // A second one shows that it can be sent many times.
    for (const request of [await make(), await make()]) {
      await expect(call(method, request)).resolves.toBeDefined();
    }
  });

  test("call every method, or its time in Redis is measured apart", () => {
    const file = "test/system/faults/redis-slow-commands.outage.test.ts";
    const source = readFileSync(file, "utf8");
    const unmeasured = methods.filter((name) => !called.has(name) && !source.includes(`${name}(`));
    expect(
      unmeasured,
      `add a largest request that calls these to packaging/generate/samples, or add these to ${file}`,
    ).toEqual([]);
  });
});
