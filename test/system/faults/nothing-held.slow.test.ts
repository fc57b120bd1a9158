import { join } from "node:path";
import { expect, test } from "vitest";
import { scopes } from "../../../src/access/scopes.ts";
import { dayMs } from "../../../src/common/durations.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { createCertificate } from "../../support/certificate.ts";
import { useDirectory } from "../../support/directory.ts";
import { growth, type HeapCensus, heapCensus, newHeld } from "../../support/heap-census.ts";
import { openRedisStores } from "../../support/redis-stores.ts";
import { useRedis } from "../../support/stores.ts";
import { type Inspector, inspect } from "../harness/inspector.ts";
import { useServers } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";
import { clientOf, doEverything, type Target } from "./everything.ts";

/** Values of everything that a caller can vary. */
const values = 120;
/** Values before the first census, which compile the code. */
const warmUp = 60;
/** A place of the heap with so many more objects than before keeps something of each value. */
const leak = values / 2;
/** Timeout for a busy machine, in ms. */
const timeout = 240_000;

/** What may stay: each place has a bound of its own, which a test of its subject holds. */
const allowed: readonly RegExp[] = [
  // Of node, which fills them late: queues of a fixed size, and its constants.
  /(?:^| )(?:queue|asyncHandledRejections) FixedQueue$/,
  /> constants Object$/,
  // Owners without a place are removed when there are 1,000.
  / SharedPool > #ofTexts Map$/,
  / UnreadLedger > #groups Map$/,
  // The last 10,000 addresses and keys.
  /^floods Map$/,
  /^keys Map$/,
  /^knownKeys Map$/,
  /^memoized Map$/,
  // The last 1,000 reads that were recorded, and 1,000 keys of the summary of this minute.
  /^recordedAt Map$/,
  /^byKey Map$/,
  // Ended orders, which a sweep of each minute removes.
  /^(?:stock Object > )?orders Array(?: > {2}Object)?$/,
  // At most 8,192 counters of addresses, and the ids of deleted accounts, of the store in memory.
  /^addresses Map$/,
  /^deleted Set$/,
];

const isAllowed = (place: string) => allowed.some((each) => each.test(place));

const limits = { perMinute: 1_000_000, perDay: 1_000_000_000 };
const directory = useDirectory();
// With an option, Redis is a separate server for this file.
const redis = useRedis("--maxmemory-policy", "noeviction");
const servers = useServers();

async function start(environment: Record<string, string>) {
  const server = await servers.start(
    {
      ANONYMOUS_PER_MINUTE: "1000000",
      ANONYMOUS_PER_DAY: "1000000",
      CORS_ORIGINS: "*",
      TRUSTED_PROXIES: "127.0.0.2",
      KEEP_ALIVE_TIMEOUT_MS: "500",
      HISTORY_LENGTH: "1000",
      AUDIT_LENGTH: "1000",
      ...environment,
    },
    "--inspect=127.0.0.1:0",
    `--import=${clocks}`,
  );
  return { server, inspector: await inspect(server.stderr) };
}

/** Counts what a process holds, and its open connections and timers. */
async function census(inspector: Inspector, before?: HeapCensus): Promise<HeapCensus> {
  const active = await inspector.run<string[]>("process.getActiveResourcesInfo()");
  const file = join(directory, "heap");
  const write = `process.getBuiltinModule("node:v8").writeHeapSnapshot(${JSON.stringify(file)})`;
  await inspector.run(write);
  const found = heapCensus(file, isAllowed, before);
  for (const kind of active) {
    const held = found.places.getOrInsertComputed(`open ${kind}`, newHeld);
    held.objects += 1;
    held.added += 1;
  }
  return found;
}

/** Loaded before the service, because some of its parts keep the function that returns the time. */
const clocks = `data:text/javascript,${encodeURIComponent(`
  globalThis.skippedMs = 0;
  for (const clock of [Date, performance]) {
    const now = clock.now.bind(clock);
    clock.now = () => now() + globalThis.skippedMs;
  }`)}`;

/** Longer than anything is remembered that is not counted. */
const longMs = 100 * dayMs;

/**
 * Uses values that were not used before, lets their time pass, and returns the places that hold more than before.
 *
 * @param round from 1 on. Each uses more values than all before it, so that there are also new addresses
 */
async function heldAfter(round: number, target: Target, inspector: Inspector): Promise<string[]> {
  const before = await census(inspector);
  await doEverything(target, round * values, round * 1_000_000);
  const aheadMs = round * longMs;
  await inspector.run(`globalThis.skippedMs = ${aheadMs}`);
  // What is removed when it is next used, or added to.
  await doEverything({ ...target, aheadMs }, 3, round * 1_000_000 + 500_000);
  let grown: string[] = [];
  // What is removed by the next check of each second, or of ten.
  const isGone = async () => {
    grown = growth(before, await census(inspector, before), leak);
    return grown.length === 0;
  };
  await until("nothing is held", isGone).catch(() => {});
  return grown;
}

async function expectNothingHeld(target: Target, inspector: Inspector): Promise<void> {
  await doEverything(target, warmUp, 1_000);
  // What V8 or the program makes once, late, is not made again. What is kept of each value is.
  if ((await heldAfter(1, target, inspector)).length === 0) return;
  const ahead = { ...target, aheadMs: longMs };
  expect(await heldAfter(2, ahead, inspector)).toEqual([]);
}

test("nothing of what came and went is held, with the store in memory", { timeout }, async () => {
  const { server, inspector } = await start({ LOG_LEVEL: "warn" });
  const place = { port: server.port, isTls: false };
  const sample = clientOf({ ...place, key: /inv_\w+/.exec(server.stdout)?.[0] ?? "" });
  const plan = { name: "x", plan: "PLAN_ENTERPRISE", limits };
  const { accountId } = (await sample.admin("CreateAccount", plan)).account;
  const { secret } = await sample.admin("CreateKey", { accountId, scopes });
  // The sample has the pet that all requests can read.
  await sample.call(200, "DELETE /v1/catalog/1");
  sample.close();
  await expectNothingHeld({ ...place, key: secret }, inspector);
});

test("nothing of what came and went is held, with Redis and TLS", { timeout }, async () => {
  const stores = openRedisStores(redis.url);
  await stores.ready(5_000);
  const accountId = await addAccount(stores, { plan: "enterprise", limits });
  const { secret } = await addKey(stores, accountId, { scopes });
  await stores.close();
  const certificate = join(directory, "tls");
  createCertificate(certificate, "IP:127.0.0.1");
  const { server, inspector } = await start({
    REDIS_URL: redis.url,
    TLS_CERT: `${certificate}.crt`,
    TLS_KEY: `${certificate}.key`,
  });
  await expectNothingHeld({ port: server.port, isTls: true, key: secret }, inspector);
});
