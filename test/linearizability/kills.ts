import { setTimeout as delay } from "node:timers/promises";
import { type Entry, tally } from "./history.ts";
import { disagreements, readLedger } from "./ledger.ts";
import { createRandom, seed } from "./random.ts";
import { createServerPool } from "./server-pool.ts";
import type { Service } from "./service.ts";
import { startWorkload } from "./workload.ts";

/** The result of a run in which servers were killed. */
export interface Killed {
  readonly entries: readonly Entry[];
  /** Contradictions between the responses and the history of the service. */
  readonly disagreements: readonly string[];
  /** A human-readable summary. */
  readonly text: string;
}

/**
 * Repeatedly kills each of the two servers at a random time under load, and replaces it.
 *
 * @param kills total number of kills
 */
export async function killServers(
  service: Service,
  kills: number,
  progress: (killed: number) => void = () => {},
): Promise<Killed> {
  const begun = performance.now();
  const pool = createServerPool(service);
  let killed = 0;
  const workload = startWorkload(() => pool.urls, service, seed);

  async function killAgainAndAgain(random: ReturnType<typeof createRandom>): Promise<void> {
    let server = await pool.add();
    while (killed < kills) {
      killed += 1;
      const number = killed;
      await workload.more(random.between(10, 120));
      await delay(random.between(0, 10));
      await pool.kill(server);
      progress(number);
      server = await pool.add();
    }
  }

  await Promise.all([0, 1].map((lane) => killAgainAndAgain(createRandom(seed + lane))));
  await workload.stop();
  const { entries, unanswered } = workload;
  const ledger = await service.look((inventory) => readLedger(inventory, service.initial.version));
  const found = disagreements(service.initial, entries, ledger);
  const repeated = entries.filter(({ sent }) => sent > 1).length;
  const text = [
    `seed ${seed}, ${killed} servers killed, ${entries.length} operations in ${Math.round((performance.now() - begun) / 1_000)} s`,
    JSON.stringify(tally(entries)),
    `${unanswered} attempts had no response; ${repeated} operations were retried`,
    `${ledger.changes.length} changes; ${found.length} contradictions between responses and history`,
    ...found.slice(0, 10),
  ].join("\n  ");
  return { entries, disagreements: found, text };
}

/** Runs a process that exits normally, to fill the compile cache, so that later ones start faster. */
export async function warmUp(service: Service): Promise<void> {
  const server = await service.startServer();
  server.kill("SIGTERM");
  await server.exited();
}
