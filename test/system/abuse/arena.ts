import { setTimeout as delay } from "node:timers/promises";
import { Redis } from "ioredis";
import { ChangeReason } from "../../../gen/inventory/v1/inventory_pb.ts";
import { newAccountId } from "../../../src/access/api-key.ts";
import { type Scope, scopes } from "../../../src/access/scopes.ts";
import { unknownOrigin } from "../../../src/stores/stock-change.ts";
import type { Stores } from "../../../src/stores/stores.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { openRedisStores } from "../../support/redis-stores.ts";
import { itemsFrom } from "../../support/stock.ts";
import { type LiveServer, startLiveServer } from "../harness/live-server.ts";
import { type RedisServer, startRedisServer } from "../harness/redis-server.ts";
import { until } from "../harness/until.ts";
import type { Attack, Keys, Target } from "./attacks/attack.ts";
import { ask, http1, probeAddress } from "./attacks/wire.ts";
import { count, countsOf } from "./failures.ts";
import type { HonestReport } from "./honest.ts";
import {
  attackFromProcess,
  type HonestClients,
  startControl,
  startHonestClients,
} from "./processes.ts";
import { bounds, machine, serverNodeOptions, serverSettings } from "./settings.ts";
import { isMeasurable, judge, type Measured, type Probes, type Verdict } from "./verdict.ts";

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
/** Time after which a probe counts as failed, in ms: a process that hangs. */
const probeTimeoutMs = 16_000;
/** How often an attack is repeated at most, while the machine is too busy to measure anything. */
const mostAttempts = 3;
/** Longest time until the server has returned the memory of an attack, in ms. */
const returnMs = 60_000;
const noLimits = { perMinute: 1_000_000, perDay: 1_000_000_000 };

/** A server with honest traffic, as the target of attacks. */
export interface Arena {
  /** Honest latency without an attack. */
  readonly unloaded: HonestReport;
  /**
   * Runs an attack; again if the machine was too busy to measure anything. Replaces the server after a failure, so that
   * the next verdict does not depend on it.
   */
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

/**
 * Starts Redis, the server and honest clients, and measures the unloaded latency.
 *
 * @param fault a module that gives the server's process a fault, which every attack must find
 */
export async function openArena(fault?: string): Promise<Arena> {
  const nodeOptions = fault === undefined ? [] : ["--import", fault];
  const control = await startControl();
  const redis = await startRedisServer("--maxmemory-policy", "noeviction");
  const stores = openRedisStores(redis.url);
  await stores.ready(5_000);
  await stock(stores);
  const accounts = await createKeys(stores);
  const begin = (warmMs: number) =>
    openStand(redis, accounts.honest, control.port, nodeOptions, warmMs);
  let stand = await begin(warmUpMs);
  const unloaded = await measureUnloaded(stand.honest);

  async function replace(): Promise<void> {
    await stand.honest.stop();
    await stand.server.kill();
    stand = await begin(shortWarmUpMs);
  }

  return {
    unloaded,
    async withstand(attack) {
      for (let attempt = 1; ; attempt++) {
        const target: Target = {
          port: stand.server.port,
          keys: { ...accounts.keys, ...(await doomedKey(stores)) },
        };
        const measured = await measure(attack, target, stand, unloaded);
        const verdict = judge(attack, measured, bounds, machine);
        if (verdict.findings.length > 0 && fault === undefined) await replace();
        if (isMeasurable(measured.honest, bounds) || attempt === mostAttempts) return verdict;
      }
    },
    slowCommands: () => slowCommands(redis.url),
    async close() {
      await stand.honest.stop();
      await stand.server.kill();
      control.stop();
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

async function openStand(
  redis: RedisServer,
  key: string,
  controlPort: number,
  nodeOptions: readonly string[],
  warmMs: number,
): Promise<Stand> {
  const environment = { ...serverSettings, REDIS_URL: redis.url };
  const server = await startLiveServer(environment, [...serverNodeOptions, ...nodeOptions]);
  const honest = startHonestClients(server.port, key, controlPort);
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

async function measure(
  attack: Attack,
  target: Target,
  { server, honest, restMegabytes }: Stand,
  unloaded: HonestReport,
): Promise<Measured> {
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
  const livez = await probes;
  const report = await honest.end();
  clearInterval(sampling);
  const seconds = (performance.now() - begun) / 1_000;
  const left = await leftMemory(server, restMegabytes + bounds.keptMegabytes);
  return {
    honest: report,
    unloaded,
    livez,
    seconds,
    peakResident,
    heldMegabytes,
    logBytes: server.log.bytes - logBefore,
    bugs: server.log.bugs.slice(bugsBefore),
    exit: server.ended && `${server.ended}: ${causeOf(server)}`,
    own: [...own, ...left],
  };
}

/** Asks for `/livez` on new connections until the signal is aborted. */
async function probeLivez(target: Target, signal: AbortSignal): Promise<Probes> {
  const failures = new Map<string, number>();
  let longestMs = 0;
  while (!signal.aborted) {
    const { status, ms } = await ask(target, http1("GET", "/livez"), {
      from: probeAddress,
      timeoutMs: probeTimeoutMs,
    });
    if (status !== 200) count(failures, `status ${status}`);
    longestMs = Math.max(longestMs, ms);
    await delay(probeEveryMs);
  }
  return { longestMs, failures: countsOf(failures) };
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
async function stock({ catalog }: Stores): Promise<void> {
  const origin = { ...unknownOrigin, reason: ChangeReason.IMPORT };
  for (let from = 1; from <= pets; from += 1_000) {
    const items = itemsFrom(BigInt(from), 1_000, 50_000);
    await catalog.put(items, origin);
  }
}

async function createKeys(
  stores: Stores,
): Promise<{ honest: string; keys: Omit<Keys, "doomed" | "doomedId"> }> {
  const keyOf = async (...more: readonly Scope[]) => {
    const choice = { plan: "enterprise", limits: noLimits } as const;
    const account = await addAccount(stores, choice, newAccountId());
    const { secret } = await addKey(stores, account, more.length > 0 ? { scopes: more } : {});
    return secret;
  };
  return {
    honest: await keyOf(),
    keys: { rich: await keyOf(), other: await keyOf(), admin: await keyOf(...scopes) },
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
