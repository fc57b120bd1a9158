import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createApp } from "../../src/app/app.ts";
import { dayMs } from "../../src/common/durations.ts";
import { readConfig } from "../../src/config/config.ts";
import { createLog } from "../../src/observability/log/log.ts";
import { createMemoryStores } from "../../src/stores/memory/stores.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { useServer } from "../support/server.ts";
import { storeKinds } from "../support/stores.ts";

describe.each(storeKinds)("a server with $name that stops", (kind) => {
  const server = useServer(kind);

  test("leaves the usage of all requests that it has counted", async () => {
    const { stores, clock } = server;
    const accountId = await addAccount(stores);
    const { keyId, secret } = await addKey(stores, accountId);
    const headers = { authorization: `Bearer ${secret}` };
    expect((await fetch(`${server.url}/v1/inventory`, { headers })).status).toBe(200);
    await server.drain(1_000);
    const { days } = await stores.usage.read(accountId, clock.now, 1);
    const requests = { admitted: 1, limited: 0, banned: 0 };
    expect(days.get(Math.floor(clock.now / dayMs))).toEqual([{ keyId, requests }]);
  });
});

test("a server that has stopped repeats no work any more", async () => {
  // It lasts as long as the process, and has a timer of its own.
  const log = createLog("silent");
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const config = readConfig({ PORT: "0" });
  const app = createApp(config, createMemoryStores(), log);
  await app.listen(config.port, config.host);
  expect(vi.getTimerCount()).toBeGreaterThan(0);
  await app.drain(0);
  expect(vi.getTimerCount()).toBe(0);
});
