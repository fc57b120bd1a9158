import { setTimeout as delay } from "node:timers/promises";
import type { InventoryStore } from "../../../src/stores/inventory-store.ts";
import type { StockChange } from "../../../src/stores/stock-change.ts";
import { check, type Verdict } from "./checker.ts";
import { type Entry, isOpen, isWrite, pets, tally } from "./history.ts";
import { numberedBy } from "./numbered.ts";
import { createRandom, seed } from "./random.ts";
import { recorded, type Step } from "./recorded.ts";
import { listOutcome } from "./responses.ts";
import { createServerPool } from "./server-pool.ts";
import type { Service } from "./service.ts";
import { now, startWorkload } from "./workload.ts";

/** A recorded history, and the verdict of the checker. */
interface Checked extends Verdict {
  readonly entries: readonly Entry[];
  readonly steps: readonly Step[];
}

/** A list after all operations, so that the checker must explain every change. */
const lastRead = {
  client: 0,
  protocol: "none",
  reference: "end",
  sent: 1,
  op: "list",
  pet: 0,
} as const;

/**
 * Records the operations of many concurrent clients through two servers over all protocols, and checks the history.
 * At random times that depend on the seed, Redis stalls and resumes, Redis is killed and restarted, and servers are
 * killed and replaced.
 *
 * @param name name of the history
 * @param outages number of rounds of all these outages
 * @param from the seed
 */
export async function checkedHistory(
  name: string,
  service: Service,
  outages: number,
  from = seed,
): Promise<Checked> {
  const random = createRandom(from);
  const pool = createServerPool(service);
  let [server] = await Promise.all([pool.add(), pool.add()]);
  const workload = startWorkload(() => pool.urls, service, from);
  await workload.more(800);
  if (workload.unanswered > 0) throw new Error("a request had no response before the first outage");
  const calmUntil = now();
  const { redis } = service;
  for (let outage = 0; outage < outages; outage++) {
    await workload.more(random.between(1, 400));
    await delay(random.between(0, 20));
    // The servers give up requests that Redis executes after it resumes.
    redis.pause();
    await workload.moreUnanswered(5);
    redis.resume();
    await workload.more(random.between(200, 400));
    await delay(random.between(0, 20));
    await redis.kill();
    await workload.moreUnanswered(5);
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
  const { initial } = service;
  const { changes, end } = await service.look(async (inventory) => {
    const call = now();
    const { items, version } = await inventory.list();
    const outcome = listOutcome(items, version, pets.length);
    const changes = await changesSince(inventory, initial.version);
    return { changes, end: { ...lastRead, call, return: now(), outcome } };
  });
  const entries = [...workload.entries.map((entry) => withoutLateRead(entry, calmUntil)), end];
  const steps = recorded(entries, changes, initial.others.count);
  const numbered = numberedBy(changes, initial);
  const verdict = await check(name, numbered(initial), steps.map(numbered));
  const open = steps.filter(({ op, outcome }) => isWrite({ op }) && isOpen(outcome));
  const text = [
    `${entries.length} operations: ${JSON.stringify(tally(entries))}`,
    `${workload.unanswered} attempts had no response; ${
      entries.filter(({ sent }) => sent > 1).length
    } operations were retried`,
    `${changes.length} changes; ${open.length} steps have an unknown outcome, of which ${
      open.filter(({ made }) => made !== undefined).length
    } were made`,
    verdict.text,
  ].join("\n  ");
  console.log(`${name}: seed ${from}, ${outages} rounds of outages\n  ${text}`);
  return { ...verdict, text, entries, steps };
}

/** Reads all changes after a version, oldest first. */
async function changesSince(inventory: InventoryStore, version: number): Promise<StockChange[]> {
  const changes: StockChange[] = [];
  for (;;) {
    const from = changes.at(-1)?.version ?? BigInt(version);
    const page = await inventory.changesSince(from, 5_000);
    if (page === undefined) throw new Error("the history was trimmed during the run");
    if (page.changes.length === 0) return changes;
    changes.push(...page.changes);
  }
}

/**
 * Removes from an entry the read that settles it, if that can have used another connection to Redis: servers
 * connect again in outages.
 */
function withoutLateRead({ settled, ...entry }: Entry, calmUntil: number): Entry {
  return settled !== undefined && settled < calmUntil ? { ...entry, settled } : entry;
}
