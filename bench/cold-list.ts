/**
 * Measures whole lists of a process that has just started, with a private Redis:
 * `npm run task measure-cold-list -- 1000000 10` (pets, lists per second). Prints when the first list arrived, the outcome of
 * all lists, the latency of concurrent requests for one item, and the server's memory.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { PetStatus } from "../gen/inventory/v1/inventory_pb.ts";
import { createRedisStores } from "../src/stores/redis/stores.ts";
import { addAccount, addKey } from "../test/support/accounts.ts";
import { startRedisServer } from "../test/system/harness/redis-server.ts";

const seconds = 15;
const probeEveryMs = 20;
const changesPerSecond = 20;
const petsAtOnce = 1_000;

interface Target {
  readonly port: number;
  readonly secret: string;
}

/** The outcome of a list request. */
interface Outcome {
  readonly status: number;
  /** On the clock of Date.now(). */
  readonly sentAt: number;
  readonly tookMs: number;
}

if (isMainThread) await measure();
else await sendLists(workerData as Target & { readonly perSecond: number });

/** Gets a path and discards the body. */
async function send({ port, secret }: Target, path: string, agent: Agent): Promise<Outcome> {
  const sentAt = Date.now();
  const begun = performance.now();
  const headers = { authorization: `Bearer ${secret}` };
  const request = get({ host: "127.0.0.1", port, path, agent, headers });
  const [response] = await once(request, "response");
  response.resume();
  await once(response, "end");
  return { status: response.statusCode, sentAt, tookMs: performance.now() - begun };
}

async function sendLists({ perSecond, ...target }: Target & { readonly perSecond: number }) {
  const agent = new Agent({ keepAlive: true });
  const requests: Promise<unknown>[] = [];
  for (let sent = 0; sent < seconds * perSecond; sent += 1) {
    requests.push(
      send(target, "/v1/inventory", agent).then((outcome) => parentPort?.postMessage(outcome)),
    );
    await delay(1_000 / perSecond);
  }
  await Promise.all(requests);
  agent.destroy();
}

async function measure(): Promise<void> {
  const pets = Number(process.argv[2] ?? 1_000_000);
  const perSecond = Number(process.argv[3] ?? 10);
  const redis = await startRedisServer();
  const stores = createRedisStores(redis.url);
  await stores.ready(5_000);
  const limits = { perMinute: 1_000_000, perDay: 1_000_000 };
  const { secret } = await addKey(stores, await addAccount(stores, { plan: "enterprise", limits }));
  for (let from = 0; from < pets; from += petsAtOnce) {
    const items = Array.from({ length: Math.min(petsAtOnce, pets - from) }, (_, at) => ({
      petId: 1_000_000_000_000n + BigInt(from + at),
      quantity: at,
      status: PetStatus.AVAILABLE,
    }));
    while (!(await stores.catalog.put(items).catch(() => undefined))) await delay(100);
  }
  const server = spawn(
    process.execPath,
    [
      "--expose-gc",
      `--import=${new URL("../test/system/harness/memory-probe.ts", import.meta.url)}`,
    ].concat("src/start.js"),
    {
      env: { ...process.env, REDIS_URL: redis.url, PORT: "0" },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  let output = "";
  server.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const found = async (pattern: RegExp) => {
    for (;;) {
      const match = pattern.exec(output);
      if (match) return match;
      await delay(20);
    }
  };
  const target = { port: Number((await found(/127\.0\.0\.1:(\d+)/))[1]), secret };
  const liveBytes = async () => {
    output = "";
    server.kill("SIGUSR2");
    return Number((await found(/memory (\d+) \d+\n/))[1]);
  };
  const agent = new Agent({ keepAlive: true });
  const probe = () => send(target, "/v1/inventory/1000000000000", agent);
  const write = (line: string) => process.stdout.write(`${line}\n`);

  for (let warm = 0; warm < 200; warm += 1) await probe();
  const empty = await liveBytes();
  write(`before: ${await latencies(probe, delay(3_000))}; live ${megabytes(empty)}`);

  const lists = async (change: boolean) => {
    const outcomes: Outcome[] = [];
    const worker = new Worker(new URL(import.meta.url), { workerData: { ...target, perSecond } });
    const cpuBefore = cpuMs(server.pid ?? 0);
    let cpuAtFirst: number | undefined;
    worker.on("message", (outcome: Outcome) => {
      outcomes.push(outcome);
      if (outcome.status === 200) cpuAtFirst ??= cpuMs(server.pid ?? 0) - cpuBefore;
    });
    const done = once(worker, "exit");
    let isDone = false;
    const changing = (async () => {
      for (let made = 0; change && !isDone; made += 1) {
        const petId = 1_000_000_000_000n + BigInt((made * 7_919) % pets);
        await stores.inventory.change({ petId, delta: 1 }).catch(() => undefined);
        await delay(1_000 / changesPerSecond);
      }
    })();
    let peak = 0;
    const watch = setInterval(() => {
      peak = Math.max(peak, residentBytes(server.pid ?? 0));
    }, 20);
    const took = await latencies(probe, done);
    isDone = true;
    await changing;
    clearInterval(watch);
    const begun = Math.min(...outcomes.map(({ sentAt }) => sentAt));
    const good = outcomes.filter(({ status }) => status === 200);
    const first = Math.min(...good.map(({ sentAt, tookMs }) => sentAt + tookMs)) - begun;
    const failedAfter = outcomes.filter(
      ({ status, sentAt }) => status !== 200 && sentAt - begun > first,
    );
    write(
      `  ${good.length} of ${outcomes.length} lists were 200, ${failedAfter.length} of those sent after the first were not`,
    );
    write(
      `  first after ${first.toFixed(0)} ms (CPU ${cpuAtFirst} ms); a list took ${spread(good.map(({ tookMs }) => tookMs))}`,
    );
    write(`  one item: ${took}`);
    write(`  resident at most ${megabytes(peak)}, live afterwards ${megabytes(await liveBytes())}`);
  };
  write("cold:");
  await lists(false);
  write("warm:");
  await lists(false);
  write(`with ${changesPerSecond} changes a second:`);
  await lists(true);

  agent.destroy();
  server.kill("SIGTERM");
  await once(server, "exit");
  await stores.close();
  await redis.stop();
}

/** Repeats requests until a promise settles. */
async function latencies(probe: () => Promise<Outcome>, done: Promise<unknown>): Promise<string> {
  const times: number[] = [];
  let isDone = false;
  const end = done.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    const { tookMs } = await probe();
    times.push(tookMs);
    await delay(probeEveryMs);
  }
  await end;
  return spread(times);
}

function spread(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]?.toFixed(1);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, at most ${at(1)} ms`;
}

/** Returns the CPU time of a process so far, in milliseconds. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1_024;
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`;
}
