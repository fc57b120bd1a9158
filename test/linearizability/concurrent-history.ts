import { setTimeout as delay } from "node:timers/promises";
import { until } from "../faults/until.ts";
import { check, type Verdict } from "./checker.ts";
import { type Entry, tally } from "./history.ts";
import { readLedger } from "./ledger.ts";
import { numberedBy } from "./numbered.ts";
import { createRandom, seed } from "./random.ts";
import { createServerPool } from "./server-pool.ts";
import type { Service } from "./service.ts";
import { startWorkload } from "./workload.ts";

/** A history that was recorded, and what the checker says of it. */
export interface Checked extends Verdict {
  readonly entries: readonly Entry[];
}

/**
 * Records what many clients do through two servers at once, by all protocols, and checks it. At
 * moments that the seed decides on, Redis stalls and goes on, is killed and started again, and servers
 * are killed and replaced.
 *
 * @param name of the history
 * @param outages how often all of that happens
 */
export async function checkedHistory(
  name: string,
  service: Service,
  outages: number,
): Promise<Checked> {
  const random = createRandom(seed);
  const pool = createServerPool(service);
  let [server] = await Promise.all([pool.add(), pool.add()]);
  const workload = startWorkload(() => pool.urls, service.key, seed);
  await workload.more(800);
  if (workload.unanswered > 0) throw new Error("nothing was out of order, and was not answered");
  const metBy = (attempts: number) => {
    const enough = workload.unanswered + attempts;
    return until("clients meet the outage", () => workload.unanswered >= enough);
  };
  const { redis } = service;
  for (let outage = 0; outage < outages; outage++) {
    await workload.more(random.between(1, 400));
    await delay(random.between(0, 20));
    // What was sent is given up by the servers, and done nevertheless when Redis goes on.
    redis.pause();
    await metBy(5);
    redis.resume();
    await workload.more(random.between(200, 400));
    await delay(random.between(0, 20));
    await redis.kill();
    await metBy(5);
    await redis.start();
    for (let kill = 0; kill < 3; kill++) {
      await workload.more(random.between(100, 300));
      await delay(random.between(0, 20));
      await pool.kill(server);
      server = await pool.add();
    }
    await workload.more(300);
  }
  await workload.stop();
  const { entries } = workload;
  const { initial } = service;
  const { changes } = await service.look((inventory) => readLedger(inventory, initial.version));
  const numbered = numberedBy(changes, initial);
  const verdict = await check(name, numbered(initial), entries.map(numbered));
  console.log(
    [
      `${name}: seed ${seed}, ${entries.length} operations, ${outages} rounds of outages`,
      JSON.stringify(tally(entries)),
      `${workload.unanswered} attempts without an answer; repeated until there was one: ${
        entries.filter(({ sent }) => sent > 1).length
      } operations`,
      verdict.text,
    ].join("\n  "),
  );
  return { ...verdict, entries };
}
