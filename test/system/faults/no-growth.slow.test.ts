import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { beforeAll, expect, test } from "vitest";
import { connectHttp1 } from "../../../packages/connect-gateway/test/server/support/http1-client.ts";
import { newAccountId, newApiKey } from "../../../src/access/api-key.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { openRedisStores } from "../../support/redis-stores.ts";
import { useRedis } from "../../support/stores.ts";
import { type ServerProcess, useServers } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";
import { send } from "./client.ts";

/** Number of requests before the first measurement, to compile code and fill caches and pools. */
const warmUp = 6_000;
const requests = 20_000;
/** Timeout for the whole test on a busy machine, in ms. */
const timeout = 60_000;

/**
 * Most growth of the live bytes in a round: less than the smallest object for each request would take. Half of it is
 * for code that is compiled late.
 */
const maxLiveGrowth = 50 * requests;

/**
 * Most growth of the resident bytes. The allocator keeps some free memory, and the young generation grows under load.
 * A leak of whole requests, of 5 KB each, would exceed it.
 */
const maxResidentGrowth = 100 * 1024 * 1024;

// With an option, Redis is a separate server for this file.
const redis = useRedis("--maxmemory-policy", "noeviction");
const servers = useServers();
const own: { server?: ServerProcess; key: string } = { key: "" };

beforeAll(async () => {
  const stores = openRedisStores(redis.url);
  await stores.ready(5_000);
  const limits = { perMinute: 1_000_000, perDay: 1_000_000 };
  const accountId = await addAccount(stores, { plan: "enterprise", limits });
  own.key = (await addKey(stores, accountId)).secret;
  await stores.close();
  own.server = await servers.start(
    { REDIS_URL: redis.url, ANONYMOUS_PER_MINUTE: "1000000", ANONYMOUS_PER_DAY: "1000000" },
    "--expose-gc",
    // Otherwise a measurement can depend on which code was not used lately.
    "--no-flush-bytecode",
    `--import=${new URL("../harness/memory-probe.ts", import.meta.url)}`,
  );
});

const noise = (bytes = 12) => randomBytes(bytes).toString("hex");

/** A kind of invalid request: the statuses that are right for it, and how to make the nth one. */
type Garbage = readonly [
  statuses: readonly number[],
  request: (index: number) => readonly [line: string, headers?: string, body?: string],
];

function kindsOfGarbage(key: string): readonly Garbage[] {
  const good = `Authorization: Bearer ${key}\r\n`;
  const json = `${good}Content-Type: application/json\r\n`;
  const proto = `${good}Content-Type: application/proto\r\n`;
  const rpc = "POST /inventory.v1.InventoryService";
  const unknown = () => newApiKey(newAccountId());
  const client = (index: number) => `X-Forwarded-For: 198.51.${(index >> 8) % 256}.${index % 256}`;
  return [
    [[401], () => ["GET /v1/inventory", `Authorization: Bearer ${noise()}\r\n`]],
    [[401], () => ["GET /v1/inventory", `Authorization: Bearer ${unknown()}\r\n`]],
    [[401], (index) => ["GET /v1/inventory", `${client(index)}\r\n`]],
    [[404], () => [`GET /${noise()}/${noise()}`, good]],
    [[400], () => [`GET /v1/inventory?${noise()}=${noise()}`, good]],
    [[404], (index) => [`GET /v1/pets/${index + 1}`, good]],
    [[400], () => [`PATCH /v1/inventory/${noise()}`, json, '{"quantity":1}']],
    [[400], () => ["PATCH /v1/inventory/1", json, noise(40)]],
    [[400], () => ["PATCH /v1/inventory/1", json, `{"${noise()}":1}`]],
    [[404], (index) => [`PATCH /v1/inventory/${index + 1}`, json, `{"quantity":${index}}`]],
    [[405], (index) => [`DELETE /v1/inventory/${index + 1}`, good]],
    [[404], () => [`${rpc}/${noise()}`, json, noise()]],
    [[400], () => [`${rpc}/ListInventory`, json, noise()]],
    // Other gRPC servers also respond with `internal` to bytes that are not a message.
    [[400, 500], () => [`${rpc}/UpdateInventory`, proto, noise()]],
    [[415], () => [`${rpc}/ListInventory`, `${good}Content-Type: ${noise()}\r\n`, noise()]],
  ];
}

/**
 * Sends invalid requests over keep-alive connections, one of every kind at once on each, and checks the status of
 * every response.
 */
