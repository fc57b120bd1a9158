import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { promisify } from "node:util";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  GetInventoryItemRequestSchema,
  GetInventoryItemResponseSchema,
  PetStatus,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import { readConfig } from "../../../src/config/config.ts";
import { unknownOrigin } from "../../../src/stores/stock-change.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { createCertificate } from "../../support/certificate.ts";
import { useDirectory } from "../../support/directory.ts";
import { openRedisStores } from "../../support/redis-stores.ts";
import { kindsOf, startWatch, watchProtocols } from "../../support/watch.ts";
import type { Child } from "../harness/child.ts";
import { freePort, type RedisServer, startRedisServer } from "../harness/redis-server.ts";
import { type ServerProcess, startServer } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";
import { proxies, startProxy } from "./proxies.ts";
import { parseYaml } from "./tools.ts";

const project = join(import.meta.dirname, "../../..");
const runFile = promisify(execFile);

/** Most requests without a key from one address. */
const anonymousPerMinute = 5;
/** Pause between the calls of a client during a restart, in ms. */
const pauseMs = 20;

const directory = useDirectory();
const certificate = join(directory, "tls.crt");
const method = "/inventory.v1.InventoryService/GetInventoryItem";

/** The part of Envoy's configuration with limits for the service. */
interface Resources {
  readonly clusters: readonly {
    readonly circuit_breakers: { readonly thresholds: readonly { max_requests: number }[] };
  }[];
}

let redis: RedisServer;
let stores: ReturnType<typeof openRedisStores>;
let secret: string;

beforeAll(async () => {
  createCertificate(join(directory, "tls"), "IP:127.0.0.1,DNS:localhost");
  const pem = ["tls.crt", "tls.key"].map((file) => readFileSync(join(directory, file), "utf8"));
  writeFileSync(join(directory, "tls.pem"), pem.join(""));
  setDefaultCACertificates([...getCACertificates(), pem[0] ?? ""]);
  redis = await startRedisServer("--appendonly", "yes");
  stores = openRedisStores(redis.url);
  await stores.ready(5_000);
  const limits = { perMinute: 1_000_000, perDay: 1_000_000 };
  const account = await addAccount(stores, { plan: "enterprise", limits });
  ({ secret } = await addKey(stores, account));
  await stores.catalog.put(
    [{ petId: 1n, quantity: 5, status: PetStatus.AVAILABLE }],
    unknownOrigin,
  );
});
afterAll(async () => {
  await stores?.close();
  await redis?.stop();
});

test("the example for Envoy lets through as many streams as its two servers accept", () => {
  const file = readFileSync(
    join(import.meta.dirname, "../../../deploy/proxies/envoy.yaml"),
    "utf8",
  );
  const [{ static_resources: resources }] = parseYaml(file) as [{ static_resources: Resources }];
  const [limits] = resources.clusters[0]?.circuit_breakers.thresholds ?? [];
  const most = 2 * readConfig({}).inFlight.maxStreams;
  expect(limits?.max_requests).toBeGreaterThanOrEqual(most);
});

