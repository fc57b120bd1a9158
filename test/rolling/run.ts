/**
 * Restarts two servers in turn, 20 times, while gRPC clients of several languages call them, and counts the calls that
 * are lost. Some clients only: `npm run test:rolling -- go grpc-js`.
 *
 * A client knows the addresses of both servers. grpc-go and grpc-js have them in their resolver, and balance between
 * those that are connected. tonic has a channel for each, and uses the other one for a call that was never sent, because
 * nothing listens at the address or the connection was closed. No client repeats a call that was sent, but for those
 * that the library knows not to have been processed: grpc-go and grpc-js repeat these, tonic does not.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { create, toBinary } from "@bufbuild/protobuf";
import {
  AdjustInventoryRequestSchema,
  InventoryService,
  PetStatus,
} from "../../gen/inventory/v1/inventory_pb.ts";
import { createRedisStores } from "../../src/redis/stores.ts";
import { until } from "../faults/until.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { freePort, startRedisServer } from "../support/redis-server.ts";

const restarts = 20;
const main = join(import.meta.dirname, "../../src/main.ts");
const folder = (name: string) => join(import.meta.dirname, name);

/** How a client is built and run. */
interface Implementation {
  readonly build: readonly string[] | undefined;
  readonly run: readonly [string, ...string[]];
  /** Whether it keeps a connection to each server. */
  readonly isBalancing: boolean;
}

const implementations: Readonly<Record<string, Implementation>> = {
  go: {
    build: ["go", "-C", folder("go"), "build", "-o", "rolling", "."],
    run: [folder("go/rolling")],
    isBalancing: true,
  },
  "grpc-js": {
    build: undefined,
    run: [process.execPath, folder("grpc-js.ts")],
    isBalancing: true,
  },
  tonic: {
    build: ["cargo", "build", "--quiet", "--locked", "--manifest-path", folder("tonic/Cargo.toml")],
    run: [folder("tonic/target/debug/rolling-tonic")],
    isBalancing: false,
  },
};

/** What a client prints at its end. */
interface Outcome {
  readonly ok: number;
  readonly lost: readonly string[];
}

const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(implementations);
const clients = chosen.map((name) => {
  const implementation = implementations[name];
  if (!implementation) {
    throw new Error(`no client ${name}: choose of ${Object.keys(implementations).join(", ")}`);
  }
  return { name, ...implementation };
});
for (const { build } of clients) {
  const [command, ...args] = build ?? [];
  if (command) execFileSync(command, args, { stdio: "inherit" });
}

const children = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

function start(command: readonly [string, ...string[]], env: Readonly<Record<string, string>>) {
  const [program, ...args] = command;
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  children.add(child);
  child.once("exit", () => children.delete(child));
  return child;
}

/** The number of connections to a server that are established. */
function connections(server: ChildProcess, port: number): number {
  const local = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const rows = readFileSync(`/proc/${server.pid}/net/tcp`, "utf8").split("\n");
  return rows.filter((row) => {
    const [, address = "", , state] = row.trim().split(/\s+/);
    return address.endsWith(local) && state === "01";
  }).length;
}

const redis = await startRedisServer();
const stores = createRedisStores(redis.url);
await stores.ready(5_000);
const limits = { perMinute: 1_000_000, perDay: 1_000_000 };
const { secret } = await addKey(stores, await addAccount(stores, { plan: "enterprise", limits }));

/** Starts a server, and waits until it is live. */
async function startServer(port: number): Promise<ChildProcess> {
  const environment = { REDIS_URL: redis.url, HOST: "127.0.0.1", PORT: `${port}` };
  const server = start([process.execPath, main], { ...environment, LOG_LEVEL: "warn" });
  server.stdout.resume();
  const isLive = () =>
    fetch(`http://127.0.0.1:${port}/livez`, { headers: { connection: "close" } }).then(
      ({ ok }) => ok,
      () => false,
    );
  await until("the server is live", isLive, 20_000);
  return server;
}

const balancing = clients.filter(({ isBalancing }) => isBalancing).length;

/** Waits until each client that balances is connected to a server. */
async function areConnected(server: ChildProcess, port: number): Promise<void> {
  await until("the clients are connected", () => connections(server, port) >= balancing, 20_000);
}

const servers = await Promise.all(
  Array.from({ length: 2 }, async () => {
    const port = await freePort();
    return { port, process: await startServer(port) };
  }),
);

const running = await Promise.all(
  clients.map(async (client, index) => {
    const petId = BigInt(index + 1);
    await stores.inventory.create({ petId, quantity: 0, status: PetStatus.AVAILABLE });
    const { adjustInventory } = InventoryService.method;
    const message = create(AdjustInventoryRequestSchema, { petId, delta: 1 });
    const child = start(client.run, {
      ADDRESSES: servers.map(({ port }) => `127.0.0.1:${port}`).join(","),
      AUTHORIZATION: `Bearer ${secret}`,
      METHOD: `/${adjustInventory.parent.typeName}/${adjustInventory.name}`,
      REQUEST: Buffer.from(toBinary(AdjustInventoryRequestSchema, message)).toString("hex"),
    });
    return { name: client.name, petId, child, output: text(child.stdout) };
  }),
);
await Promise.all(servers.map((server) => areConnected(server.process, server.port)));

const begun = performance.now();
for (let restart = 0; restart < restarts; restart += 1) {
  const server = servers[restart % 2];
  if (!server) throw new Error("there is no such server");
  const ended = once(server.process, "exit");
  server.process.kill("SIGTERM");
  const [code] = await ended;
  if (code !== 0) throw new Error(`a server ended with ${code}`);
  server.process = await startServer(server.port);
  await areConnected(server.process, server.port);
}
const seconds = (performance.now() - begun) / 1_000;

let failed = false;
for (const { name, petId, child, output } of running) {
  child.stdin.end();
  const { ok, lost }: Outcome = JSON.parse(await output);
  const made = (await stores.inventory.get(petId))?.quantity;
  const isGood = lost.length === 0 && made === ok && ok > restarts;
  failed ||= !isGood;
  const counts = `${ok} calls succeeded, ${lost.length} were lost, ${made} changes were made`;
  process.stdout.write(`${isGood ? "ok  " : "FAIL"} ${name}: ${counts}\n`);
  for (const error of new Set(lost)) process.stdout.write(`     ${error}\n`);
}
process.stdout.write(`${restarts} restarts in ${seconds.toFixed(0)} s\n`);
for (const server of servers) server.process.kill("SIGTERM");
await stores.close();
await redis.stop();
process.exit(failed ? 1 : 0);