async function sendGarbage(port: number, count: number): Promise<void> {
  const kinds = kindsOfGarbage(own.key);
  const surprises: string[] = [];
  let next = 0;
  async function oneConnection(): Promise<void> {
    const { socket, response } = await connectHttp1(port);
    const again: Garbage[] = [];
    while (next < count || again.length > 0) {
      const batch = again.length > 0 ? again.splice(0) : kinds;
      const texts = batch.map(([, request]) => {
        const [line, headers = "", body = ""] = request(next++);
        const length = body === "" ? "" : `Content-Length: ${body.length}\r\n`;
        return `${line} HTTP/1.1\r\nHost: x\r\n${headers}${length}\r\n${body}`;
      });
      socket.write(texts.join(""));
      for (const kind of batch) {
        const { status, body } = await response();
        // On a busy machine, the server refuses some requests for overload.
        if (status === 503 && body.includes("The server is overloaded.")) again.push(kind);
        else if (!kind[0].includes(status)) surprises.push(`${status} ${body}`);
      }
    }
    const closed = once(socket, "close");
    socket.end();
    await closed;
  }
  await Promise.all(Array.from({ length: 32 }, oneConnection));
  expect(surprises.slice(0, 3)).toEqual([]);
}

/** Opens connections, sends bytes that are not valid HTTP, and waits until the server has closed each. */
async function sendNoise(port: number, count: number): Promise<void> {
  const batch = 50;
  for (let sent = 0; sent < count; sent += batch) {
    await Promise.all(
      Array.from({ length: batch }, async (_, index) => {
        const socket = connect(port, "127.0.0.1");
        socket.on("error", () => {});
        socket.resume();
        socket.end(index % 2 === 0 ? randomBytes(200) : `${noise()} / HTTP/1.1\r\nHost: x\r\n\r\n`);
        await once(socket, "close");
      }),
    );
  }
}

/** Number of open files and connections of a process. */
function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Waits until the connections are closed, and measures the memory of the server. */
async function measure(server: ServerProcess, idleFiles: number) {
  await until("all connections are closed", () => openFiles(server.pid) <= idleFiles);
  const lines = () => [...server.stdout.matchAll(/^memory (\d+) (\d+)$/gm)];
  const before = lines().length;
  server.kill("SIGUSR2");
  const line = await until("memory is measured", () => lines()[before]);
  return { live: Number(line[1]), resident: Number(line[2]) };
}

/** Whether a key of Redis does not belong to an hour or a day. */
const isLasting = (key: string) => !/:(?:day|hour|top-requests|top-refused):\d+$/.test(key);

test("20,000 invalid requests, twice, leave no memory, files or Redis keys behind", {
  timeout,
}, async () => {
  const { server } = own;
  if (!server) {
    throw new Error("the server runs only while tests do");
  }
  const idleFiles = openFiles(server.pid);
  await sendGarbage(server.port, warmUp);
  await sendNoise(server.port, 100);
  const before = await measure(server, idleFiles);
  const keysBefore = await redis.client.keys("*");

  // A leak grows in both rounds. Code that is compiled late makes only one of them grow.
  const grown: number[] = [];
  let after = before;
  for (let round = 0; round < 2; round++) {
    const begin = after;
    await sendGarbage(server.port, requests);
    await sendNoise(server.port, 500);
    after = await measure(server, idleFiles);
    grown.push(after.live - begin.live);
  }

  expect(Math.min(...grown), `grown by ${grown}`).toBeLessThan(maxLiveGrowth);
  expect(after.resident - before.resident).toBeLessThan(maxResidentGrowth);
  // One Redis key for the address that all requests came from, and none for unknown API keys.
  const keys = await redis.client.keys("*");
  expect(keys.filter(isLasting).sort()).toEqual(keysBefore.filter(isLasting).sort());
  // Usage has keys for the hour and the day, which can change during the test.
  expect(keys.length - keys.filter(isLasting).length).toBeLessThanOrEqual(6);
  // All requests come from one address, despite their X-Forwarded-For.
  expect(keys.filter((key) => key.startsWith("inv:{address:"))).toHaveLength(1);
  expect(keys.filter(isLasting)).toHaveLength(5);
  expect((await send(`${server.url}/v1/inventory`, { key: own.key })).status).toBe(200);
  expect(server.exit).toBeUndefined();
  expect(server.stderr).toBe("");
  expect(server.stdout).not.toContain('"level":50');
});