describe.each(proxies)("the example for $name", (proxy) => {
  let port: number;
  let servers: ServerProcess[];
  let running: Child;

  beforeAll(async () => {
    const settings = {
      REDIS_URL: redis.url,
      TRUSTED_PROXIES: "127.0.0.1",
      ANONYMOUS_PER_MINUTE: `${anonymousPerMinute}`,
      ADMIN_ADDR: "",
    };
    servers = await Promise.all([startServer(settings), startServer(settings)]);
    const [first = 0, second = 0] = servers.map(({ url }) => Number(new URL(url).port));
    port = await freePort();
    const place = { directory, port, servers: [first, second] as const, admin: await freePort() };
    running = startProxy(proxy, place);
    const isReady = () =>
      send({ path: "/readyz" }).then(
        ({ status }) => status === 200,
        () => false,
      );
    await running.until(`${proxy.name} serves`, isReady, 15_000);
  });
  afterAll(async () => {
    await running?.end("SIGTERM");
    await Promise.all(servers?.map((server) => server.end("SIGTERM")) ?? []);
  });

  const url = () => `https://127.0.0.1:${port}`;

  /** Sends a request over HTTP/1.1 on a connection of its own. */
  async function send(options: {
    path: string;
    method?: string;
    headers?: Readonly<Record<string, string>>;
    localAddress?: string;
    body?: string;
  }): Promise<{ status: number; body: unknown }> {
    const sent = request({ host: "127.0.0.1", port, agent: false, ...options });
    sent.end(options.body);
    const [response] = await once(sent, "response");
    return { status: response.statusCode, body: await json(response) };
  }

  test.each(["--http1.1", "--http2"])("passes JSON from curl %s", async (version) => {
    const { stdout } = await runFile("curl", [
      ...["--silent", "--show-error", "--fail", version, "--cacert", certificate],
      ...["--write-out", "%{http_version}", "--header", `Authorization: Bearer ${secret}`],
      `${url()}/v1/inventory/1`,
    ]);
    const protocol = version === "--http2" ? "2" : "1.1";
    expect(stdout).toBe(`{"petId":1,"quantity":5,"status":"available"}${protocol}`);
  });

  test.each(["grpc", "grpcweb", "connect"])("passes %s from buf curl", async (protocol) => {
    const { stdout } = await runFile("npx", [
      ...["buf", "curl", "--schema", project, "--protocol", protocol, "--cacert", certificate],
      ...["--header", `Authorization: Bearer ${secret}`, "--data", '{"petId":"1"}'],
      `${url()}${method}`,
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ item: { petId: "1", quantity: 5 } });
  });

  /** Calls GetInventoryItem with grpc-js, until the test ends. */
  function grpcClient(): (petId: bigint) => Promise<number | undefined> {
    const channel = credentials.createSsl(readFileSync(certificate));
    // grpc-js sends the name of the host to the proxy, and an address is not a name.
    const client = new Client(`127.0.0.1:${port}`, channel, {
      "grpc.ssl_target_name_override": "localhost",
    });
    onTestFinished(() => client.close());
    const metadata = new Metadata();
    metadata.set("authorization", `Bearer ${secret}`);
    return (petId) =>
      new Promise((resolve, reject) => {
        client.makeUnaryRequest(
          method,
          (id: bigint) =>
            Buffer.from(
              toBinary(
                GetInventoryItemRequestSchema,
                create(GetInventoryItemRequestSchema, { petId: id }),
              ),
            ),
          (bytes) => fromBinary(GetInventoryItemResponseSchema, bytes),
          petId,
          metadata,
          { deadline: Date.now() + 10_000 },
          (error, value) => (error ? reject(error) : resolve(value?.item?.quantity)),
        );
      });
  }

  test("passes calls and errors of grpc-js", async () => {
    const call = grpcClient();
    expect(await call(1n)).toBe(5);
    // NOT_FOUND, with its message.
    await expect(call(404n)).rejects.toMatchObject({
      code: 5,
      details: expect.stringContaining("404"),
    });
  });

  test.each(watchProtocols)(
    "passes each event of a watch over $name as it is sent",
    async (protocol) => {
      const watch = startWatch(protocol, { url: url(), secret });
      await until("the snapshot", () => watch.token !== "");
      await stores.catalog.put(
        [{ petId: 2n, quantity: 1 + watchProtocols.indexOf(protocol), status: PetStatus.SOLD }],
        unknownOrigin,
      );
      // The watch stays open: an event that the proxy held back would not arrive.
      await until("the change", () => kindsOf(watch.received).includes("change"), 5_000);
      expect(watch.end).toBeUndefined();
    },
  );

  test("passes the refusal of a request before its body has arrived", async () => {
    const sent = request({
      ...{ host: "127.0.0.1", port, agent: false, method: "PATCH", path: "/v1/inventory/1" },
      headers: { "content-type": "application/json", "content-length": "1000" },
      localAddress: "127.0.1.1",
    });
    onTestFinished(() => void sent.destroy());
    sent.once("error", () => {});
    sent.write("{");
    const [response] = await once(sent, "response");
    expect(response.statusCode).toBe(401);
  });

  test("tells the service the addresses of clients, whatever they claim", async () => {
    const number = 2 + proxies.indexOf(proxy);
    const anonymous = (localAddress: string, claimed: string) =>
      send({ path: "/v1/inventory", localAddress, headers: { "x-forwarded-for": claimed } });
    const statuses: number[] = [];
    for (let at = 0; at <= anonymousPerMinute; at += 1) {
      statuses.push((await anonymous(`127.0.${number}.1`, `192.0.2.${at}`)).status);
    }
    expect(statuses).toEqual([...Array.from({ length: anonymousPerMinute }, () => 401), 429]);
    expect((await anonymous(`127.0.${number}.2`, "192.0.2.1")).status).toBe(401);
  });

  test("loses no call while one of two servers stops", async () => {
    const call = grpcClient();
    const headers = { authorization: `Bearer ${secret}` };
    const [stopping] = servers;
    let isStopped = false;
    const stopped = stopping?.end("SIGTERM").finally(() => {
      isStopped = true;
    });
    const counts = { json: 0, grpc: 0 };
    // After the end, the proxy must still find the other server: ten more calls.
    let more = 10;
    while (!isStopped || more > 0) {
      if (isStopped) more -= 1;
      const response = await send({ path: "/v1/inventory/1", headers });
      expect(response).toMatchObject({ status: 200, body: { quantity: 5 } });
      counts.json += 1;
      expect(await call(1n)).toBe(5);
      counts.grpc += 1;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    await stopped;
    servers.shift();
    expect(counts.json).toBeGreaterThanOrEqual(10);
  });
});
