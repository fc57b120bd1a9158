import type { Case, Contestant, Home, Run, Sample } from "./case.ts";
import type { Data } from "./data.ts";
import { type Server, type ServerSpec, type StartContext, startServer } from "./machine/server.ts";
import { startBenchRedis } from "./redis.ts";
import type { CaseResult, Outcome } from "./result.ts";

/** The duration and number of runs. */
export interface Effort {
  readonly quick: boolean;
  /** Warm-up before the first run that counts, in seconds. */
  readonly warmUpSeconds: number;
  readonly runSeconds: number;
  readonly rounds: number;
}

/** The number of rounds that count if {@link Arena.goesOn} decides how many there are: the last ones. */
const countedRounds = 5;

/** What all contests share. */
export interface Arena extends Omit<StartContext, "redisUrl"> {
  /** Where the data of contestants without a home of their own is. */
  readonly home: Home;
  readonly effort: Effort;
  /**
   * Decides after a round whether the case has another one. By default, each case has its number of rounds.
   *
   * @param result of the last five rounds. Code was cold in earlier ones
   * @param round the number of rounds so far
   */
  readonly goesOn?: (result: CaseResult, round: number) => boolean;
  /** Called with a short description of each step. */
  progress(text: string): void;
}

/**
 * Runs a case: starts every server, warms each one up, then alternates their runs (A B B A), so that other load on the
 * machine affects all of them alike. A contestant that fails once gets no further runs.
 */
export async function runCase(each: Case, arena: Arena): Promise<CaseResult> {
  const { effort } = arena;
  const contestants = each.contestants.filter(({ fullOnly }) => !(effort.quick && fullOnly));
  const own = await ownHomes(contestants, arena);
  const homeOf = (contestant: Contestant) => own.get(contestant) ?? contestant.home ?? arena.home;
  const data = new Map<Home, Data>();
  for (const home of new Set(contestants.map(homeOf))) {
    data.set(home, await home.seed(home.redisUrl, each.items));
  }
  const servers = await startServers(contestants, homeOf, arena);
  const samples = new Map<string, Sample[]>(contestants.map(({ name }) => [name, []]));
  const failures = new Map<string, string>();

  function result(): CaseResult {
    return { case: each, outcomes: outcomesOf(samples, failures, arena.goesOn && countedRounds) };
  }

  async function attempt(contestant: Contestant, seconds: number): Promise<Sample | undefined> {
    const { name, server: spec, load } = contestant;
    const server = servers.get(spec);
    const home = homeOf(contestant);
    const ownData = data.get(home);
    if (failures.has(name) || !server || !ownData) return undefined;
    try {
      if (server instanceof Error) throw server;
      return await load({
        ...arena,
        ...home,
        server,
        spec,
        data: ownData,
        seconds,
        quick: effort.quick,
      } satisfies Run);
    } catch (error) {
      failures.set(name, error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  try {
    for (const contestant of each.cold ? [] : contestants) {
      arena.progress(`${each.name}: warming up ${contestant.name}`);
      await attempt(contestant, effort.warmUpSeconds);
    }
    const rounds = each.rounds ?? effort.rounds;
    const goesOn = arena.goesOn ?? ((_, round) => round < rounds);
    for (let round = 1; round === 1 || goesOn(result(), round - 1); round += 1) {
      // In the other order in every second round, because a run can slow down the next one.
      for (const contestant of round % 2 === 0 ? contestants.toReversed() : contestants) {
        arena.progress(`${each.name}: round ${round}, ${contestant.name}`);
        const sample = await attempt(contestant, effort.runSeconds);
        if (sample) samples.get(contestant.name)?.push(sample);
      }
    }
  } finally {
    await Promise.all(
      [...servers.values()].map((server) => (server instanceof Error ? undefined : server.stop())),
    );
    await Promise.all([...own.values()].map(({ stop }) => stop()));
  }
  return result();
}

/** Starts a Redis for each contestant with a stock of its own. */
async function ownHomes(
  contestants: readonly Contestant[],
  { home }: Arena,
): Promise<ReadonlyMap<Contestant, Home & { stop(): Promise<void> }>> {
  const homes = new Map<Contestant, Home & { stop(): Promise<void> }>();
  for (const contestant of contestants) {
    const { items } = contestant;
    if (items === undefined) continue;
    const { server, pid } = await startBenchRedis();
    homes.set(contestant, {
      redisUrl: server.url,
      redisPid: pid,
      seed: (redisUrl) => home.seed(redisUrl, items),
      stop: () => server.stop(),
    });
  }
  return homes;
}

/** Starts each server once, even if several contestants use it. */
async function startServers(
  contestants: readonly Contestant[],
  homeOf: (contestant: Contestant) => Home,
  arena: Arena,
): Promise<ReadonlyMap<ServerSpec, Server | Error>> {
  const homes = new Map(contestants.map((each) => [each.server, homeOf(each)]));
  return new Map(
    await Promise.all(
      [...homes].map(async ([spec, { redisUrl }]): Promise<[ServerSpec, Server | Error]> => {
        const server = await startServer(spec, { ...arena, redisUrl }).catch((error: unknown) =>
          error instanceof Error ? error : new Error(String(error)),
        );
        return [spec, server];
      }),
    ),
  );
}

function outcomesOf(
  samples: ReadonlyMap<string, readonly Sample[]>,
  failures: ReadonlyMap<string, string>,
  counted = Number.POSITIVE_INFINITY,
): ReadonlyMap<string, Outcome> {
  return new Map(
    [...samples].map(([name, taken]): [string, Outcome] => {
      const failure = failures.get(name);
      return [name, failure === undefined ? { samples: taken.slice(-counted) } : { failure }];
    }),
  );
}
