import { hash } from "node:crypto";
import { expect, test } from "vitest";
import { scriptSources } from "../../../src/stores/redis/scripts.ts";
import { readyStores, useRedis } from "../../support/stores.ts";
import { changes } from "./changes.ts";

const redis = useRedis("--appendonly", "no");

/** Scripts of the commands verify and restore. */
const ofCommands = /^(?:check_|count_keys$|list_account$)|restore/;

/** Other scripts that no change of the test runs, and why. */
const apart = {
  trim_history: "removes old changes",
  remove_orders: "removes old orders",
  end_due_of_pet: "ends holds of which one pet has very many",
};

test("the changes of the test of permissions run every script that writes", async () => {
  const stores = await readyStores(redis.url);
  const run = new Set<string>();
  const scripts = [...scriptSources()].filter(
    ([name, lua]) => !lua.includes("flags=no-writes") && !ofCommands.test(name),
  );
  for (const { fill, make } of changes) {
    const filled = await fill(redis.client, stores);
    await redis.client.script("FLUSH");
    await make(stores, filled);
    const known = (await redis.client.script(
      "EXISTS",
      ...scripts.map(([, lua]) => hash("sha1", lua)),
    )) as number[];
    scripts.filter((_, at) => known[at] === 1).forEach(([name]) => void run.add(name));
  }
  await stores.close();
  expect(
    scripts.map(([name]) => name).filter((name) => !run.has(name)),
    "add changes that run these to test/system/faults/changes.ts",
  ).toEqual(Object.keys(apart));
});
