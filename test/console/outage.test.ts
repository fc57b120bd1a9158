import { fromBinary } from "@bufbuild/protobuf";
import type { Request } from "playwright-core";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { PetStatus, WatchInventoryRequestSchema } from "../../gen/inventory/v1/inventory_pb.ts";
import { createRedisStores } from "../../src/stores/redis/stores.ts";
import { useServers } from "../faults/server-process.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { type RedisServer, startRedisServer } from "../support/redis-server.ts";
import { useBrowser } from "./support/browser.ts";

const servers = useServers();
const browser = useBrowser();
const under: { redis?: RedisServer } = {};

beforeAll(async () => {
  const redis = await startRedisServer("--appendonly", "yes", "--appendfsync", "always");
  under.redis = redis;
  return redis.stop;
});

it("reads the history of a pet again after an outage", async () => {
  const { redis } = under;
  if (!redis) throw new Error("Redis has not started");
  const stores = createRedisStores(redis.url);
  onTestFinished(() => stores.close());
  await stores.ready(5_000);
  await stores.inventory.put([{ petId: 2n, quantity: 31, status: PetStatus.SOLD }]);
  await addAccount(stores, { plan: "business" }, "bbbbbbbbbbbb");
  const { secret } = await addKey(stores, "bbbbbbbbbbbb");
  const server = await servers.start({ REDIS_URL: redis.url, WATCH_HEARTBEAT_MS: "1000" });
  const page = await browser.open(server.url, { key: secret });
  await page.getByText("Live", { exact: true }).waitFor();
  await redis.kill();
  await page.getByText("Connection lost. Reconnecting…").waitFor();
  await page.getByRole("link", { name: "2", exact: true }).click();
  const history = page.getByRole("region", { name: "History" });
  await history.getByRole("alert").filter({ hasText: "STORE_UNAVAILABLE" }).waitFor();
  await redis.start();
  await history.getByRole("row").filter({ hasText: "31" }).waitFor();
  expect(await history.getByRole("alert").count()).toBe(0);
});

it("says that the connection is lost while Redis is down, and shows the stock again afterwards", async () => {
  const { redis } = under;
  if (!redis) throw new Error("Redis has not started");
  const stores = createRedisStores(redis.url);
  onTestFinished(() => stores.close());
  await stores.ready(5_000);
  await stores.inventory.put([{ petId: 1n, quantity: 12, status: PetStatus.AVAILABLE }]);
  await addAccount(stores, { plan: "business" });
  const { secret } = await addKey(stores, "aaaaaaaaaaaa");
  // A watch ends when Redis does not respond for two heartbeats.
  const server = await servers.start({ REDIS_URL: redis.url, WATCH_HEARTBEAT_MS: "1000" });
  const page = await browser.open(server.url, { key: secret });
  const quantity = (text: string) =>
    page
      .getByRole("row")
      .filter({ hasText: new RegExp(`available${text}`) })
      .waitFor();
  await page.getByText("Live", { exact: true }).waitFor();
  await quantity("12");
  const watches: Request[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/WatchInventory")) watches.push(request);
  });

  await redis.kill();
  await page.getByText("Connection lost. Reconnecting…").waitFor();
  await page
    .getByRole("alert")
    .filter({ hasText: /STORE_UNAVAILABLE.*request/ })
    .waitFor();
  // The last known stock stays on the page.
  await quantity("12");

  await page.getByRole("button", { name: "Change the quantity of pet 1" }).click();
  await page.getByRole("region", { name: "Change pet 1" }).getByRole("alert").waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();

  await redis.start();
  await page.getByText("Live", { exact: true }).waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
  // The watch has continued where it had ended: the message has a resume token.
  const last = fromBinary(WatchInventoryRequestSchema, messageOf(watches.at(-1)));
  expect(last.resumeToken).toMatch(/^[1-9]\d*$/);
  await stores.inventory.setQuantity(1n, 5);
  await quantity("5");
});

/** Returns the message of a streaming request, which follows an envelope of five bytes. */
function messageOf(request: Request | undefined): Uint8Array {
  return request?.postDataBuffer()?.subarray(5) ?? new Uint8Array();
}
