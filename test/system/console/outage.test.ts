import { fromBinary } from "@bufbuild/protobuf";
import type { Request } from "playwright-core";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { PetStatus, WatchInventoryRequestSchema } from "../../../gen/inventory/v1/inventory_pb.ts";
import { defaultScopes } from "../../../src/access/scopes.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { openRedisStores } from "../../support/redis-stores.ts";
import { type RedisServer, startRedisServer } from "../harness/redis-server.ts";
import { useServers } from "../harness/server-process.ts";
import { violations } from "./support/accessibility.ts";
import { useBrowser } from "./support/browser.ts";

const servers = useServers();
const browser = useBrowser();
const under: { redis?: RedisServer } = {};

beforeAll(async () => {
  const redis = await startRedisServer("--appendonly", "yes", "--appendfsync", "always");
  under.redis = redis;
  return redis.stop;
});

/** Starts a service with a pet and an account, and opens its stock. */
async function openStock(petId: bigint) {
  const { redis } = under;
  if (!redis) throw new Error("Redis has not started");
  const stores = openRedisStores(redis.url);
  onTestFinished(() => stores.close());
  await stores.ready(5_000);
  await stores.catalog.put([{ petId, quantity: 31, status: PetStatus.AVAILABLE }]);
  const accountId = String(petId).repeat(12);
  await addAccount(stores, { plan: "business" }, accountId);
  const { secret } = await addKey(stores, accountId, { scopes: [...defaultScopes, "admin"] });
  const server = await servers.start({ REDIS_URL: redis.url });
  const page = await browser.open(server.url, { key: secret });
  await page.getByText("Live", { exact: true }).waitFor();
  const requests: Request[] = [];
  page.on("request", (request) => requests.push(request));
  const watches = () => requests.filter((request) => request.url().endsWith("/WatchInventory"));
  const quantity = (text: string) =>
    page
      .getByRole("row")
      .filter({ hasText: new RegExp(`^\\W*${petId}available(low)?${text}`) })
      .waitFor();
  return { redis, stores, server, page, watches, quantity };
}

test("reads the history of a pet again after an outage", async () => {
  const { redis, page } = await openStock(2n);
  await redis.kill();
  await page.getByText("Database unavailable").waitFor();
  await page.getByRole("link", { name: "2", exact: true }).click();
  const history = page.getByRole("region", { name: "History" });
  await history.getByRole("alert").filter({ hasText: "STORE_UNAVAILABLE" }).waitFor();
  await redis.start();
  await history.getByRole("row").filter({ hasText: "31" }).waitFor();
  await expect.poll(() => history.getByRole("alert").count()).toBe(0);
});

test("says since when the stock may be old while Redis is down, and misses no change", async () => {
  const { redis, stores, page, watches, quantity } = await openStock(1n);
  const alert = page.getByRole("alert").filter({ hasText: "The database is not available" });
  const lostAt = Date.now();
  await redis.kill();
  await page.getByText("Database unavailable").waitFor();
  await alert.getByText("may be missing").waitFor();
  const since = Date.parse((await alert.locator("time").getAttribute("datetime")) ?? "");
  expect(Math.abs(since - lostAt)).toBeLessThan(5_000);
  // The last known stock stays on the page.
  await quantity("31");
  expect(await violations(page)).toEqual([]);

  await page.getByRole("button", { name: "Change the quantity of pet 1" }).click();
  await page.getByLabel("New quantity").fill("35");
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: "Change pet 1" }).getByRole("alert").waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();

  await redis.start();
  const change = () => stores.inventory.change({ petId: 1n, quantity: 5 }).catch(() => {});
  await expect.poll(change).toBeDefined();
  await quantity("5");
  await page.getByText("Live", { exact: true }).waitFor();
  await expect.poll(() => page.getByRole("alert").count()).toBe(0);
  expect(watches()).toEqual([]);
});

test("counts down to the next attempt when the server is lost, and resumes", async () => {
  const { redis, stores, server, page, watches, quantity } = await openStock(3n);
  server.kill("SIGKILL");
  await page.getByText("Connection lost", { exact: true }).waitFor();
  const alert = page.getByRole("alert").filter({ hasText: "The server cannot be reached" });
  await alert.getByText("may be missing").waitFor();
  await page.getByText(/^Next attempt in \d+ s$/).waitFor();
  expect(await violations(page)).toEqual([]);
  const count = watches().length;
  await page.getByRole("button", { name: "Try again" }).click();
  await expect.poll(() => watches().length).toBeGreaterThan(count);
  await stores.inventory.change({ petId: 3n, quantity: 6 });
  await servers.start({ REDIS_URL: redis.url, PORT: String(server.port) });
  await page.getByText("Live", { exact: true }).waitFor();
  await quantity("6");
  await expect.poll(() => page.getByRole("alert").count()).toBe(0);
  // The watch has continued where it had ended: the message has a resume token.
  const last = fromBinary(WatchInventoryRequestSchema, messageOf(watches().at(-1)));
  expect(last.resumeToken).toMatch(/^[1-9]\d*$/);
});

test.each([
  ["#/usage", "Requests per minute"],
  ["#/operator/accounts", "444444444444"],
  ["#/operator/accounts/444444444444", "Requests per minute"],
])("%s is read again by itself after an outage", async (hash, text) => {
  const { redis, page } = await openStock(4n);
  await redis.kill();
  await page.getByText("Database unavailable").waitFor();
  await page.evaluate(`location.hash = "${hash}"`);
  const banner = page.locator(".banner-warning").filter({ hasText: "STORE_UNAVAILABLE" });
  await banner.getByText(/^Next attempt in \d+ s$/).waitFor();
  await banner.getByRole("button", { name: "Try again" }).click();
  await banner.waitFor();
  await redis.start();
  await page.getByText(text).first().waitFor();
  await expect.poll(() => page.getByRole("alert").count()).toBe(0);
});

test("waits for the database when the page is opened during an outage", async () => {
  const { redis, page, quantity } = await openStock(5n);
  await redis.kill();
  await page.reload();
  await page.getByText("Database unavailable").waitFor();
  await page.getByText(/^Next attempt in \d+ s$/).waitFor();
  await redis.start();
  await quantity("31");
  await page.getByText("Live", { exact: true }).waitFor();
});

/** Returns the message of a streaming request, which follows an envelope of five bytes. */
function messageOf(request: Request | undefined): Uint8Array {
  return request?.postDataBuffer()?.subarray(5) ?? new Uint8Array();
}
