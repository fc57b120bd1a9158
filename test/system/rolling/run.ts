/**
 * Restarts two servers alternately while clients in several languages call them, and counts the failed calls. It does
 * so twice: with gRPC clients that know the addresses of both servers, and with clients of all protocols behind
 * haproxy, which polls `/readyz`.
 *
 * `npm run task rolling` makes 20 restarts without haproxy and 50 with it. With `--quick`, as in CI, it makes 10 and 8.
 * Names select clients: `npm run task rolling -- go json`.
 *
 * No client retries a call that was sent, unless the library knows that it was not processed, as grpc-go and grpc-js do.
 */
import { get } from "node:http";
import { parseArgs } from "node:util";
import { create, toBinary } from "@bufbuild/protobuf";
import {
  AdjustInventoryRequestSchema,
  InventoryService,
  PetStatus,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { openRedisStores } from "../../support/redis-stores.ts";
import { type Child, startChild } from "../harness/child.ts";
import { startHaproxy } from "../harness/haproxy.ts";
import { freePort, startRedisServer } from "../harness/redis-server.ts";
import { runServer } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";
import { buildClients, type NamedClient } from "./clients.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: "boolean", default: false } },
});
const restarts = values.quick ? { direct: 10, balanced: 8 } : { direct: 20, balanced: 50 };
const clients = buildClients(positionals);

/**
 * The pause of a client after each call, in ms. Behind haproxy there are more clients, and a busy machine would delay
 * Redis beyond the time budget of a server.
 */
const pauseMs = { direct: 2, balanced: 20 };

/** The age of connections behind haproxy, in ms, so that they also end between two restarts. */
const maxAgeMs = 3_000;

/** How long a server, its connections and its checks may take to be ready, in ms. A busy machine takes long. */
const startMs = 60_000;

/** The JSON that a client prints before it exits. */
interface Outcome {
  readonly ok: number;
  readonly lost: readonly string[];
}

/** The clients that each server has served: the ids of its requests, which are the names of the clients. */
const served = new WeakMap<Child, Set<string>>();

const redis = await startRedisServer();
const stores = openRedisStores(redis.url);
await stores.ready(5_000);
const limits = { perMinute: 1_000_000, perDay: 1_000_000 };
const { secret } = await addKey(stores, await addAccount(stores, { plan: "enterprise", limits }));

/** Starts a server, and waits until `/livez` is 200. Prints the warnings and errors of its log. */
async function startServer(
  port: number,
  settings: Readonly<Record<string, string>>,
): Promise<Child> {
  const names = new Set<string>();
  const own = { REDIS_URL: redis.url, HOST: "127.0.0.1", PORT: `${port}`, LOG_LEVEL: "warn" };
  const server = runServer(
    { ...own, ...settings },
    {
      stdio: ["ignore", "pipe", "inherit"],
      keepsOutput: false,
      onLine(line) {
        const { level, requestId } = JSON.parse(line);
        if (requestId !== undefined) names.add(requestId);
        if (level >= 40) process.stdout.write(`${line}\n`);
      },
    },
  );
  served.set(server, names);
  await server.until("the server is live", () => isLive(port), startMs);
  return server;
}

/** Whether `/livez` is 200. Waits until the connection is closed, so that it is not taken for that of a client. */
function isLive(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    let isOk = false;
    const sent = get({ port, host: "127.0.0.1", path: "/livez", agent: false }, (response) => {
      isOk = response.statusCode === 200;
      response.resume();
    });
    sent.once("error", () => {});
    sent.once("socket", (socket) => socket.once("close", () => resolve(isOk)));
  });
}

interface Server {
  readonly port: number;
  process: Child;
}

function startServers(settings: Readonly<Record<string, string>> = {}): Promise<Server[]> {
  return Promise.all(
    Array.from({ length: 2 }, async () => {
      const port = await freePort();
      return { port, process: await startServer(port, settings) };
    }),
  );
}

interface Running {
  readonly name: string;
  readonly petId: bigint;
  readonly child: Child;
}

let lastPetId = 0n;

