import { setTimeout as delay } from "node:timers/promises";
import { Redis } from "ioredis";
import { ChangeReason, PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { newAccountId } from "../../src/access/api-key.ts";
import { type Scope, scopes } from "../../src/access/scopes.ts";
import { unknownOrigin } from "../../src/stores/stock-change.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { until } from "../faults/until.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { type LiveServer, startLiveServer } from "../support/live-server.ts";
import { type RedisServer, startRedisServer } from "../support/redis-server.ts";
import { openRedisStores } from "../support/redis-stores.ts";
import { type Attack, createFindings, type Keys, type Target } from "./attacks/attack.ts";
import { ask, http1, probeAddress } from "./attacks/wire.ts";
import type { HonestReport } from "./honest.ts";
import { attackFromProcess, type HonestClients, startHonestClients } from "./processes.ts";
import { bounds, isMachineShared, serverNodeOptions, serverSettings } from "./settings.ts";

const pets = 10_000;
/** The unloaded latency is measured this often; the best period counts, because the machine may be busy in the others. */
const unloadedPeriods = 3;
const unloadedMs = 1_500;
/** Time before the first measurement, in ms: connections open and code is compiled. */
const warmUpMs = 4_000;
/** Warm-up time of a replacement server, in ms. */
const shortWarmUpMs = 2_000;
/** Shortest measured period, in ms: with fewer requests, one or two of them would decide the p99. */
const leastWindowMs = 1_500;
const sampleMs = 20;
/** Time between two probes of `/livez`, in ms. */
const probeEveryMs = 50;
/** Longest time until the server has returned the memory of an attack, in ms. */
const returnMs = 60_000;
/** Failures of honest requests that a busy machine can cause. */
const lateFailure =
  /^(?!the watch).*(?:deadline|timed? ?out|aborted|ECONNRESET|EPIPE|no response within \d|503 |\[unavailable\])/;
const noLimits = { perMinute: 1_000_000, perDay: 1_000_000_000 };

/** The result of an attack. */
export interface Verdict {
  readonly attack: Attack;
  /** Honest p99 latency in ms. */
  readonly p99: number;
  /** `p99` divided by the unloaded p99. */
  readonly ratio: number;
  /** p99 latency of the control, a server that does nothing, at the same time, in ms. */
  readonly controlP99: number;
  /** Highest resident memory of the server, in MB. */
  readonly peakResident: number;
  readonly logBytes: number;
  readonly seconds: number;
  /** Violated expectations; empty if the service withstood the attack. */
  readonly findings: readonly string[];
}

/** A server with honest traffic, as the target of attacks. */
export interface Arena {
  /** Honest latency without an attack. */
  readonly unloaded: HonestReport;
  /** Runs an attack. Replaces the server after a failure, so that the next verdict does not depend on it. */
  withstand(attack: Attack): Promise<Verdict>;
  /** Commands that took Redis more than 10 ms. */
  slowCommands(): Promise<readonly SlowCommand[]>;
  close(): Promise<void>;
}

/** A slow Redis command. The name of a script call is its hash and its first key. */
interface SlowCommand {
  readonly name: string;
  readonly ms: number;
}

/** Starts Redis, the server and honest clients, and measures the unloaded latency. */
export async function openArena(): Promise<Arena> {
  const redis = await startRedisServer("--maxmemory-policy", "noeviction");
  const stores = openRedisStores(redis.url);
  await stores.ready(5_000);
  await stock(stores);
  const accounts = await createKeys(stores);
  let stand = await begin(redis, accounts.honest, warmUpMs);
  const unloaded = await measureUnloaded(stand.honest);

  async function replace(): Promise<void> {
    await stand.honest.stop();
    await stand.server.kill();
    stand = await begin(redis, accounts.honest, shortWarmUpMs);
  }

  return {
    unloaded,
    async withstand(attack) {
      const { server } = stand;
      const target: Target = {
        port: server.port,
        redisUrl: redis.url,
        keys: { ...accounts.keys, ...(await doomedKey(stores)) },
      };
      const verdict = await attacked(attack, target, stand, unloaded);
      if (verdict.findings.length > 0) await replace();
      return verdict;
    },
    slowCommands: () => slowCommands(redis.url),
    async close() {
      await stand.honest.stop();
      await stand.server.kill();
      await stores.close();
      await redis.stop();
    },
  };
}

/** A server under honest traffic. */
interface Stand {
  readonly server: LiveServer;
  readonly honest: HonestClients;
  /** Resident memory before the first attack, in MB. */
  readonly restMegabytes: number;
}

async function begin(redis: RedisServer, key: string, warmMs: number): Promise<Stand> {
  const environment = { ...serverSettings, REDIS_URL: redis.url };
  const server = await startLiveServer(environment, serverNodeOptions);
  const honest = startHonestClients(server.port, key);
  await delay(warmMs);
  await honest.end();
  return { server, honest, restMegabytes: server.residentMegabytes() };
}

async function measureUnloaded(honest: HonestClients): Promise<HonestReport> {
  const reports: HonestReport[] = [];
  for (let n = 0; n < unloadedPeriods; n++) {
    honest.begin();
    await delay(unloadedMs);
    reports.push(await honest.end());
  }
  return reports.reduce((best, each) => (each.p99 < best.p99 ? each : best));
}

async function attacked(
  attack: Attack,
  target: Target,
  { server, honest, restMegabytes }: Stand,
  unloaded: HonestReport,
): Promise<Verdict> {
  const begun = performance.now();
  const logBefore = server.log.bytes;
  const bugsBefore = server.log.bugs.length;
  // What the attack before has left, at most `bounds.keptMegabytes`.
  const heldMegabytes = Math.max(0, server.residentMegabytes() - restMegabytes);
  let peakResident = 0;
  const sampling = setInterval(() => {
    peakResident = Math.max(peakResident, server.residentMegabytes());
  }, sampleMs);
  honest.begin();
  const over = new AbortController();
  const probes = probeLivez(target, over.signal);
  const [own] = await Promise.all([attackFromProcess(attack, target), delay(leastWindowMs)]);
  over.abort();
  const probed = await probes;
  const report = await honest.end();
  clearInterval(sampling);
  const seconds = (performance.now() - begun) / 1_000;
  const left = await leftMemory(server, restMegabytes + bounds.keptMegabytes);

  const logBytes = server.log.bytes - logBefore;
  // On a busy machine, a server that does nothing is slow too.
  const usual = Math.max(unloaded.p99, report.controlP99);
  const { burstMs = 0 } = attack;
  const mostP99 = Math.max(bounds.p99Factor * usual + burstMs, bounds.p99FloorMs);
  const ownResident = Math.max(bounds.residentMegabytes, attack.residentMegabytes ?? 0);
  const mostResident = Math.round(ownResident + heldMegabytes);
  const mostLog = Math.max(bounds.logBytes, bounds.logBytesPerSecond * seconds);
  const bugs = server.log.bugs.slice(bugsBefore);
  const findings = [
    ...(server.ended ? [`the server exited: ${server.ended}: ${causeOf(server)}`] : []),
    ...own,
    ...probed,
    ...report.failures
      .filter((failure) => !isMachineShared || !lateFailure.test(failure))
      .map((failure) => `honest ${failure}`),
    ...(!isMachineShared && report.p99 > mostP99
      ? [`honest p99 was ${Math.round(report.p99)} ms (limit ${Math.round(mostP99)} ms)`]
      : []),
    ...(peakResident > mostResident
      ? [`RSS reached ${Math.round(peakResident)} MB (limit ${mostResident} MB)`]
      : []),
    ...left,
    ...(logBytes > mostLog
      ? [`the server logged ${logBytes} bytes (limit ${Math.round(mostLog)})`]
      : []),
    ...(bugs.length > 0 ? [`the log reports a bug: ${bugs[0]?.slice(0, 400)}`] : []),
  ];
  return {
    attack,
    p99: report.p99,
    ratio: report.p99 / unloaded.p99,
    controlP99: report.controlP99,
    peakResident,
    logBytes,
    seconds,
    findings,
  };
}

/** Asks for `/livez` on new connections until the signal is aborted. @returns the violated expectations */
async function probeLivez(target: Target, signal: AbortSignal): Promise<readonly string[]> {
  const found = createFindings();
  while (!signal.aborted) {
    const { status, ms } = await ask(target, http1("GET", "/livez"), {
      from: probeAddress,
      timeoutMs: 2 * bounds.livezMs,
    });
    found.expect(status === 200, `/livez: status ${status}`);
    found.expect(ms <= bounds.livezMs, `/livez took more than ${bounds.livezMs} ms`);
    await delay(probeEveryMs);
  }
  return found.list;
}

/**
 * Waits until the server has returned the memory of an attack, because the next one begins with what it holds.
 *
 * @returns the finding, if it has not within a minute
 */
async function leftMemory(server: LiveServer, mostResident: number): Promise<string[]> {
  const isSmall = () => server.ended !== undefined || server.residentMegabytes() <= mostResident;
  try {
    await until("the server returns memory", isSmall, returnMs);
    return [];
  } catch {
    const left = Math.round(server.residentMegabytes());
    return [`RSS was still ${left} MB a minute later (limit ${Math.round(mostResident)} MB)`];
  }
}

/** Why a server process exited. Node prints the reason before the native stack. */
function causeOf({ log }: LiveServer): string | undefined {
  return log.tail.find((line) => /FATAL ERROR|Assertion|"level":60/.test(line)) ?? log.tail.at(-1);
}

/** Fills the inventory with 10,000 items of 50,000 units. */
async function stock({ inventory }: Stores): Promise<void> {
  const origin = { ...unknownOrigin, reason: ChangeReason.IMPORT };
  for (let from = 1; from <= pets; from += 1_000) {
    const items = Array.from({ length: 1_000 }, (_, n) => ({
      petId: BigInt(from + n),
      quantity: 50_000,
      status: PetStatus.AVAILABLE,
    }));
    await inventory.put(items, origin);
  }
}

async function createKeys(
  stores: Stores,
): Promise<{ honest: string; keys: Omit<Keys, "doomed" | "doomedId"> }> {
  const keyOf = async (plan: "enterprise" | "free", ...more: readonly Scope[]) => {
    const choice = plan === "free" ? { plan } : { plan, limits: noLimits };
    const account = await addAccount(stores, choice, newAccountId());
    const { secret } = await addKey(stores, account, more.length > 0 ? { scopes: more } : {});
    return secret;
  };
  return {
    honest: await keyOf("enterprise"),
    keys: {
      rich: await keyOf("enterprise"),
      other: await keyOf("enterprise"),
      free: await keyOf("free"),
      admin: await keyOf("enterprise", ...scopes),
    },
  };
}

async function doomedKey(stores: Stores): Promise<Pick<Keys, "doomed" | "doomedId">> {
  const choice = { plan: "enterprise", limits: noLimits } as const;
  const account = await addAccount(stores, choice, newAccountId());
  const { secret, keyId } = await addKey(stores, account);
  return { doomed: secret, doomedId: keyId };
}

async function slowCommands(url: string): Promise<SlowCommand[]> {
  const redis = new Redis(url);
  try {
    const entries = (await redis.slowlog("GET", 128)) as [number, number, number, string[]][];
    return entries.map(([, , micros, command]) => ({
      name: command.slice(0, 4).join(" ").slice(0, 100),
      ms: micros / 1_000,
    }));
  } finally {
    redis.disconnect();
  }
}
