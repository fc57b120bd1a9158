import { afterEach, expect, test } from "vitest";
import { readRedisConfig } from "../../../src/config/config.ts";
import { aclLine } from "../../../src/stores/redis/acl.ts";
import type { Stores } from "../../../src/stores/stores.ts";
import { addAccount } from "../../support/accounts.ts";
import { openRedisStores } from "../../support/redis-stores.ts";
import { until } from "../harness/until.ts";
import { useCluster, useSentinels } from "./redis-groups.ts";

const sentinels = useSentinels({ replicas: 1 });
const cluster = useCluster({ replicas: 0 });
const opened: Stores[] = [];
afterEach(() => Promise.all(opened.splice(0).map((stores) => stores.close())));

/** Gives the user the rules of `inventory redis-acl` on one server, and then more rules. */
async function setUser(
  { client }: { client: { call(...args: [string, ...string[]]): Promise<unknown> } },
  ...more: readonly string[]
): Promise<void> {
  const [, ...rules] = aclLine("service", "secret").split(" ");
  await client.call("ACL", "SETUSER", ...rules, ...more);
}

/** Opens stores as that user. @returns them, and the reasons of all failures so far */
function open(environment: Readonly<Record<string, string>>) {
  const settings = readRedisConfig(environment);
  if (!settings) throw new Error("the settings have no Redis");
  const failures = new Set<string>();
  const stores = openRedisStores(
    { ...settings, username: "service", password: "secret" },
    { onFailure: (error) => failures.add(String(error)) },
  );
  opened.push(stores);
  return { stores, failures };
}

const isReady = (stores: Stores) =>
  stores.ping().then(
    () => true,
    () => false,
  );

test("the stores are not ready while the promoted server lacks a command", async () => {
  const { group } = sentinels;
  const before = await group.primary();
  const other = group.nodes.find((node) => node !== before);
  if (!other) throw new Error("there is no replica");
  await setUser(before);
  await setUser(other, "-zadd");
  const { stores, failures } = open(group.environment);
  await stores.ready(5_000);
  expect(await isReady(stores)).toBe(true);

  await group.demotePrimary();
  await group.failedOver(before);
  await until("the reason is known", () => [...failures].some((each) => each.includes("+zadd")));
  expect(await isReady(stores)).toBe(false);
  await expect(addAccount(stores)).rejects.toThrow("not available");
  expect(await other.client.keys("inv:{a*")).toEqual([]);

  await setUser(other);
  await until("the stores are ready", () => isReady(stores), 20_000);
  await addAccount(stores);
}, 120_000);

test("the stores are not ready while any node of the cluster lacks a command", async () => {
  const nodes = await cluster.cluster.primaries();
  for (const node of nodes) await setUser(node);
  const { stores, failures } = open(cluster.cluster.environment);
  await stores.ready(10_000);
  for (const node of nodes) {
    failures.clear();
    await setUser(node, "-hset");
    await until("the stores are not ready", async () => !(await isReady(stores)));
    expect([...failures].join()).toContain("NOPERM the user lacks +hset");
    await expect(open(cluster.cluster.environment).stores.ready(1_000)).rejects.toThrow();
    await setUser(node);
    await until("the stores are ready", () => isReady(stores));
  }
}, 120_000);
