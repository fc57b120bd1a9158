/**
 * Measures one process with many watches whose clients do not read, on a separate Redis:
 * `npm run task measure-stalled -- http1 1000 20000` (protocol: http1, http2 or health; watches; pets).
 * Prints the memory of the server per watch, and how soon the watches end after their key is revoked.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { openConnections } from "../../support/open-connections.ts";
import { startRedisServer } from "../../support/redis-server.ts";
import { openRedisStores } from "../../support/redis-stores.ts";

const kind = process.argv[2] ?? "http1";
const count = Number(process.argv[3] ?? 1_000);
const pets = Number(process.argv[4] ?? 5_000);
const perSession = Number(process.argv[5] ?? 1);
const heartbeatMs = 1_000;

const redis = await startRedisServer();
const stores = openRedisStores(redis.url);
await stores.ready(5_000);
const limits = { perMinute: 1_000_000, perDay: 1_000_000 };
const key = await addKey(stores, await addAccount(stores, { plan: "enterprise", limits }));
for (let from = 0; from < pets; from += 200) {
  await stores.inventory.put(
    Array.from({ length: Math.min(200, pets - from) }, (_, index) => ({
      petId: BigInt(from + index + 1),
      quantity: 0,
      status: PetStatus.AVAILABLE,
    })),
  );
}
const server = spawn(
  process.execPath,
  ["--expose-gc", "--import=./test/faults/memory-probe.ts", "src/main.ts"],
  {
    env: {
      ...process.env,
      REDIS_URL: redis.url,
      PORT: "0",
      ADMIN_ADDR: "",
      WATCH_HEARTBEAT_MS: String(heartbeatMs),
      MAX_WATCHES: "100000",
      MAX_WATCHES_PER_ACCOUNT: "100000",
      MAX_WATCHES_PER_KEY: "100000",
      MAX_HEALTH_WATCHES: "100000",
      MAX_HEALTH_WATCHES_PER_ADDRESS: "100000",
      MAX_HEALTH_WATCHES_PER_CONNECTION: "100000",
    },
    stdio: ["ignore", "pipe", "inherit"],
  },
);
let output = "";
server.stdout.setEncoding("utf8").on("data", (text: string) => {
  output += text;
});
while (!output.includes("listening")) await delay(10);
const port = Number(/127\.0\.0\.1:(\d+)/.exec(output)?.[1]);

/** Memory in bytes after garbage collection: live heap, resident, and TCP buffers of the kernel. */
async function memory(): Promise<{ live: number; resident: number; kernel: number }> {
  // Two collections, because V8 returns freed pages to the system a little later.
  server.kill("SIGUSR2");
  await delay(3_000);
  const lines = () => [...output.matchAll(/^memory (\d+) (\d+)$/gm)];
  const before = lines().length;
  server.kill("SIGUSR2");
  while (lines().length === before) await delay(10);
  const [, live, resident] = lines().at(-1) ?? [];
  const pages = Number(/^TCP: .* mem (\d+)/m.exec(readFileSync("/proc/net/sockstat", "utf8"))?.[1]);
  return { live: Number(live), resident: Number(resident), kernel: pages * 4_096 };
}

const connections = new Set<Socket | ClientHttp2Session>();
let ended = 0;

function overHttp1(): void {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {}).pause();
  connections.add(socket);
  socket.write(
    `GET /v1/inventory:watch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key.secret}\r\nAccept: application/x-ndjson\r\n\r\n`,
  );
}

let session: ClientHttp2Session | undefined;
let onSession = 0;
function overHttp2(path: string): void {
  if (!session || onSession >= perSession) {
    session = connectHttp2(`http://127.0.0.1:${port}`, {
      settings: { initialWindowSize: kind === "health" ? 65_535 : 0 },
    });
    session.on("error", () => {});
    connections.add(session);
    onSession = 0;
  }
  onSession += 1;
  const stream = session.request({
    ":method": "POST",
    ":path": path,
    "content-type": "application/grpc",
    te: "trailers",
    authorization: `Bearer ${key.secret}`,
  });
  stream
    .on("error", () => {})
    .on("close", () => {
      ended += 1;
    });
  stream.end(Buffer.alloc(5));
}

const report = (name: string, bytes: number) =>
  process.stdout.write(`${name}: ${(bytes / 1024).toFixed(1)} KiB per watch\n`);

if (kind === "health") {
  // Warm-up: code is compiled.
  for (let i = 0; i < 200; i += 1) overHttp2("/grpc.health.v1.Health/Check");
  await delay(500);
  session?.destroy();
  session = undefined;
  ended = 0;
}
await delay(1_000);
const before = await memory();
for (let made = 0; made < count; made += 1) {
  if (kind === "http1") overHttp1();
  else if (kind === "http2") overHttp2("/inventory.v1.InventoryService/WatchInventory");
  else overHttp2("/grpc.health.v1.Health/Watch");
  if (made % 10 === 9) await delay(pets > 1_000 ? 100 : 10);
}
await delay(4_000);
const after = await memory();
process.stdout.write(
  `${count} watches over ${kind}, ${pets} pets: RSS ${(after.resident / 2 ** 20).toFixed(0)} MiB\n`,
);
report("live heap", (after.live - before.live) / count);
report("resident memory", (after.resident - before.resident) / count);
report("TCP buffers of server and client", (after.kernel - before.kernel) / count);

if (kind !== "health") {
  const connected = () => openConnections(port);
  process.stdout.write(`connections before the key is revoked: ${connected()}\n`);
  const from = performance.now();
  await stores.accounts.revokeKey(key.keyId);
  const all = () => (kind === "http1" ? connected() === 0 : ended === count);
  while (!all() && performance.now() - from < 15_000) await delay(20);
  process.stdout.write(
    `${kind === "http1" ? connected() : count - ended} watches left ${((performance.now() - from) / 1_000).toFixed(1)} s after the key was revoked (heartbeat ${heartbeatMs} ms); RSS ${((await memory()).resident / 2 ** 20).toFixed(0)} MiB\n`,
  );
}
for (const each of connections) each.destroy();
server.kill("SIGTERM");
await once(server, "exit");
await stores.close();
await redis.stop();
process.exit(0);
