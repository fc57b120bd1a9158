import { EventEmitter, once } from "node:events";
import { connect as connectH2 } from "node:http2";
import { BlockList, connect, type Socket } from "node:net";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { describe, expect, onTestFinished, test } from "vitest";
import { createConnectionLimit } from "../../packages/connect-gateway/src/server/connections/acceptor.ts";
import { connectHttp1 } from "../../packages/connect-gateway/test/server/support/http1-client.ts";
import { startListener } from "../../packages/connect-gateway/test/server/support/listener.ts";
import { newAuthorization } from "../support/accounts.ts";
import { useServer } from "../support/server.ts";
import { memoryKind } from "../support/stores.ts";
import { until } from "../system/harness/until.ts";

const service = "/inventory.v1.InventoryService";

describe("at the limit of requests in flight", () => {
  const server = useServer(memoryKind, { MAX_REQUESTS_IN_FLIGHT: "2", MAX_STREAMS: "1" });

  /** Sends the header section of a change without its body, so that the request stays in flight. */
  async function holdBack(authorization: string) {
    const client = await connectHttp1(
      server.port,
      `PATCH /v1/inventory/1 HTTP/1.1\r\nHost: test\r\nAuthorization: ${authorization}\r\n`,
      "Content-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n",
    );
    expect((await client.response()).status).toBe(100);
    return client;
  }

  test("503 with Retry-After in each protocol, without admission, and 200 when one has ended", async () => {
    const authorization = await newAuthorization(server.stores);
    const held = [await holdBack(authorization), await holdBack(authorization)];

    const json = await fetch(`${server.url}/v1/inventory`, { headers: { authorization } });
    expect(json.status).toBe(503);
    expect(json.headers.get("retry-after")).toBe("1");
    // The headers show the same count as the key's last request, because this one was not counted.
    expect(json.headers.get("x-ratelimit-remaining")).toBe("998");
    expect(await json.json()).toMatchObject({ code: "unavailable", status: 503 });

    const rpc = await fetch(`${server.url}${service}/ListInventory`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: "{}",
    });
    expect(rpc.status).toBe(503);
    expect(await rpc.json()).toMatchObject({ code: "unavailable" });

    const session = connectH2(server.url);
    onTestFinished(() => session.destroy());
    const stream = session.request({
      ":method": "POST",
      ":path": `${service}/ListInventory`,
      "content-type": "application/grpc",
      authorization,
    });
    stream.end(encodeEnvelope(0, new Uint8Array()));
    const [headers] = await once(stream, "response");
    expect(headers["grpc-status"]).toBe("14");
    expect(headers["retry-after"]).toBe("1");

    expect((await fetch(`${server.url}/livez`)).status).toBe(200);
    expect((await fetch(`${server.url}/openapi.json`)).status).toBe(200);

    const [first] = held;
    first?.socket.write("{}");
    expect((await first?.response())?.status).toBe(400);
    const next = await fetch(`${server.url}/v1/inventory`, { headers: { authorization } });
    expect(next.status).toBe(200);
    expect(server.faults).toEqual([]);
  });

  test("probes are served when public requests are at their limit, and nothing else is", async () => {
    const open = () =>
      connectHttp1(
        server.port,
        "POST /grpc.health.v1.Health/Check HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n",
        "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n",
      );
    const held = [await open(), await open()];
    for (const { response } of held) expect((await response()).status).toBe(100);
    expect(server.inFlight?.public).toBe(2);
    const statusOf = async (path: string, init: RequestInit = {}) =>
      (await fetch(server.url + path, init)).status;
    expect(await statusOf("/livez")).toBe(200);
    expect(await statusOf("/readyz")).toBe(200);
    expect(await statusOf("/livez", { method: "HEAD" })).toBe(200);
    expect(await statusOf("/readyz", { method: "OPTIONS" })).toBe(204);
    for (const path of ["/", "/docs", "/docs/rpc.json", "/openapi.json"]) {
      expect([path, await statusOf(path)]).toEqual([path, 503]);
    }
    const check = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
    expect(await statusOf("/grpc.health.v1.Health/Check", check)).toBe(503);
    for (const { socket, response } of held) {
      socket.write("{}");
      expect((await response()).status).toBe(200);
    }
    expect(await statusOf("/docs")).toBe(200);
  });
});

/** Opens connections. @returns them, and which of them the server has closed */
async function open(port: number, count: number, host = "127.0.0.1") {
  const sockets: Socket[] = [];
  for (let n = 0; n < count; n++) {
    const socket = connect(port, host);
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => {});
    await Promise.race([once(socket, "connect"), once(socket, "close")]).catch(() => {});
    sockets.push(socket);
  }
  return sockets;
}

const get = "GET / HTTP/1.1\r\nHost: test\r\n\r\n";

describe("connections", () => {
  const handle = (response: { end(text: string): void }) => response.end("ok");
  test.each([
    // One address gets 3 of 5.
    ["of the process", { maxConnections: 5 }],
    ["of an address", { maxConnectionsPerAddress: 3 }],
  ])(
    "beyond the limit %s are closed at once, and a new one is accepted after one has closed",
    async (_name, options) => {
      const { port } = await startListener({ handle, ...options });
      const sockets = await open(port, 5);
      await until(
        "two are closed",
        () => sockets.filter(({ destroyed }) => destroyed).length === 2,
      );
      expect(sockets.slice(0, 3).some(({ destroyed }) => destroyed)).toBe(false);
      sockets[0]?.destroy();
      await until("there is room", async () => {
        const client = await connectHttp1(port, get).catch(() => undefined);
        const reply = await client?.response().catch(() => undefined);
        return reply?.status === 200;
      });
    },
  );

  test("of a trusted proxy are not limited by its address", async () => {
    const trustedProxies = new BlockList();
    trustedProxies.addAddress("127.0.0.1");
    const { port } = await startListener({ handle, maxConnectionsPerAddress: 1, trustedProxies });
    for (const socket of await open(port, 5)) {
      socket.write(get);
      const [reply] = await once(socket, "data");
      expect(String(reply)).toContain("200");
    }
  });
});

test("IPv6 addresses are counted by /64", () => {
  const accept = createConnectionLimit({
    maxConnections: 100,
    maxConnectionsPerAddress: 2,
    trustedProxies: new BlockList(),
  });
  const from = (remoteAddress: string) =>
    accept(Object.assign(new EventEmitter(), { remoteAddress }) as Socket);
  expect(from("2001:db8::1")).toBeUndefined();
  expect(from("2001:db8::2")).toBeUndefined();
  expect(from("2001:db8::3")).toBe("MAX_CONNECTIONS_PER_ADDRESS");
  expect(from("2001:db8:0:1::1")).toBeUndefined();
});
