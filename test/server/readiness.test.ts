import { expect, onTestFinished, test } from "vitest";
import {
  connectHttp2,
  responseOf,
} from "../../packages/connect-gateway/test/server/support/http2-client.ts";
import { createApp } from "../../src/app/app.ts";
import { readConfig } from "../../src/config/config.ts";
import { createLog } from "../../src/observability/log/log.ts";
import { createMemoryStores } from "../../src/stores/memory/stores.ts";

/** Starts a server whose stores reply to a ping when the test says so, and connects to it. */
async function start() {
  const pings: PromiseWithResolvers<void>[] = [];
  const stores = {
    ...createMemoryStores(Date.now),
    ping() {
      const ping = Promise.withResolvers<void>();
      pings.push(ping);
      return ping.promise;
    },
  };
  const app = createApp(readConfig({ PORT: "0" }), stores, createLog("silent"));
  onTestFinished(() => app.drain(0));
  const session = connectHttp2((await app.listen(0, "127.0.0.1")).url);
  const statusOf = async (path: string) => {
    const { headers } = await responseOf(session.request({ ":path": path }));
    return headers[":status"];
  };
  const healthOf = async () => {
    const headers = { ":method": "POST", "content-type": "application/json" };
    const call = session.request({ ":path": "/grpc.health.v1.Health/Check", ...headers });
    call.end("{}");
    return JSON.parse((await responseOf(call)).body).status;
  };
  return { pings, statusOf, healthOf };
}

test("concurrent readiness and health checks share one ping of the stores, and later ones send another", async () => {
  const { pings, statusOf, healthOf } = await start();
  for (const [round, status] of [200, 503, 200].entries()) {
    const checks = Array.from({ length: 20 }, () => statusOf("/readyz"));
    const health = healthOf();
    // The streams of a connection begin in order, so that all checks have begun when this request is served.
    expect(await statusOf("/livez")).toBe(200);
    expect(pings).toHaveLength(round + 1);
    if (status === 200) pings[round]?.resolve();
    else pings[round]?.reject(new Error("away"));
    expect(new Set(await Promise.all(checks))).toEqual(new Set([status]));
    expect(await health).toBe(status === 200 ? "SERVING" : "NOT_SERVING");
  }
});