/** Starts a client, which adds to the quantity of a pet of its own. */
async function startClient(
  { run }: NamedClient,
  name: string,
  ports: readonly number[],
  pause: number,
): Promise<Running> {
  lastPetId += 1n;
  const petId = lastPetId;
  await stores.catalog.create({ petId, quantity: 0, status: PetStatus.AVAILABLE });
  const { adjustInventory } = InventoryService.method;
  const message = create(AdjustInventoryRequestSchema, { petId, delta: 1 });
  const env = {
    PATH: process.env.PATH,
    NAME: name,
    ADDRESSES: ports.map((port) => `127.0.0.1:${port}`).join(","),
    AUTHORIZATION: `Bearer ${secret}`,
    PET_ID: `${petId}`,
    PAUSE_MS: `${pause}`,
    METHOD: `/${adjustInventory.parent.typeName}/${adjustInventory.name}`,
    REQUEST: Buffer.from(toBinary(AdjustInventoryRequestSchema, message)).toString("hex"),
  };
  return { name, petId, child: startChild(run, { env, stdio: ["pipe", "pipe", "inherit"] }) };
}

/**
 * Restarts the servers alternately.
 *
 * @param settle waits until the next server can be stopped
 */
async function restart(
  servers: readonly Server[],
  times: number,
  settings: Readonly<Record<string, string>>,
  settle: (server: Server) => Promise<void>,
): Promise<void> {
  const begun = performance.now();
  for (let done = 0; done < times; done += 1) {
    const server = servers[done % servers.length];
    if (!server) throw new Error("no such server");
    server.process.kill("SIGTERM");
    const { code } = await server.process.exited(startMs);
    if (code !== 0) throw new Error(`a server exited with code ${code}`);
    server.process = await startServer(server.port, settings);
    await settle(server);
  }
  const seconds = (performance.now() - begun) / 1_000;
  process.stdout.write(`${times} restarts in ${seconds.toFixed(0)} s\n`);
}

/** Ends a client, and prints its calls. @returns whether it lost no call */
async function report({ name, petId, child }: Running, times: number): Promise<boolean> {
  child.child.stdin?.end();
  await child.exited(startMs);
  const { ok, lost }: Outcome = JSON.parse(child.stdout);
  const made = (await stores.inventory.get(petId))?.quantity;
  const isGood = lost.length === 0 && made === ok && ok > times;
  const counts = `${ok} calls succeeded, ${lost.length} failed, ${made} changes were made`;
  process.stdout.write(`${isGood ? "ok  " : "FAIL"} ${name}: ${counts}\n`);
  for (const error of new Set(lost)) process.stdout.write(`     ${error}\n`);
  return isGood;
}

async function finish(
  servers: readonly Server[],
  running: readonly Running[],
  times: number,
): Promise<boolean> {
  const good: boolean[] = [];
  for (const client of running) good.push(await report(client, times));
  for (const server of servers) server.process.kill("SIGKILL");
  return good.every((isGood) => isGood);
}

/** Restarts the servers while gRPC clients know both. Nothing polls readiness, so the servers drain at once. */
async function runDirect(times: number): Promise<boolean> {
  const chosen = clients.filter(({ isBalancing }) => isBalancing);
  if (chosen.length === 0) return true;
  /** Waits until a server has served each client. A client with a connection may not use it yet. */
  const settle = async (server: Server) => {
    const isReady = () => chosen.every(({ name }) => served.get(server.process)?.has(name));
    await until("the clients use the server", isReady, startMs);
  };
  const settings = { ACCESS_LOG: "all", ACCESS_LOG_LINES_PER_SECOND: "1000000" };
  const servers = await startServers(settings);
  const ports = servers.map(({ port }) => port);
  const running = await Promise.all(
    chosen.map((client) => startClient(client, client.name, ports, pauseMs.direct)),
  );
  await Promise.all(servers.map(settle));
  await restart(servers, times, settings, settle);
  return finish(servers, running, times);
}

/** Restarts the servers while clients of all protocols reach them through haproxy. */
async function runBalanced(times: number): Promise<boolean> {
  const settings = { MAX_CONNECTION_AGE_MS: `${maxAgeMs}` };
  const servers = await startServers(settings);
  const balancer = await startHaproxy(servers.map(({ port }) => port));
  await balancer.settled(startMs);
  const running = await Promise.all(
    clients.flatMap((client) =>
      client.frontends.map((frontend) =>
        startClient(
          client,
          `${client.name} through haproxy (${frontend})`,
          [balancer[frontend]],
          pauseMs.balanced,
        ),
      ),
    ),
  );
  await restart(servers, times, settings, () => balancer.settled(startMs));
  const isGood = await finish(servers, running, times);
  await balancer.stop();
  return isGood;
}

const isGood = [await runDirect(restarts.direct), await runBalanced(restarts.balanced)];
await stores.close();
await redis.stop();
process.exit(isGood.includes(false) ? 1 : 0);
