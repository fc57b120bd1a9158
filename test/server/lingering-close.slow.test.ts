import { once } from "node:events";
import { request as httpsRequest } from "node:https";
import { connect, type Socket } from "node:net";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { RequestHandler } from "../../packages/connect-gateway/src/server/connections/listener-options.ts";
import { selfSigned } from "../../packages/connect-gateway/test/server/support/certificate.ts";
import {
  connectHttp1,
  expectErrorForm,
} from "../../packages/connect-gateway/test/server/support/http1-client.ts";
import {
  type Running,
  startListener,
} from "../../packages/connect-gateway/test/server/support/listener.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { openRedisStores } from "../support/redis-stores.ts";
import { useRedis } from "../support/stores.ts";
import { startNginx } from "../system/harness/nginx-server.ts";
import { useServers } from "../system/harness/server-process.ts";

/** Refuses every request before it reads the body, as admission does. */
const refuse: RequestHandler = (response) => {
  response.discardBody();
  response.writeHead(401, { "content-length": 2 }).end("no");
};

const megabyte = 1024 * 1024;
const postHead = (length: number) =>
  `POST / HTTP/1.1\r\nHost: test\r\nContent-Length: ${length}\r\n\r\n`;

describe("a server in a separate process", () => {
  const redis = useRedis();
  const servers = useServers();
  const under: { ports: number[]; secret: string } = { ports: [], secret: "" };

  beforeAll(async () => {
    const stores = openRedisStores(redis.url);
    await stores.ready(5_000);
    const account = await addAccount(stores, { plan: "business" });
    under.secret = (await addKey(stores, account)).secret;
    await stores.close();
    const environment = { REDIS_URL: redis.url, ANONYMOUS_PER_MINUTE: "10000" };
    const start = () => servers.start(environment);
    under.ports = (await Promise.all([start(), start()])).map(({ port }) => port);
  });

  test.each([
    ["buffers requests", "proxy_request_buffering on;"],
    ["passes requests on as they come", "proxy_request_buffering off;"],
  ])(
    "nginx that %s: 401 for each of 20 large bodies, 200 for all later requests",
    async (_, how) => {
      const nginx = await startNginx(under.ports, how);
      onTestFinished(nginx.stop);
      const headers = { authorization: `Bearer ${under.secret}` };
      const body = new Uint8Array(900_000);
      for (let round = 0; round < 5; round += 1) {
        const large = () => fetch(`${nginx.url}/v1/inventory/1`, { method: "POST", body });
        const refused = await Promise.all(Array.from({ length: 20 }, large));
        expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 401));
        const list = () => fetch(`${nginx.url}/v1/inventory`, { headers });
        const served = await Promise.all(Array.from({ length: 20 }, list));
        expect(served.map(({ status }) => status)).toEqual(served.map(() => 200));
      }
      expect(nginx.errors()).not.toMatch(/upstream/);
    },
  );
});

test("401 for a large body over TLS, and the client can send all of it", async () => {
  const { key, cert } = selfSigned();
  const body = Buffer.alloc(5 * megabyte);
  const { port } = await startListener({ handle: refuse, tls: { key, cert } });
  const request = httpsRequest({
    ...{ port, host: "127.0.0.1", servername: "localhost", ca: cert, method: "POST" },
    headers: { "content-length": body.length },
    agent: false,
  });
  const sent = once(request, "finish");
  request.end(body);
  const [response] = await once(request, "response");
  expect(response.statusCode).toBe(401);
  expect(await response.toArray()).toEqual([Buffer.from("no")]);
  await sent;
});

/** Starts a server that refuses every request. `closed` has the time at which each connection closed, in order of opening. */
async function startRefusing(): Promise<Running & { readonly closed: Promise<number>[] }> {
  const closed: Promise<number>[] = [];
  const running = await startListener({
    handle: (exchange) => {
      if (!("stream" in exchange)) {
        closed.push(once(exchange.socket, "close").then(() => performance.now()));
      }
      refuse(exchange);
    },
  });
  return { ...running, closed };
}

/** Opens a connection that gets the response before its request is complete, and stays open. */
async function lingerer(port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  let received = "";
  socket.setEncoding("latin1").on("data", (text) => {
    received += text;
  });
  const ended = once(socket, "end");
  socket.write(`${postHead(100 * megabyte)}x`);
  await ended;
  expect(received).toMatch(/^HTTP\/1\.1 401 [\s\S]*connection: close[\s\S]*no$/);
  return socket;
}

/** Sends data as fast as the server reads, until the connection is closed. */
function flood(socket: Socket, pauseMs = 0): void {
  const piece = Buffer.alloc(megabyte / 16);
  const send = () => {
    if (!socket.destroyed) socket.write(piece, () => setTimeout(send, pauseMs));
  };
  send();
}

describe("the connection of a client that does not close it after the response", () => {
  test("is cut off after 16 MiB", async () => {
    const { port, closed } = await startRefusing();
    const socket = await lingerer(port);
    flood(socket);
    await closed[0];
    expect(socket.bytesWritten).toBeGreaterThan(15 * megabyte);
    expect(socket.bytesWritten).toBeLessThan(40 * megabyte); // the kernel buffers some of the data
  });

  test.each([
    ["2 s after its last byte", false, 1_500, 4_000],
    ["after 10 s even while it sends", true, 8_000, 13_000],
  ])("is cut off %s", async (_, isSending, moreThanMs, lessThanMs) => {
    const { port, closed } = await startRefusing();
    const socket = await lingerer(port);
    if (isSending) flood(socket, 100);
    const start = performance.now();
    const end = (await closed[0]) ?? 0;
    expect(end - start).toBeGreaterThan(moreThanMs);
    expect(end - start).toBeLessThan(lessThanMs);
  });

  test("delays a drain by at most 1 s", async () => {
    const { port, closed, listener } = await startRefusing();
    flood(await lingerer(port), 20);
    const start = performance.now();
    await listener.drain(60_000);
    expect(performance.now() - start).toBeLessThan(2_500);
    await closed[0];
  });
});

test.each([
  ["431", `GET / HTTP/1.1\r\nHost: test\r\nX-Long: ${"x".repeat(20_000)}\r\n`, 431],
  ["400", "GET / HTTP/9.9\r\n\r\n", 400],
  ["405", "CONNECT test:80 HTTP/1.1\r\nHost: test\r\n\r\n", 405],
])("%s reaches a client that sends another 5 MB", async (_, bytes, status) => {
  const { port } = await startListener({ handle: refuse });
  const client = await connectHttp1(port, bytes);
  const sent = new Promise<Error | null | undefined>((resolve) => {
    client.socket.end(Buffer.alloc(5 * megabyte, "x"), () => resolve(client.socket.errored));
  });
  expectErrorForm(
    await client.response(),
    status,
    { 431: "header_fields_too_large", 400: "invalid_argument", 405: "method_not_allowed" }[
      status
    ] ?? "",
  );
  expect(await sent).toBeFalsy();
  expect(await client.closed()).toBe("");
  expect(client.socket.errored).toBeNull();
});
