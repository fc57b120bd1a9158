import { accountPartitions } from "../../src/stores/redis/keys.ts";
import type { Costs } from "./costs.ts";
import { createTimeline } from "./events.ts";
import { createRandom, untilNext } from "./random.ts";
import { createRedis, type SimulatedRedis } from "./redis-server.ts";
import { createProcess, type SimulatedRequest, type SimulatedStock } from "./service.ts";

/** What is simulated. */
export interface Scenario {
  readonly processes: number;
  /** The number of primaries of a Redis Cluster; 1 is a single Redis, where all requests of a tick share a script call. */
  readonly primaries: number;
  /** Whether the primary of the stock has no accounts. */
  readonly stockAlone?: boolean;
  /** Requests a second of all clients, or clients that each wait for a response before their next request. */
  readonly load: { readonly rate: number } | { readonly clients: number };
  /** The part of the requests that change an item. The others read the list. */
  readonly updates: number;
  /** How fast the cores are, compared with those of the measured costs; 1 if absent. */
  readonly speed?: number;
  /** The time from a process to Redis, and back, each. */
  readonly networkMicros: number;
  /** Simulated time, in seconds. */
  readonly seconds: number;
}

/** What a simulation has shown. */
export interface Result {
  /** Busy time as a part of the time, from 0 to 1. */
  readonly busy: {
    /** The mean of all processes of the service. */
    readonly process: number;
    /** The primary that has the stock. */
    readonly stock: number;
    /** The mean of the other primaries; undefined if there are none. */
    readonly others: number | undefined;
  };
  /** Responses a second. */
  readonly rate: number;
  /** Responses, as a part of the requests. Below 1, a resource is at its end. */
  readonly served: number;
  /** Latencies in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Script calls to all primaries, per request. */
  readonly calls: number;
}

/** The same in every run. */
const seed = 1;
/** Time until the queues have their usual lengths, as a part of the simulated time. */
const warmUp = 0.2;

/** Simulates requests. At a rate, they arrive at random times. The simulation has no garbage collection, bursts or failures. */
export function simulate(scenario: Scenario, costs: Costs): Result {
  const { processes: processCount, primaries, stockAlone, load, networkMicros } = scenario;
  const atSpeed = <T extends Readonly<Record<keyof T, number>>>(parts: T): T =>
    divided(parts, scenario.speed ?? 1);
  const timeline = createTimeline();
  const random = createRandom(seed);
  let calls = 0;
  const servers = Array.from({ length: primaries }, () => {
    const redis = createRedis(timeline, atSpeed(costs.redis), networkMicros);
    return counted(redis, (count) => {
      calls += count;
    });
  });
  const [first] = servers;
  if (!first) throw new Error("there must be at least one primary");
  const accountServers = stockAlone ? servers.slice(1) : servers;
  const stock: SimulatedStock = { redis: first, changes: 0 };
  const endMicros = scenario.seconds * 1_000_000;
  const fromMicros = endMicros * warmUp;
  const latencies: number[] = [];
  const processes = Array.from({ length: processCount }, () =>
    createProcess(
      timeline,
      atSpeed(costs.process),
      {
        groupOf: (partition) => (primaries === 1 ? 0 : partition),
        redisOf: (group) => accountServers[group % accountServers.length] ?? first,
        stock,
      },
      ({ arrivedAt }) => {
        if (arrivedAt >= fromMicros) latencies.push((timeline.now() - arrivedAt) / 1_000);
        if ("clients" in load) timeline.at(timeline.now(), arrive);
      },
    ),
  );

  let arrivals = 0;
  function arrive(): void {
    const request: SimulatedRequest = {
      kind: random() < scenario.updates ? "update" : "read",
      partition: Math.floor(random() * accountPartitions),
      arrivedAt: timeline.now(),
    };
    if (request.arrivedAt >= fromMicros) arrivals += 1;
    processes[Math.floor(random() * processCount)]?.receive(request);
  }
  function arriveAtRate(rate: number): void {
    const next = timeline.now() + untilNext(random, rate / 1_000_000);
    if (next > endMicros) return;
    timeline.at(next, () => {
      arrive();
      arriveAtRate(rate);
    });
  }

  if ("rate" in load) arriveAtRate(load.rate);
  else for (let client = 0; client < load.clients; client += 1) arrive();
  timeline.runUntil(fromMicros);
  const before = [...processes, ...servers].map(({ loop }) => loop.busyMicros());
  calls = 0;
  timeline.runUntil(endMicros);
  const busy = [...processes, ...servers].map(
    ({ loop }, index) => (loop.busyMicros() - (before[index] ?? 0)) / (endMicros - fromMicros),
  );
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  const others = busy.slice(processCount + 1);
  return {
    busy: {
      process: mean(busy.slice(0, processCount)),
      stock: busy[processCount] ?? 0,
      others: others.length > 0 ? mean(others) : undefined,
    },
    rate: latencies.length / (scenario.seconds * (1 - warmUp)),
    served: latencies.length / arrivals,
    p50: at(0.5),
    p99: at(0.99),
    calls: calls / arrivals,
  };
}

function divided<T extends Readonly<Record<keyof T, number>>>(costs: T, by: number): T {
  const entries = Object.entries<number>(costs).map(([name, micros]) => [name, micros / by]);
  return Object.fromEntries(entries) as T;
}

/** Counts the script calls that a server receives. */
function counted(redis: SimulatedRedis, count: (calls: number) => void): SimulatedRedis {
  return {
    ...redis,
    receive(calls, reply) {
      count(calls.length);
      redis.receive(calls, reply);
    },
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
