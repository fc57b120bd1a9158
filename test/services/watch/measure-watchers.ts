/**
 * Measures one process with many watches, on a separate Redis: `npm run task measure-watchers -- 5000`.
 * Prints the memory of the server, and the time from a change until the last watch receives it.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { startRedisServer } from "../../support/redis-server.ts";
import { openRedisStores } from "../../support/redis-stores.ts";

const count = Number(process.argv[2] ?? 5_000);
const bounds = {
  MAX_WATCHES: String(count),
  MAX_WATCHES_PER_ACCOUNT: String(count),
  MAX_WATCHES_PER_KEY: String(count),
};
const changes = 20;
const pets = 100;

const redis = await startRedisServer();
const stores = openRedisStores(redis.url);
await stores.ready(5_000);
const limits = { perMinute: 1_000_000, perDay: 1_000_000 };
const { secret } = await addKey(stores, await addAccount(stores, { plan: "enterprise", limits }));
await stores.inventory.put(
  Array.from({ length: pets }, (_, index) => ({
    petId: BigInt(index + 1),
    quantity: 0,
    status: PetStatus.AVAILABLE,
  })),
);
const server = spawn(process.execPath, ["src/main.ts"], {
  env: { ...process.env, REDIS_URL: redis.url, PORT: "0", ADMIN_ADDR: "", ...bounds },
  stdio: ["ignore", "pipe", "inherit"],
});
const [line] = (await once(server.stdout.setEncoding("utf8"), "data")) as [string];
const port = Number(/127\.0\.0\.1:(\d+)/.exec(line)?.[1]);

function memory(): string {
  const status = readFileSync(`/proc/${server.pid}/status`, "utf8");
  return `${Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)} MiB`;
}

/** CPU time of the server so far, in milliseconds. */
function cpuMs(): number {
  const fields = readFileSync(`/proc/${server.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

process.stdout.write(`memory before: ${memory()}\n`);
/** Number of watches that have received each version. */
const received = new Map<number, number>();
let ready = 0;

function watch(): void {
  const socket = connect(port, "127.0.0.1");
  let rest = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const each of lines) {
      if (each.startsWith('{"ready"')) ready += 1;
      const version = Number(/^\{"change":\{"version":(\d+)/.exec(each)?.[1]);
      if (version) received.set(version, (received.get(version) ?? 0) + 1);
    }
  });
  socket.write(
    `GET /v1/inventory:watch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\nAccept: application/x-ndjson\r\n\r\n`,
  );
}

const begun = performance.now();
for (let made = 0; made < count; made += 1) {
  watch();
  if (made % 100 === 99) await delay(20);
}
while (ready < count) await delay(10);
const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
process.stdout.write(`${count} watches ready after ${seconds} s; memory: ${memory()}\n`);

const times: number[] = [];
const cpu = cpuMs();
for (let made = 1; made <= changes; made += 1) {
  const from = performance.now();
  await stores.inventory.setQuantity(1n, made);
  while ((received.get(pets + made) ?? 0) < count) await delay(1);
  times.push(performance.now() - from);
}
times.sort((a, b) => a - b);
process.stdout.write(
  `one change reaches all watches after ${times[changes / 2]?.toFixed(0)} ms (median), ${times.at(-1)?.toFixed(0)} ms (maximum); ` +
    `CPU time per change: ${((cpuMs() - cpu) / changes).toFixed(0)} ms; memory: ${memory()}\n`,
);

const burst = 1_000;
const from = performance.now();
for (let made = 0; made < burst; made += pets) {
  const updates = Array.from({ length: pets }, (_, at) => ({
    petId: BigInt(at + 1),
    quantity: made + 1_000,
  }));
  await stores.inventory.setQuantities(updates);
}
while ((received.get(pets + changes + burst) ?? 0) < count) await delay(5);
process.stdout.write(
  `${burst} changes at once reach all watches after ${((performance.now() - from) / 1_000).toFixed(1)} s; memory: ${memory()}\n`,
);

server.kill("SIGTERM");
const stopping = performance.now();
await once(server, "exit");
process.stdout.write(
  `the server exited ${(performance.now() - stopping).toFixed(0)} ms after SIGTERM\n`,
);
await stores.close();
await redis.stop();
process.exit(0);
