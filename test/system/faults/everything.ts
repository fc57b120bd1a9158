import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { Agent, type OutgoingHttpHeaders, request } from "node:http";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect as connectHttp2,
  constants,
} from "node:http2";
import { Agent as TlsAgent, request as tlsRequest } from "node:https";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { expect } from "vitest";
import { newAccountId, newApiKey } from "../../../src/access/api-key.ts";
import { until } from "../harness/until.ts";

/** A server, and a key of it with all scopes, whose account has the highest limits. */
export interface Target {
  readonly port: number;
  readonly isTls: boolean;
  readonly key: string;
  /** How far its clock is ahead, in milliseconds. */
  readonly aheadMs?: number;
}

/** The parts of a request that are not those of a request with the target's key. */
interface Parts {
  readonly key?: string;
  readonly body?: unknown;
  readonly headers?: OutgoingHttpHeaders;
  /** The client's address. The request then has a connection of its own. */
  readonly from?: string;
}

/** JSON that the server has sent. */
// biome-ignore lint/suspicious/noExplicitAny: a test of memory does not decode it
type Json = any;

type Client = ReturnType<typeof clientOf>;

/** Requests and connections that are open at the same time. */
const atOnce = 12;
/** The API never has it. */
const unknownPet = 999_999_999;

const noise = (bytes = 8) => `x${randomBytes(bytes).toString("hex")}`;
const unique = () => ({ "idempotency-key": noise() });
const address = (index: number) => `127.${1 + (index >> 8)}.7.${index % 256}`;

