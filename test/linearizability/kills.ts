import { setTimeout as delay } from "node:timers/promises";
import { type Entry, tally } from "./history.ts";
import { disagreements, readLedger } from "./ledger.ts";
import { createRandom, seed } from "./random.ts";
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
  const running = new Map<string, Awaited<ReturnType<Service["startServer"]>>>();
  const start = async () => {
    const server = await service.startServer();
    running.set(server.url, server);
    return server;
  };
  let killed = 0;
  await warmUp(service);
  const workload = startWorkload(() => [...running.keys()], service.key, seed);

  async function killAgainAndAgain(random: ReturnType<typeof createRandom>): Promise<void> {
    let server = await start();
    while (killed < kills) {
      killed += 1;
      await workload.more(random.between(10, 120));
      await delay(random.between(0, 10));
      server.kill("SIGKILL");
      // Clients go on to send to it, until it is gone.
      await server.exited();
      running.delete(server.url);
      progress(killed);
      server = await start();
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

/** A process that ends by itself leaves its compiled code behind: those after it start in half the time. */
async function warmUp(service: Service): Promise<void> {
  const server = await service.startServer();
  server.kill("SIGTERM");
  await server.exited();
}
