import { expect, onTestFinished, test } from "vitest";
import { createApp } from "../../../src/app/app.ts";
import { readConfig } from "../../../src/config/config.ts";
import { createLog } from "../../../src/observability/log/log.ts";
import { createServiceMetrics } from "../../../src/observability/metrics/service-metrics.ts";
import { createMemoryStores } from "../../../src/stores/memory/stores.ts";
import { addAccount, addKey, someKey } from "../../support/accounts.ts";

async function listen() {
  const [stores, metrics] = [createMemoryStores(), createServiceMetrics()];
  const app = createApp(readConfig({ PORT: "0" }), stores, createLog("silent"), metrics);
  onTestFinished(() => app.drain(0));
  const { port } = await app.listen(0, "127.0.0.1");
  return { stores, metrics, url: `http://127.0.0.1:${port}` };
}

test("each kind of open requests has its own limit", () => {
  const config = readConfig({ MAX_REQUESTS_IN_FLIGHT: "123", MAX_STREAMS: "456" });
  const metrics = createServiceMetrics();
  const app = createApp(config, createMemoryStores(), createLog("silent"), metrics);
  onTestFinished(() => app.drain(0));
  metrics.follow(app.status, config);
  const limits = metrics.registry.snapshot().inventory_requests_limit ?? [];
  expect(Object.fromEntries(limits.map(([[kind], [value]]) => [kind, value]))).toEqual({
    unary: 123,
    stream: 456,
    public: 123,
  });
});

test("changes of the stock are counted by the reason that the history has", async () => {
  const { stores, metrics, url } = await listen();
  const account = await addAccount(stores);
  const { secret } = await addKey(stores, account, {
    scopes: ["admin", "inventory:read", "inventory:write", "store:write"],
  });
  const call = async (path: string, body: object, method = "POST") => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    return (await response.json()) as { readonly orderId?: number };
  };
  const admin = "/admin.v1.AdminService";
  await call("/v1/catalog", { petId: 1, quantity: 9, status: "sold" });
  await call("/v1/inventory/1", { quantity: 8 }, "PATCH");
  const first = await call("/v1/store/orders", { petId: 1, quantity: 1 });
  const second = await call("/v1/store/orders", { petId: 1, quantity: 1 });
  await call(`/v1/store/orders/${first.orderId}:cancel`, {});
  await call(`${admin}/CancelOrder`, { accountId: account, orderId: `${second.orderId}` });
  const counted = metrics.registry.snapshot().inventory_changes ?? [];
  const byReason = Object.fromEntries(counted.map(([[reason], [value]]) => [reason, value]));
  expect(byReason).toEqual({ import: 1, adjustment: 1, order: 4 });
});

test("paths, methods and keys that clients invent add no series", async () => {
  const { metrics, url } = await listen();
  const headers = { authorization: `Bearer ${someKey("zzzzzzzzzzzz").secret}` };
  await fetch(`${url}/v1/invented`, { headers });
  await fetch(`${url}/v1/invented/1?q=invented`, { method: "PROPFIND", headers });
  const snapshot = metrics.registry.snapshot();
  expect(snapshot.http_server_request_duration_seconds?.map(([labels]) => labels)).toEqual([
    ["GET", "_OTHER", "401"],
    ["_OTHER", "_OTHER", "401"],
  ]);
  expect(JSON.stringify(snapshot)).not.toMatch(/invented|PROPFIND|zzzz|127\.0\.0\.1/i);
});