/** Calls a function for each number below `count`, several at the same time. */
async function each(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Sends requests over kept connections of HTTP/1.1, and checks each status. */
export function clientOf({ port, isTls, key: ownKey, aheadMs = 0 }: Target) {
  const options = { keepAlive: true, maxSockets: atOnce, rejectUnauthorized: false };
  const agent = isTls ? new TlsAgent(options) : new Agent(options);
  const send = isTls ? tlsRequest : request;

  async function call(status: number, line: string, parts: Parts = {}): Promise<Json> {
    const { key = ownKey, body, from } = parts;
    const [method = "", path = ""] = line.split(" ");
    const { promise, resolve, reject } = Promise.withResolvers<[number, string, string?]>();
    const sent = send({
      ...{ port, host: "127.0.0.1", method, path, rejectUnauthorized: false },
      ...(from === undefined ? { agent } : { agent: false, localAddress: from }),
      headers: {
        ...(key !== "" && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...parts.headers,
      },
    });
    sent.on("error", reject);
    sent.on("response", async (response) => {
      const text = (await response.setEncoding("utf8").toArray()).join("");
      const link = String(response.headers.link);
      resolve([response.statusCode ?? 0, text, /pageToken=([^&>]+)/.exec(link)?.[1]]);
    });
    sent.end(typeof body === "string" ? body : JSON.stringify(body));
    const [got, text, nextPageToken] = await promise;
    // On a busy machine, the server or Redis is sometimes too slow.
    if (got === 503) return call(status, line, parts);
    expect(got, `${line}: ${text.slice(0, 300)}`).toBe(status);
    return text.startsWith("{") ? JSON.parse(text) : { nextPageToken, length: text.length - 2 };
  }

  const admin = (method: string, body: object, status = 200) =>
    call(status, `POST /admin.v1.AdminService/${method}`, { body });

  return { call, admin, now: () => Date.now() + aheadMs, close: () => agent.destroy() };
}

/**
 * Uses every feature with `count` values of everything that a caller can vary, and ends all that it began.
 *
 * @param first the first of the pets that it creates and removes
 */
export async function doEverything(target: Target, count: number, first: number): Promise<void> {
  const client = clientOf(target);
  // A pet that all requests can read.
  await client.call(200, "POST /v1/catalog", { body: { petId: 1, quantity: 5, status: "sold" } });
  for (const part of [items, orders, holds, accounts, bans, refusals, publicRequests]) {
    await part(client, count, first);
  }
  await each(count, (index) => client.call(200, `DELETE /v1/catalog/${first + index}`));
  await connections(target, count);
  await sessions(target, count);
  await streams(target, count);
  await client.call(200, "DELETE /v1/catalog/1");
  client.close();
}

async function items({ call, admin }: Client, count: number, first: number): Promise<void> {
  await each(count, async (index) => {
    const petId = first + index;
    const pet = `/v1/inventory/${petId}`;
    const entry = `/v1/catalog/${petId}`;
    await call(200, "POST /v1/catalog", { body: { petId, quantity: 500 } });
    const headers = {
      ...unique(),
      traceparent: `00-${randomBytes(16).toString("hex")}-${randomBytes(8).toString("hex")}-01`,
    };
    const body = { delta: 1, reference: noise(), note: noise() };
    await call(200, `POST ${pet}:adjust`, { headers, body });
    await call(200, `POST ${pet}:adjust`, { headers, body });
    await call(422, `POST ${pet}:adjust`, { headers, body: { delta: 2 } });
    await call(409, `POST ${pet}:adjust`, { headers: unique(), body: { delta: -9_999 } });
    await call(412, `PATCH ${pet}`, {
      headers: { "if-match": `"${petId}"` },
      body: { quantity: 1 },
    });
    await call(200, `PATCH ${pet}`, { body: { quantity: 1_000 + index } });
    const batch = { adjustments: [{ petId, delta: 1 }] };
    await call(200, "POST /v1/inventory:batchAdjust", { headers: unique(), body: batch });
    const refused = { adjustments: [{ petId: unknownPet, delta: 1 }] };
    await call(404, "POST /v1/inventory:batchAdjust", { headers: unique(), body: refused });
    const counts = [{ petId, counted: 1_000 }];
    await call(200, "POST /v1/inventory:count", { headers: unique(), body: { counts } });
    await call(200, `GET /v1/inventory:levels?petIds=${petId}`);
    await call(200, `GET ${pet}`, { headers: { "x-request-id": noise() } });
    await call(200, `GET /v1/pets/${petId}`);
    await call(200, `GET ${pet}/changes?pageSize=1`);
    await call(200, "GET /v1/inventory");
    const list = `GET /v1/inventory?pageSize=1&maxQuantity=${2_000 + petId}`;
    const { nextPageToken } = await call(200, list);
    await call(200, `${list}&pageToken=${nextPageToken}`);
    await call(200, `GET /v1/inventory?petIds=${petId}`);
    const changes = await call(200, "GET /v1/inventory/changes?pageSize=1");
    await call(200, `GET /v1/inventory/changes?pageSize=1&pageToken=${changes.nextPageToken}`);
    await call(200, `PATCH ${entry}`, { body: { status: "pending" } });
    await call(200, `PATCH ${entry}`, { body: { status: "available" } });
    await call(200, `GET ${entry}`);
    await call(200, "GET /v1/catalog");
    await call(200, "GET /v1/usage");
    const audit = { pageSize: 1, actor: noise() };
    await admin("ListAuditEntries", audit);
    const entries = await admin("ListAuditEntries", { pageSize: 1 });
    await admin("ListAuditEntries", { pageSize: 1, pageToken: entries.nextPageToken });
  });
}

async function orders({ call }: Client, count: number, first: number): Promise<void> {
  await each(count, async (index) => {
    const body = { petId: first + index, quantity: 1 };
    const headers = unique();
    const { orderId } = await call(200, "POST /v1/store/orders", { headers, body });
    await call(200, "POST /v1/store/orders", { headers, body });
    await call(409, "POST /v1/store/orders", { body: { ...body, quantity: 9_999 } });
    await call(200, `GET /v1/store/orders/${orderId}`);
    const { nextPageToken } = await call(200, "GET /v1/store/orders?pageSize=1");
    if (nextPageToken)
      await call(200, `GET /v1/store/orders?pageSize=1&pageToken=${nextPageToken}`);
    await call(200, `POST /v1/store/orders/${orderId}:cancel`, { headers: unique() });
    await call(404, `GET /v1/store/orders/${unknownPet + index}`);
  });
}

async function holds({ call }: Client, count: number, first: number): Promise<void> {
  await each(count, async (index) => {
    const items = [{ petId: first + index, quantity: 1 }];
    const hold = `/v1/store/holds/${noise()}`;
    await call(200, `PUT ${hold}`, { headers: unique(), body: { items } });
    await call(200, `PUT ${hold}`, { body: { items, ttlSeconds: 60 } });
    await call(200, `GET ${hold}`);
    const { nextPageToken } = await call(200, "GET /v1/store/holds?pageSize=1");
    if (nextPageToken) await call(200, `GET /v1/store/holds?pageSize=1&pageToken=${nextPageToken}`);
    await call(200, `POST ${hold}:confirm`, { headers: unique() });
    const released = `/v1/store/holds/${noise()}`;
    await call(200, `PUT ${released}`, { body: { items } });
    await call(200, `DELETE ${released}`);
    await call(200, `PUT /v1/store/holds/${noise()}`, { body: { items, ttlSeconds: 1 } });
    await call(404, `GET /v1/store/holds/${noise()}`);
  });
  await until(
    "no hold is active",
    async () => (await call(200, "GET /v1/store/holds")).length === 0,
  );
}

async function accounts({ call, admin, now }: Client, count: number, first: number): Promise<void> {
  await each(count, async (index) => {
    const { account } = await admin("CreateAccount", { name: noise(), plan: "PLAN_FREE" });
    const { accountId } = account;
    const expiresAt = new Date(now() + 3_600_000).toISOString();
    const created = await admin("CreateKey", { accountId, name: noise(), expiresAt });
    const key = created.secret;
    const { keyId } = created.key;
    const body = { petId: first + index, quantity: 1 };
    await call(200, "POST /v1/store/orders", { key, headers: unique(), body });
    await call(200, "GET /v1/inventory", { key });
    await call(403, "POST /admin.v1.AdminService/ListAccounts", { key, body: {} });
    await admin("GetAccountUsage", { accountId });
    await admin("RenameAccount", { accountId, name: noise() });
    await admin("SetPlan", { accountId, plan: "PLAN_BUSINESS" });
    await admin("SetWritePolicy", { accountId, writePolicy: "WRITE_POLICY_STRICT" });
    await call(200, "GET /v1/inventory", { key });
    await admin("DisableAccount", { accountId });
    await call(403, "GET /v1/inventory", { key });
    await admin("EnableAccount", { accountId });
    const rotated = await admin("RotateKey", { keyId });
    await call(200, "GET /v1/inventory/1", { key: rotated.secret });
    await admin("ListKeys", { accountId });
    await admin("RevokeKey", { keyId });
    await call(401, "GET /v1/inventory", { key });
    const elsewhere = await admin("CreateKey", { accountId, allowedAddresses: ["192.0.2.1"] });
    await call(403, "GET /v1/inventory", { key: elsewhere.secret });
    await admin("DeleteAccount", { accountId });
    await call(401, "GET /v1/inventory/1", { key: rotated.secret });
  });
  await admin("ListAllKeys", {});
  await admin("ListAccounts", {});
  await admin("ListTopAccounts", {});
}

/** Bans a key of each account, and lifts the ban. */
async function bans({ call, admin }: Client, count: number): Promise<void> {
  await each(count, async () => {
    const limits = { perMinute: 1, perDay: 1_000 };
    const plan = { name: noise(), plan: "PLAN_ENTERPRISE", limits };
    const { accountId } = (await admin("CreateAccount", plan)).account;
    const { secret: key, key: own } = await admin("CreateKey", { accountId });
    await call(200, "GET /v1/inventory/1", { key });
    for (let refused = 0; refused <= 61; refused += 1) {
      await call(429, "GET /v1/inventory/1", { key });
    }
    await admin("UnbanKey", { keyId: own.keyId });
    await admin("SetPlan", { accountId, plan: "PLAN_FREE" });
    await call(200, "GET /v1/inventory/1", { key });
    await admin("DeleteAccount", { accountId });
  });
}

async function refusals({ call }: Client, count: number): Promise<void> {
  const rpc = "POST /inventory.v1.InventoryService";
  await each(count, async (index) => {
    const from = address(index);
    await call(401, "GET /v1/inventory", { key: noise(), from });
    await call(401, "GET /v1/inventory", { key: "", from });
    await call(401, "GET /v1/inventory", { key: newApiKey(newAccountId()) });
    const client = { "x-forwarded-for": `198.51.${100 + (index >> 8)}.${index % 256}` };
    // A proxy that is trusted.
    await call(401, "GET /v1/inventory", { key: "", headers: client, from: "127.0.0.2" });
    await call(404, `GET /${noise()}/${noise()}`);
    await call(400, `GET /v1/inventory?${noise()}=${noise()}`);
    await call(404, `GET /v1/pets/${unknownPet + index}`);
    await call(400, `PATCH /v1/inventory/${noise()}`, { body: { quantity: 1 } });
    await call(400, "PATCH /v1/inventory/1", { body: noise(40) });
    await call(400, "PATCH /v1/inventory/1", { body: { [noise()]: 1 } });
    await call(405, `DELETE /v1/inventory/${index + 1}`);
    await call(404, `${rpc}/${noise()}`, { body: {} });
    await call(400, `${rpc}/ListInventory`, { body: noise() });
    const headers = { "content-type": noise() };
    await call(415, `${rpc}/ListInventory`, { body: noise(), headers });
    await call(400, `GET /v1/inventory?pageSize=1&pageToken=${noise()}`);
    await call(413, "PATCH /v1/inventory/1", { body: noise(100_000) });
  });
}

async function publicRequests({ call }: Client, count: number): Promise<void> {
  await each(count, async (index) => {
    const own = { key: "", from: address(index) };
    const origin = `https://${noise()}.example`;
    const host = `${noise()}.example`;
    await call(200, "GET /livez", { ...own, headers: { origin, host } });
    await call(200, "GET /readyz", own);
    await call(200, "GET /openapi.json", { ...own, headers: { "accept-encoding": "gzip" } });
    const preflight = { origin, "access-control-request-method": "PATCH" };
    await call(204, "OPTIONS /v1/inventory/1", { ...own, headers: preflight });
    await call(200, "POST /grpc.health.v1.Health/Check", { ...own, body: {} });
    await call(404, "POST /grpc.health.v1.Health/Check", { ...own, body: { service: noise() } });
  });
}

function connectTo({ port, isTls }: Target, localAddress: string): Socket {
  const place = { port, host: "127.0.0.1", localAddress };
  const tls = { ...place, rejectUnauthorized: false, ALPNProtocols: ["http/1.1"] };
  return isTls ? connectTls(tls) : connectTcp(place);
}

/** Ends connections of HTTP/1.1 in every state in which a client can leave them. */
async function connections(target: Target, count: number): Promise<void> {
  const head = `Host: x\r\nAuthorization: Bearer ${target.key}\r\n`;
  const sent = [
    "",
    "G",
    "GET /v1/inven",
    `GET /v1/inventory HTTP/1.1\r\n${head}`,
    `GET /v1/inventory HTTP/1.1\r\n${head}\r\n`,
    `GET /v1/inventory HTTP/1.1\r\n${head}\r\n`.repeat(12),
    `GET /v1/inventory:watch HTTP/1.1\r\n${head}Accept: text/event-stream\r\n\r\n`,
    `PATCH /v1/inventory/1 HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 90\r\n\r\n{"qu`,
    `PATCH /v1/inventory/1 HTTP/1.1\r\n${head}Expect: 100-continue\r\nContent-Length: 90\r\n\r\n`,
    `POST /v1/store/orders HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n5\r\n{"pet`,
    "GET / HTTP/9.9\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\nxx",
    noise(),
  ];
  const ways = [
    (socket: Socket) => socket.end(),
    (socket: Socket) => socket.destroy(),
    // TLS cannot be reset so.
    (socket: Socket) => (target.isTls ? socket.destroy() : socket.resetAndDestroy()),
  ];
  await each(count, async (index) => {
    for (const [at, bytes] of sent.entries()) {
      const socket = connectTo(target, address(index));
      socket.on("error", () => {});
      const closed = new Promise((resolve) => socket.once("close", resolve));
      await once(socket, target.isTls ? "secureConnect" : "connect");
      socket.resume().write(bytes);
      // Most have been read, and have begun to be answered.
      if (bytes.length > 60)
        await Promise.race([once(socket, "data").catch(() => {}), closed, ms(20)]);
      ways[(index + at) % ways.length]?.(socket);
      await closed;
    }
  });
  // TLS that does not begin, or is something else.
  await each(count, async (index) => {
    for (const bytes of ["\x16\x03\x01", noise()]) {
      const socket = connectTcp({
        port: target.port,
        host: "127.0.0.1",
        localAddress: address(index),
      });
      socket.on("error", () => {});
      socket.resume().end(bytes, "latin1");
      await once(socket, "close");
    }
  });
}

const ms = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

async function openSession({ port, isTls }: Target): Promise<ClientHttp2Session> {
  const session = connectHttp2(`${isTls ? "https" : "http"}://127.0.0.1:${port}`, {
    rejectUnauthorized: false,
  });
  session.on("error", () => {});
  await once(session, "remoteSettings");
  return session;
}

/** Opens a stream of HTTP/2. It ends when it is closed. */
function open(session: ClientHttp2Session, headers: OutgoingHttpHeaders, body?: Uint8Array) {
  const stream = session.request({ ":method": body ? "POST" : "GET", ...headers });
  stream.on("error", () => {}).resume();
  if (body) stream.write(body);
  return {
    stream,
    closed: new Promise((resolve) => stream.once("close", resolve)),
    begun: new Promise((resolve) => stream.once("response", resolve).once("close", resolve)),
  };
}

/** Ends sessions of HTTP/2 in several ways, with calls and watches open. */
async function sessions(target: Target, count: number): Promise<void> {
  const authorization = `Bearer ${target.key}`;
  await each(count, async (index) => {
    for (const end of [
      (session: ClientHttp2Session) => session.close(),
      (session: ClientHttp2Session) => session.destroy(),
      (session: ClientHttp2Session) => session.destroy(new Error("left"), constants.NGHTTP2_CANCEL),
      (session: ClientHttp2Session) => session.goaway(constants.NGHTTP2_NO_ERROR),
    ]) {
      const session = await openSession(target);
      const closed = new Promise((resolve) => session.once("close", resolve));
      const list = open(session, { ":path": "/v1/inventory", authorization });
      const read = open(session, { ":path": "/v1/inventory/1", authorization });
      const watch = open(session, { ":path": "/v1/inventory:watch", authorization });
      await (index % 2 === 0 ? watch.begun : list.begun);
      end(session);
      await Promise.race([list.closed, read.closed, ms(500)]);
      session.destroy();
      await closed;
    }
  });
}

const rpcTypes = ["connect+json", "connect+proto", "grpc", "grpc-web"];

/** The headers and the body of a stream by RPC. */
function rpcStream(path: string, type: string, json: object, bytes: string) {
  const message = type.endsWith("json") ? JSON.stringify(json) : Buffer.from(bytes, "latin1");
  const body = encodeEnvelope(0, Buffer.from(message));
  return [{ ":path": path, "content-type": `application/${type}` }, body] as const;
}

/** Ends streams of HTTP/2 in every way. */
async function streams(target: Target, count: number): Promise<void> {
  const authorization = `Bearer ${target.key}`;
  const watch = "/inventory.v1.InventoryService/WatchInventory";
  const importing = "/catalog.v1.CatalogService/ImportPets";
  const kinds: (readonly [OutgoingHttpHeaders, body?: Uint8Array])[] = [
    [{ ":path": "/v1/inventory:watch" }],
    [{ ":path": "/v1/inventory:watch", accept: "text/event-stream" }],
    ...rpcTypes.map((type) => rpcStream(watch, type, {}, "")),
    // A pet that stays, with nothing changed.
    ...rpcTypes
      .filter((type) => type !== "grpc-web")
      .map((type) => rpcStream(importing, type, { pets: [{ petId: 1 }] }, "\n\x02\x08\x01")),
    ...rpcTypes.map((type) => rpcStream("/grpc.health.v1.Health/Watch", type, {}, "")),
    rpcStream("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", "grpc", {}, ":\0"),
    [{ ":path": "/v1/inventory/1", ":method": "PATCH" }, Buffer.from('{"quan')],
    rpcStream("/inventory.v1.InventoryService/UpdateInventory", "grpc", {}, "\x08\x01"),
  ];
  const reset = (stream: ClientHttp2Stream, code: number) => {
    stream.close(code);
    stream.destroy();
  };
  const cancel = (stream: ClientHttp2Stream) => reset(stream, constants.NGHTTP2_CANCEL);
  const ways: ((stream: ClientHttp2Stream, begun: Promise<unknown>) => unknown)[] = [
    cancel,
    (stream) => setImmediate(cancel, stream),
    async (stream, begun) => {
      // An import responds at its end only.
      await Promise.race([begun, ms(5)]);
      cancel(stream);
    },
    async (stream, begun) => {
      stream.end();
      await Promise.race([begun, ms(5)]);
      cancel(stream);
    },
    (stream) => reset(stream, constants.NGHTTP2_INTERNAL_ERROR),
  ];
  await each(count, async (index) => {
    // One connection may reset only so many streams.
    const session = await openSession(target);
    for (const [headers, body] of kinds) {
      for (const [at, end] of ways.entries()) {
        const deadline = at === 1 ? { "grpc-timeout": "5m", "connect-timeout-ms": "5" } : {};
        const { stream, begun, closed } = open(
          session,
          { ...headers, ...deadline, authorization },
          body,
        );
        if (index % 2 === 0) stream.pause();
        await end(stream, begun);
        await closed;
      }
    }
    session.close();
    session.destroy();
  });
}
