import { create, toBinary } from "@bufbuild/protobuf";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import { expect, onTestFinished, test } from "vitest";
import {
  AdjustInventoryRequestSchema,
  InventoryService,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import { useRedis } from "../../support/stores.ts";
import { type ServerProcess, useServers } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";
import { keepAlive, send } from "./client.ts";
import { useStores } from "./stores.ts";

/** Number of clients, each with a connection of its own and one call at a time. */
const grpcClients = 8;
const http1Clients = 4;

const redis = useRedis();
const servers = useServers();
const own = useStores(redis);

const { adjustInventory } = InventoryService.method;
const adjustPath = `/${adjustInventory.parent.typeName}/${adjustInventory.name}`;
const adjustMessage = Buffer.from(
  toBinary(
    AdjustInventoryRequestSchema,
    create(AdjustInventoryRequestSchema, { petId: 1n, delta: 1 }),
  ),
);
const asItIs = (bytes: Buffer) => bytes;

/**
 * A grpc-js client with a connection of its own. It retries only calls that were not processed. Node's client refuses
 * such a call itself when it reads GOAWAY before it has sent the call.
 */
function grpcJs(port: number): () => Promise<void> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
    "grpc.use_local_subchannel_pool": 1,
  });
  onTestFinished(() => client.close());
  const metadata = new Metadata();
  metadata.set("authorization", `Bearer ${own.key}`);
  return () =>
    new Promise((resolve, reject) => {
      const options = { deadline: Date.now() + 5_000 };
      const sent = [adjustPath, asItIs, asItIs, adjustMessage, metadata, options] as const;
      client.makeUnaryRequest(...sent, (error) => (error ? reject(error) : resolve()));
    });
}

/** A client with one HTTP/1.1 connection. */
function http1(url: string): () => Promise<void> {
  const agent = keepAlive(1);
  onTestFinished(() => agent.destroy());
  return async () => {
    const { status, body } = await send(`${url}/v1/inventory/1:adjust`, {
      method: "POST",
      key: own.key,
      agent,
      headers: { "content-type": "application/json" },
      body: '{"delta":1}',
    });
    if (status !== 200) throw new Error(`${status} ${body}`);
  };
}

/** The workers that served the requests in a part of the log, in order. Its first and last lines may be cut. */
function workersOf(log: string): readonly unknown[] {
  const lines = log
    .split("\n")
    .filter((line) => line.startsWith('{"level":') && line.endsWith("}"));
  return lines
    .map((line) => JSON.parse(line))
    .flatMap((line) => (line.msg === "request" ? line.worker : []));
}

/** The process ids of the workers, in the order in which they began to listen. */
function pidsOf({ stdout }: ServerProcess): readonly number[] {
  return [...stdout.matchAll(/"pid":(\d+),[^\n]*"msg":"listening"/g)].map(([, pid]) => Number(pid));
}

test("connections that reach their age under load lose no call, and spread over the workers again", async () => {
  const server = await servers.start({
    REDIS_URL: redis.url,
    WORKERS: "2",
    ACCESS_LOG: "all",
    ACCESS_LOG_LINES_PER_SECOND: "1000000",
    MAX_CONNECTION_AGE_MS: "1000",
  });
  await server.printed('"msg":"listening"', 2, 15_000);
  // With one worker killed, all connections are those of the other one.
  process.kill(Number(pidsOf(server)[0]), "SIGKILL");
  await server.printed("a worker ended and is replaced");
  const clients = [
    ...Array.from({ length: grpcClients }, () => grpcJs(server.port)),
    ...Array.from({ length: http1Clients }, () => http1(server.url)),
  ];
  const before = server.stdout.length;
  await Promise.all(clients.map((call) => call()));
  await until("the log has every request", () => {
    const workers = workersOf(server.stdout.slice(before));
    return workers.length === clients.length && new Set(workers).size === 1;
  });

  let made = clients.length;
  const lost: unknown[] = [];
  let isStopped = false;
  const load = clients.map(async (call) => {
    while (!isStopped) {
      await call().then(
        () => {
          made += 1;
        },
        (error) => lost.push(error),
      );
    }
  });
  onTestFinished(() => {
    isStopped = true;
  });
  await server.printed('"msg":"listening"', 3, 15_000);
  await until(
    "each worker serves a third of the calls",
    () => {
      const latest = workersOf(server.stdout.slice(-100_000));
      const ofFirst = latest.filter((worker) => worker === latest[0]).length;
      return ofFirst > latest.length / 3 && ofFirst < (2 * latest.length) / 3;
    },
    15_000,
  );
  isStopped = true;
  await Promise.all(load);
  expect(lost).toEqual([]);
  expect((await own.stores.inventory.get(1n))?.quantity).toBe(made);
  expect(server.stdout).not.toContain('"msg":"a request failed because of a bug"');
});
