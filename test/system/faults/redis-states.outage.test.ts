import { connect } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import { useRedis } from "../../support/stores.ts";
import { type ServerProcess, useServers } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";
import { recoverWithinMs } from "./bounds.ts";
import { connectClient, grpcClient, keepAlive, restClient, send } from "./client.ts";
import { useStores } from "./stores.ts";
import { createTraffic } from "./traffic.ts";
import { expectUnavailable } from "./unavailable.ts";

const redis = useRedis(
  ...["--appendonly", "yes", "--enable-debug-command", "yes", "--rdbcompression", "no"],
);
const servers = useServers();
const own = useStores(redis);
let started: Promise<ServerProcess> | undefined;

/** One server for all tests, started by the first. */
function server(): Promise<ServerProcess> {
  started ??= servers.start({ REDIS_URL: redis.url });
  return started;
}

/** Waits until the service succeeds, and checks that this is in time after Redis was back. */
async function expectBack(back: number): Promise<void> {
  const { url } = await server();
  await until("the service is back", async () => {
    const { status } = await send(`${url}/v1/inventory`, { key: own.key });
    return status === 200;
  });
  expect(performance.now() - back).toBeLessThan(recoverWithinMs);
  expect((await send(`${url}/readyz`)).status).toBe(200);
}

test("changes of one event-loop tick that fail together: each response has its own request id", async () => {
  const { port } = await server();
  const ids = ["first", "second", "third"];
  const requests = ids.map((id) =>
    [
      "PATCH /v1/inventory/1 HTTP/1.1",
      "Host: 127.0.0.1",
      `Authorization: Bearer ${own.key}`,
      "Content-Type: application/json",
      "Content-Length: 14",
      `X-Request-Id: ${id}`,
      "",
      '{"quantity":1}',
    ].join("\r\n"),
  );
  await redis.client.rename("inv:{stock}:changes", "kept");
  await redis.client.set("inv:{stock}:changes", "not a stream");
  let received = "";
  const socket = connect(port, "127.0.0.1").setEncoding("latin1");
  socket.on("data", (text: string) => {
    received += text;
  });
  socket.write(requests.join(""));
  await until("all responses have arrived", () => received.split("HTTP/1.1 ").length > ids.length);
  socket.destroy();
  await redis.client.rename("kept", "inv:{stock}:changes");
  expect(received.match(/(?<=HTTP\/1.1 )\d+/g)).toEqual(["503", "503", "503"]);
  expect(received.match(/(?<=^x-request-id: )\S+/gim)).toEqual(ids);
});

test("every request succeeds while Redis repeatedly loses its scripts under load", async () => {
  const { url } = await server();
  const traffic = createTraffic();
  for (let index = 0; index < 8; index++) {
    const rest = restClient(url, own.key, keepAlive(1));
    traffic.add("read", rest.list);
    traffic.add("update", () => rest.set(1n, index));
    traffic.add("connect", connectClient(url, own.key, keepAlive(1)).list);
    traffic.add("grpc", grpcClient(url, own.key).list);
  }
  for (let round = 1; round <= 20; round++) {
    await until("there is traffic", () => traffic.samples.length > round * 60);
    await redis.client.script("FLUSH");
  }
  // So fast that Redis loses a script again before a refused call has been resent.
  for (let round = 1; round <= 500; round++) {
    await redis.client.script("FLUSH");
  }
  const flushed = traffic.samples.length;
  await until("there is traffic", () => traffic.samples.length > flushed + 200);
  await traffic.stop();
  expect(traffic.samples.filter(({ code }) => code !== "ok").slice(0, 5)).toEqual([]);
});

describe("Redis replies, but refuses commands", () => {
  /** A state of Redis, and how to enter and leave it. */
  const states = [
    {
      name: "a read-only replica",
      begin: () => redis.client.replicaof("127.0.0.1", "1"),
      end: () => redis.client.replicaof("NO", "ONE"),
    },
    {
      name: "a replica without its data",
      async begin() {
        await redis.client.config("SET", "replica-serve-stale-data", "no");
        await redis.client.replicaof("127.0.0.1", "1");
      },
      async end() {
        await redis.client.replicaof("NO", "ONE");
        await redis.client.config("SET", "replica-serve-stale-data", "yes");
      },
    },
    {
      name: "too few replicas",
      begin: () => redis.client.config("SET", "min-replicas-to-write", "1"),
      end: () => redis.client.config("SET", "min-replicas-to-write", "0"),
    },
  ];
  afterAll(async () => {
    for (const { end } of states) {
      await end();
    }
  });

  for (const { name, begin, end } of states) {
    test(`${name}: 503 without details, then recovery`, async () => {
      const { url } = await server();
      await expectBack(performance.now());
      await begin();
      await expectUnavailable(url, own.key);
      expect((await send(`${url}/readyz`)).status).toBe(503);
      const logged = (await server()).stdout;
      await end();
      await expectBack(performance.now());
      expect(logged).not.toContain("a request failed because of a bug");
    });
  }

  for (const reconnects of [false, true]) {
    test(`503 while Redis loads its data, ${reconnects ? "on a new connection" : "on the old connection"}`, async () => {
      const { url } = await server();
      const filler = redis.client.pipeline();
      for (let index = 0; index < 50; index++) {
        filler.set(`filler:${index}`, "x".repeat(1_500));
      }
      await filler.exec();
      // With 20 ms for each key, loading takes a second.
      await redis.client.config("SET", "key-load-delay", "20000");
      await redis.client.config("SET", "loading-process-events-interval-bytes", "1024");
      if (reconnects) await redis.client.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      let loaded: number | undefined;
      const reload = redis.client.call("DEBUG", "RELOAD").then(() => {
        loaded = performance.now();
      });
      await until("Redis is loading", async () => {
        const { status } = await send(`${url}/v1/inventory`, { key: own.key });
        return status === 503;
      });
      await expectUnavailable(url, own.key);
      expect(loaded).toBeUndefined();
      await reload;
      await expectBack(loaded ?? 0);
      await redis.client.config("SET", "key-load-delay", "0");
    });
  }
});
