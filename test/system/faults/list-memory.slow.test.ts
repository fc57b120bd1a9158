import { once } from "node:events";
import { get } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { stockChangesKey } from "../../../src/stores/redis/keys.ts";
import { itemsFrom } from "../../support/stock.ts";
import { useRedis } from "../../support/stores.ts";
import { type ServerProcess, useServers } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";
import { useStores } from "./stores.ts";

const redis = useRedis("--save", "");
const servers = useServers();
const pets = 50_000;
/** Time between two measurements, in ms. */
const pauseMs = 40;
const timeoutMs = 20_000;

/** Most memory of a process while it refreshes its list, as a multiple of the list's size. A second copy would be 2. */
const mostLists = 1.5;

const own = useStores(redis);
let running: ServerProcess | undefined;

beforeAll(async () => {
  for (let from = 0; from < pets; from += 1_000) {
    const items = itemsFrom(BigInt(from + 1), 1_000);
    await until("the stock is filled", () => own.stores.catalog.put(items).catch(() => undefined));
  }
  running = await servers.start(
    { REDIS_URL: redis.url },
    "--expose-gc",
    `--import=${new URL("../harness/memory-probe.ts", import.meta.url)}`,
  );
}, 60_000);

function server(): ServerProcess {
  if (!running) throw new Error("Use the server only while a test runs.");
  return running;
}

async function list(): Promise<number> {
  const headers = { authorization: `Bearer ${own.key}` };
  const [response] = await once(get(`${server().url}/v1/inventory`, { headers }), "response");
  response.resume();
  await once(response, "end");
  return response.statusCode;
}

/** Collects garbage. @returns the bytes of live objects */
async function live(): Promise<number> {
  const lines = () => [...server().stdout.matchAll(/^memory (\d+) \d+$/gm)];
  const before = lines().length;
  server().kill("SIGUSR2");
  return Number((await until("memory is measured", () => lines()[before]))[1]);
}

/** Runs `work`. @returns the most bytes of live objects in the meantime */
async function mostLive(work: () => Promise<unknown>): Promise<number> {
  let isDone = false;
  const done = work().finally(() => {
    isDone = true;
  });
  let most = 0;
  while (!isDone) {
    most = Math.max(most, await live());
    // Garbage collection takes CPU time that the server needs for its work.
    await delay(pauseMs);
  }
  await done;
  return most;
}

test("refreshing the cached list takes little more memory than the list", {
  timeout: 60_000,
}, async () => {
  const { stores } = own;
  const readList = () => until("the list is read", async () => (await list()) === 200, timeoutMs);
  const without = await live();
  const cold = await mostLive(readList);
  const size = (await live()) - without;
  // At least 40 bytes of JSON for each item: less memory means that the list is not cached, and the test is void.
  expect(size).toBeGreaterThan(80 * pets);

  const changed = await mostLive(async () => {
    for (let round = 0; round < 10; round += 1) {
      const change = () => stores.inventory.change({ petId: BigInt(1 + round * 997), delta: 1 });
      await until("a change is made", () => change().catch(() => undefined));
      await Promise.all([readList(), readList(), readList()]);
    }
  });

  // Without the history, the server must read the whole list again.
  await redis.client.xtrim(stockChangesKey, "MAXLEN", 0);
  await stores.inventory.change({ petId: 1n, delta: 1 });
  const whole = await mostLive(() => Promise.all([readList(), readList(), readList()]));

  for (const most of [cold, changed, whole]) {
    expect((most - without) / size).toBeLessThan(mostLists);
  }
});
