/**
 * Measures how much more CPU time Redis needs because requests are counted for reports, for accounts that are shipped
 * after different numbers of requests. Rounds with and without counting alternate.
 */
import { parseArgs } from "node:util";
import { Redis } from "ioredis";
import { createUsageShipper } from "../src/services/usage/usage-shipper.ts";
import { constantTimeBudget } from "../src/stores/redis/connection/time-budget.ts";
import { createRedisStores } from "../src/stores/redis/stores.ts";
import { addAccount, addKey, type TestKey } from "../test/support/accounts.ts";
import { startBenchRedis } from "./redis.ts";

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } });

const accounts = 100;
/** Decisions of a round. */
const decisions = values.quick ? 20_000 : 60_000;
const rounds = values.quick ? 3 : 7;
/** Decisions that share a script call, as in a busy event-loop tick. */
const together = 16;
/** Requests of an account between two batches with its counts. */
const shippedAfter = [1, 10, 50, 200];

const { server } = await startBenchRedis();
const client = new Redis(server.url);
const stores = createRedisStores(server.url, { timeBudget: constantTimeBudget(5_000) });
await stores.ready(5_000);
const choice = {
  plan: "enterprise",
  limits: { perMinute: 1_000_000, perDay: 1_000_000_000 },
} as const;
const keys: (TestKey & { readonly accountId: string })[] = [];
for (let at = 0; at < accounts; at += 1) {
  const accountId = String(at).padStart(12, "0");
  await addAccount(stores, choice, accountId);
  keys.push({ accountId, ...(await addKey(stores, accountId)) });
}

/** Returns the CPU time of Redis so far, in microseconds. */
async function cpuMicros(): Promise<number> {
  const info = await client.info("cpu");
  const [user, system] = ["user", "sys"].map((kind) =>
    Number(new RegExp(`used_cpu_${kind}:([\\d.]+)`).exec(info)?.[1]),
  );
  return ((user ?? 0) + (system ?? 0)) * 1_000_000;
}

/**
 * Decides on requests of all accounts in turn. @param after the requests of an account between two batches; 0 without
 * counting. @returns the CPU time of Redis for a decision, in microseconds
 */
async function round(after: number): Promise<number> {
  const counter = createUsageShipper(stores.usage, {
    onDropped: (requests) => {
      throw new Error(`${requests} requests were dropped`);
    },
    onFault: (error) => {
      throw error;
    },
    // Only this program ships counts.
    intervalMs: 3_600_000,
  });
  const before = await cpuMicros();
  let sinceShipped = 0;
  for (let made = 0; made < decisions; made += together) {
    const batch = Array.from({ length: together }, (_, at) => keys[(made + at) % accounts]);
    await Promise.all(
      batch.map(async (key) => {
        if (!key) return;
        const decision = await stores.admission.admitKey(key.accountId, key.keyHash);
        if (decision.verdict !== "admitted") throw new Error(decision.verdict);
        if (after > 0) counter.count(key, "admitted", decision.decidedAt, 1);
      }),
    );
    sinceShipped += together;
    if (after > 0 && sinceShipped >= after * accounts) {
      sinceShipped = 0;
      await counter.shipAll();
    }
  }
  await counter.close();
  return ((await cpuMicros()) - before) / decisions;
}

function medianOf(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

await round(0);
process.stdout.write("requests between batches | without, µs | with, µs | more\n");
for (const after of shippedAfter) {
  const without: number[] = [];
  const counted: number[] = [];
  for (let made = 0; made < rounds; made += 1) {
    without.push(await round(0));
    counted.push(await round(after));
  }
  const [old, own] = [medianOf(without), medianOf(counted)];
  const more = `${(100 * (own / old - 1)).toFixed(1)} %`;
  process.stdout.write(`${after} | ${old.toFixed(2)} | ${own.toFixed(2)} | ${more}\n`);
}
await stores.close();
client.disconnect();
await server.stop();
