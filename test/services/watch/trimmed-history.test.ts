import { Code } from "@connectrpc/connect";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type App, createApp } from "../../../src/app/app.ts";
import { readConfig } from "../../../src/config/config.ts";
import { reasonOf } from "../../../src/contract/errors.ts";
import { createLog } from "../../../src/observability/log/log.ts";
import { createMemoryStores } from "../../../src/stores/memory/stores.ts";
import type { Stores } from "../../../src/stores/stores.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { itemsFrom } from "../../support/stock.ts";
import { useReadyStores, useRedis } from "../../support/stores.ts";
import { grpc, startWatch, versionsOf } from "../../support/watch.ts";

const history = { length: 1_000, ageMs: 86_400_000 };
const redis = useRedis();
const ofRedis = useReadyStores(redis, { history });
const own: { stores?: Stores; app?: App; url: string; secret: string } = { url: "", secret: "" };

beforeEach(() => redis.client.flushdb());
afterEach(() => own.app?.drain(0));

const kinds = [
  { name: "memory", open: async () => createMemoryStores(Date.now, { history }) },
  { name: "redis", open: async () => ofRedis.stores },
];

describe.each(kinds)("a history that is trimmed to 1,000 changes, in $name", ({ open }) => {
  beforeEach(async () => {
    const stores = await open();
    own.stores = stores;
    own.app = createApp(readConfig({ PORT: "0" }), stores, createLog("silent"));
    own.url = (await own.app.listen(0, "127.0.0.1")).url;
    own.secret = (await addKey(stores, await addAccount(stores))).secret;
  });

  async function put(count: number): Promise<void> {
    const items = itemsFrom(1n, count);
    await own.stores?.catalog.put(items);
  }

  async function versionNow(): Promise<bigint> {
    return (await own.stores?.inventory.page(undefined, 1))?.version ?? 0n;
  }

  test("OUT_OF_RANGE for a resume token older than the history; a new watch succeeds", async () => {
    await put(500);
    const watch = startWatch(grpc, { url: own.url, secret: own.secret });
    await watch.reached(await versionNow());
    watch.disconnect();
    for (let round = 0; round < 5; round += 1) await put(500);

    const late = startWatch(grpc, { url: own.url, secret: own.secret, token: watch.token });
    const failure = await late.failure();
    expect(failure.code).toBe(Code.OutOfRange);
    expect(reasonOf(failure)).toBe("WATCH_EXPIRED");
    expect(late.received).toEqual([]);

    const restarted = startWatch(grpc, { url: own.url, secret: own.secret });
    await restarted.reached(await versionNow());
    expect(versionsOf(restarted.received)).toEqual([]);
  });
});
