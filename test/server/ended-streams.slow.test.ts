import { connect, type OutgoingHttpHeaders } from "node:http2";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { describe, expect, onTestFinished, test } from "vitest";
import { addAccount, addKey, type TestKey } from "../support/accounts.ts";
import { type ServerUnderTest, useServer } from "../support/server.ts";
import { memoryKind } from "../support/stores.ts";
import { until } from "../system/harness/until.ts";

const heartbeatMs = 1_000;

/** Watches of the stock, by protocol. */
const watches: Record<string, readonly [headers: OutgoingHttpHeaders, body?: Uint8Array]> = {
  "JSON over HTTP": [{ ":path": "/v1/inventory:watch" }],
  "server-sent events": [{ ":path": "/v1/inventory:watch", accept: "text/event-stream" }],
  ...Object.fromEntries(
    ["connect+json", "connect+proto", "grpc", "grpc-web"].map((type) => [
      type,
      [
        {
          ":method": "POST",
          ":path": "/inventory.v1.InventoryService/WatchInventory",
          "content-type": `application/${type}`,
        },
        encodeEnvelope(0, Buffer.from(type.endsWith("json") ? "{}" : "")),
      ],
    ]),
  ),
};

interface Way {
  readonly headers?: OutgoingHttpHeaders;
  readonly environment?: Record<string, string>;
  readonly end?: (server: ServerUnderTest, key: TestKey) => Promise<unknown>;
}

const ways: Record<string, Way> = {
  "its deadline passes": { headers: { "connect-timeout-ms": "500", "grpc-timeout": "500m" } },
  "its key is revoked": { end: ({ stores }, { keyId }) => stores.accounts.revokeKey(keyId) },
  "its connection has reached its age": { environment: { MAX_CONNECTION_AGE_MS: "400" } },
  "the server drains": { end: (server) => server.drain(10_000) },
};

describe.each(Object.entries(ways))("a stream that ends because %s", (_why, way) => {
  const server = useServer(memoryKind, {
    WATCH_HEARTBEAT_MS: `${heartbeatMs}`,
    SEND_TIMEOUT_MS: "1000",
    ...way.environment,
  });

  test("is reset if its client does not read", async () => {
    const key = await addKey(server.stores, await addAccount(server.stores, { plan: "business" }));
    const session = connect(server.url, { settings: { initialWindowSize: 0 } });
    session.on("error", () => {});
    onTestFinished(() => session.destroy());
    const begun = new Set<string>();
    const open = new Set<string>();
    for (const [name, [headers, body]] of Object.entries(watches)) {
      const authorization = `Bearer ${key.secret}`;
      const stream = session.request({ ...headers, ...way.headers, authorization });
      stream.on("error", () => {});
      stream.on("response", () => begun.add(name));
      stream.on("close", () => open.delete(name));
      stream.end(body);
      open.add(name);
    }
    await until("all watches have begun", () => begun.size === Object.keys(watches).length);
    const ended = way.end?.(server, key);
    await expect.poll(() => [...open], { timeout: 12_000 }).toEqual([]);
    await ended;
  });
});
