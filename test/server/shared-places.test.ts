import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Code } from "@connectrpc/connect";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { newAccountId } from "../../src/access/api-key.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { type Header, headersFrame, opening, pseudo } from "../support/http2-frames.ts";
import { useServer } from "../support/server.ts";
import { memoryKind } from "../support/stores.ts";
import { until } from "../system/harness/until.ts";

/** Places of each pool. One owner gets 51 of them. */
const places = 100;
const endHeaders = 4;
const other = "127.0.2.1";

/** Another one for each test, because the server may not know yet that the connections of the test before have ended. */
let attacker = "";
let attackers = 0;
beforeEach(() => {
  attackers += 1;
  attacker = `127.0.1.${attackers}`;
});

async function connectFrom(localAddress: string, port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {}).resume();
  await Promise.race([once(socket, "connect"), once(socket, "close")]).catch(() => {});
  return socket;
}

/** Opens streams without the end of their bodies, on several connections. */
async function holdStreams(
  port: number,
  count: number,
  path: string,
  headers: readonly Header[],
  from = attacker,
) {
  for (let left = count; left > 0; left -= 50) {
    const socket = await connectFrom(from, port);
    const type = ["content-type", "application/grpc"] as const;
    const streams = Array.from({ length: Math.min(50, left) }, (_, n) =>
      headersFrame(1 + 2 * n, [...pseudo("POST", path), type, ...headers], endHeaders),
    );
    socket.write(Buffer.concat([opening(), ...streams]));
  }
}

describe("one client that takes all places that it gets", () => {
  const server = useServer(memoryKind, {
    MAX_REQUESTS_IN_FLIGHT: String(places),
    MAX_STREAMS: String(places),
    MAX_CONNECTIONS: String(places),
    TRUSTED_PROXIES: "127.0.9.9",
  });

  async function newKey(): Promise<string> {
    const account = await addAccount(server.stores, { plan: "business" }, newAccountId());
    return (await addKey(server.stores, account)).secret;
  }

  async function statusOf(from: string, path: string, headers = ""): Promise<number> {
    const socket = await connectFrom(from, server.port);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`);
    const [data] = await once(socket, "data");
    socket.destroy();
    return Number(/^HTTP\/1\.1 (\d{3})/.exec(String(data))?.[1]);
  }
  const authorization = (key: string) => `Authorization: Bearer ${key}\r\n`;

  test.each([["/grpc.health.v1.Health/Check"], ["/grpc.health.v1.Health/Watch"]])(
    "cannot keep others from public pages by unfinished requests to %s",
    async (path) => {
      await holdStreams(server.port, 2 * places, path, []);
      await until("the client has its share", () => server.inFlight?.public === 51);
      expect(await statusOf(attacker, "/openapi.json")).toBe(503);
      expect(await statusOf(other, "/openapi.json")).toBe(200);
      expect(server.inFlight?.public).toBe(51);
    },
  );

  test("is not the proxy, whose own requests may take all places", async () => {
    const proxy = "127.0.9.9";
    await holdStreams(server.port, places - 1, "/grpc.health.v1.Health/Check", [], proxy);
    await until("all are in progress", () => server.inFlight?.public === places - 1);
    expect(await statusOf(proxy, "/openapi.json")).toBe(200);
    expect(await statusOf(other, "/openapi.json")).toBe(200);
  });

  test("has no other share behind a proxy", async () => {
    await holdStreams(server.port, 2 * places, "/grpc.health.v1.Health/Check", []);
    await until("the client has its share", () => server.inFlight?.public === 51);
    const status = (client: string) =>
      statusOf("127.0.9.9", "/openapi.json", `X-Forwarded-For: ${client}\r\n`);
    expect([await status(attacker), await status(other)]).toEqual([503, 200]);
  });

  test.each([
    ["unary", "/inventory.v1.InventoryService/UpdateInventory"],
    ["stream", "/inventory.v1.InventoryService/WatchInventory"],
  ] as const)("cannot keep other accounts from %s calls", async (kind, path) => {
    const [greedy, modest] = [await newKey(), await newKey()];
    await holdStreams(server.port, 2 * places, path, [["authorization", `Bearer ${greedy}`]]);
    const held = () => server.inFlight?.[kind] ?? 0;
    // Requests of the test before may end now.
    const refused = () =>
      server.records.filter(
        ({ code, operation }) => code === Code.Unavailable && operation.route === path,
      ).length;
    await until("the others are refused", () => held() + refused() === 2 * places);
    expect(held()).toBeLessThanOrEqual(51);
    const target = kind === "unary" ? "/v1/inventory" : "/v1/inventory:watch";
    // The share is the account's, not the address's.
    expect(await statusOf(attacker, target, authorization(modest))).toBe(200);
  });

  test("cannot take all connections", async () => {
    const sockets = await Promise.all(
      Array.from({ length: 2 * places }, () => connectFrom(attacker, server.port)),
    );
    await until(
      "the others are closed",
      () => sockets.filter(({ destroyed }) => !destroyed).length === 51,
    );
    expect(await statusOf(other, "/livez")).toBe(200);
  });

  test("gets its places back when a public request takes longer than 5 s to arrive", async () => {
    await holdStreams(server.port, places, "/grpc.health.v1.Health/Check", []);
    await until("the client has its share", () => server.inFlight?.public === 51);
    await until("its requests have ended", () => server.inFlight?.public === 0);
    expect(await statusOf(attacker, "/openapi.json")).toBe(200);
  });
});
