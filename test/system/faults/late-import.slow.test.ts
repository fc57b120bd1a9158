import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { runHere } from "../../cli/command-line.ts";
import { addAccount } from "../../support/accounts.ts";
import { useRedis } from "../../support/stores.ts";
import { useServers } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";
import { useRedisProxy } from "./redis-proxy.ts";
import { useStores } from "./stores.ts";

const redis = useRedis("--appendonly", "no");
const proxy = useRedisProxy();
const servers = useServers();
const petId = 424_242n;
const accountId = "aaaaaaaaaaaa";
const path = join(tmpdir(), `inventory-late-import-${process.pid}.csv`);
// With a direct connection, which does not go through the proxy.
const own = useStores(redis, undefined, ["admin"]);
let server = "";

beforeAll(async () => {
  proxy.target = redis.server.port;
  // Makes Redis load the scripts: an unknown script would not be sent again after a late reply.
  await own.stores.catalog.put([{ petId, quantity: 1, status: PetStatus.SOLD }]);
  await addAccount(own.stores, undefined, accountId);
  server = (await servers.start({ REDIS_URL: proxy.url })).url;
  await writeFile(path, `petId,quantity,status\n${petId},50,available\n${petId + 1n},1,sold\n`);
});

afterAll(() => rm(path));

beforeEach(async () => {
  proxy.delayMs = 0;
  proxy.repliesLeft = Number.POSITIVE_INFINITY;
  await own.stores.catalog.remove(petId);
  await own.stores.catalog.remove(petId + 1n);
});

const commands = [
  ["to Redis", () => runHere(["items import", path, "--output=json"], { redisUrl: proxy.url })],
  [
    "through a server",
    () => runHere(["items import", path, "--output=json", "--server", server], { apiKey: own.key }),
  ],
] as const;

const faults = [
  ["late", () => (proxy.delayMs = 400)],
  ["lost", () => (proxy.repliesLeft = 0)],
] as const;

for (const [where, importing] of commands) {
  for (const [what, disturb] of faults) {
    test(`items import ${where} with a ${what} reply: concurrent changes are kept`, async () => {
      let isDisturbed = false;
      proxy.onRequest = (data) => {
        if (isDisturbed || !data.includes(String(petId))) return;
        isDisturbed = true;
        disturb();
      };
      const { inventory, orders } = own.stores;
      const outcome = importing();
      await until("the import is applied", async () => (await inventory.get(petId)) !== undefined);
      expect(await inventory.change({ petId, delta: -5 })).toMatchObject({ kind: "changed" });
      expect(await orders.place(accountId, { petId, quantity: 2 })).toMatchObject({
        kind: "placed",
      });
      proxy.delayMs = 0;
      proxy.repliesLeft = Number.POSITIVE_INFINITY;
      expect(await outcome).toEqual({
        code: 0,
        stdout: '{"created":2,"updated":0,"skipped":0}\n',
        stderr: "",
      });
      expect(await inventory.get(petId)).toMatchObject({ quantity: 43 });
      expect(isDisturbed).toBe(true);
    });
  }
}
