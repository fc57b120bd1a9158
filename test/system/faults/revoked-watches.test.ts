import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { expect, test } from "vitest";
import { AdminService } from "../../../gen/admin/v1/admin_pb.ts";
import { InventoryService } from "../../../gen/inventory/v1/inventory_pb.ts";
import { defaultScopes } from "../../../src/access/scopes.ts";
import { reasonOf } from "../../../src/contract/errors.ts";
import { addAccount, addKey, withKey } from "../../support/accounts.ts";
import { useRedis } from "../../support/stores.ts";
import { startWatch, versionsOf, watchProtocols } from "../../support/watch.ts";
import { useServers } from "../harness/server-process.ts";
import { useStores } from "./stores.ts";

const servers = useServers();
const redis = useRedis();
const operator = useStores(redis, undefined, [...defaultScopes, "admin"]);

test("a key revoked in one process sees no later change in another", async () => {
  const { stores } = operator;
  const account = await addAccount(stores, { plan: "business" });
  const settings = { REDIS_URL: redis.url, WATCH_HEARTBEAT_MS: "300000" };
  const [watching, changing] = await Promise.all([
    servers.start(settings),
    servers.start(settings),
  ]);
  const transport = createGrpcTransport({
    baseUrl: changing.url,
    interceptors: [withKey(operator.key)],
  });
  const admin = createClient(AdminService, transport);
  const inventory = createClient(InventoryService, transport);
  const set = async (quantity: number) =>
    (await inventory.updateInventory({ petId: 1n, update: { quantity } })).version;

  const open = async (at: number, secret: string) => {
    const protocol = watchProtocols[at % watchProtocols.length] as (typeof watchProtocols)[number];
    const watch = startWatch(protocol, { url: watching.url, secret });
    await watch.reached(1n);
    return watch;
  };
  const others = await open(0, operator.key);
  const keys = await Promise.all(Array.from({ length: 12 }, () => addKey(stores, account)));
  const watches = await Promise.all(keys.map(({ secret }, at) => open(at, secret)));
  const made: bigint[] = [];
  for (const [at, { keyId }] of keys.entries()) {
    await admin.revokeKey({ keyId });
    made.push(await set(at + 1));
  }
  await others.reached(made.at(-1) ?? 0n);
  expect(versionsOf(others.received)).toEqual(made);
  for (const [at, watch] of watches.entries()) {
    const failure = await watch.failure();
    expect([undefined, "KEY_REVOKED"]).toContain(reasonOf(failure));
    expect(failure.rawMessage).toContain("revoked");
    const since = made[at] ?? 0n;
    expect(versionsOf(watch.received).filter((version) => version >= since)).toEqual([]);
  }
}, 60_000);
