import { setTimeout as delay } from "node:timers/promises";
import { type Entry, tally } from "./history.ts";
import { disagreements, readLedger } from "./ledger.ts";
import { createRandom, seed } from "./random.ts";
import { createServerPool } from "./server-pool.ts";
import type { Service } from "./service.ts";
import { startWorkload } from "./workload.ts";

/** What was seen while servers were killed. */
export interface Killed {
  readonly entries: readonly Entry[];
  /** What clients were told that the service's own record does not agree with. */
  readonly disagreements: readonly string[];
  /** For people. */
  readonly text: string;
}

/**
 * Kills the two servers again and again, each at a random moment while clients are served, and starts
 * another in its place.
 *
 * @param kills of both servers together
 */
export async function killServers(
  service: Service,
  kills: number,
  progress: (killed: number) => void = () => {},
): Promise<Killed> {
  const begun = performance.now();
  const pool = createServerPool(service);
  let killed = 0;
  const workload = startWorkload(() => pool.urls, service.key, seed);

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
    `${unanswered} attempts without an answer; repeated until there was one: ${repeated} operations`,
    `${ledger.changes.length} changes; ${found.length} disagreements`,
    ...found.slice(0, 10),
  ].join("\n  ");
  return { entries, disagreements: found, text };
}

/** Runs a process that ends by itself: it leaves compiled code behind, with which others start faster. */
export async function warmUp(service: Service): Promise<void> {
  const server = await service.startServer();
  server.kill("SIGTERM");
  await server.exited();
}
