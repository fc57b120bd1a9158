import { setTimeout as delay } from "node:timers/promises";
import type { RedisSentinels } from "../support/redis-sentinel.ts";
import { type Checked, checkWorkload } from "./concurrent-history.ts";
import { type Entry, isDone, isOfHold, isOpen, isWrite } from "./history.ts";
import { disagreements, readLedger } from "./ledger.ts";
import { createRandom, seed } from "./random.ts";
import { createServerPool } from "./server-pool.ts";
import type { Service } from "./service.ts";
import { now, startWorkload } from "./workload.ts";

/** The result of a run in which primaries were killed. */
export interface FailedOver extends Checked {
  /** Contradictions between the responses and the history of the service. */
  readonly disagreements: readonly string[];
}

/** A time in which a client could see a change that was lost later, in nanoseconds of {@link now}. */
interface DirtyTime {
  readonly from: number;
  to: number;
}

/** How long before the death of a primary a client could see a change that no replica had, in nanoseconds. */
const lagNs = 1_000_000_000;

/**
 * Repeatedly kills the primary at a random time under load. Before every second kill, the replicas are cut off for a
 * moment, so that they lack the last changes.
 *
 * A client that only reads can see a change before it is acknowledged, and thus one that is lost. So reads and refusals
 * just before a kill, and until the failover has ended, are not checked. All changes are.
 *
 * @param name name of the history
 * @param kills number of kills
 */
export async function killPrimaries(
  name: string,
  service: Service,
  group: RedisSentinels,
  kills: number,
): Promise<FailedOver> {
  const random = createRandom(seed);
  const pool = createServerPool(service);
  await Promise.all([pool.add(), pool.add()]);
  const workload = startWorkload(() => pool.urls, service, seed);
  const dirty: DirtyTime[] = [];
  let expected = await group.primary();
  for (let kill = 0; kill < kills; kill++) {
    await workload.more(random.between(50, 200));
    await delay(random.between(0, 20));
    const primary = await group.primary();
    if (primary !== expected) {
      throw new Error("the sentinels have replaced a living primary: the machine is too busy");
    }
    if (kill % 2 === 1) {
      await group.cutOffReplicas();
      // Longer than a change waits for the replicas.
      await delay(random.between(400, 600));
    }
    const time = { from: now() - lagNs, to: Number.POSITIVE_INFINITY };
    dirty.push(time);
    await primary.server.kill();
    expected = await group.failedOver(primary);
    time.to = now();
    await group.startAsReplica(primary);
    await group.whole();
    await workload.more(50);
  }
  await workload.stop();

  const isCalm = (entry: Entry) =>
    dirty.every(({ from, to }) => entry.return < from || entry.call > to);
  const isClean = (entry: Entry) =>
    (isWrite(entry) && (isDone(entry.outcome) || isOpen(entry.outcome))) || isCalm(entry);
  // Another connection can have served the read that settles an entry.
  const adapt = ({ settled: _, ...entry }: Entry): Entry | undefined => {
    if (!isClean(entry)) return undefined;
    // What changes nothing of a hold is like a read, and nothing records a confirmation.
    const isLikeRead = isOfHold(entry) && !isCalm(entry);
    return isLikeRead ? { ...entry, outcome: { kind: "unknown", why: "failover" } } : entry;
  };
  const checked = await checkWorkload(name, service, workload, adapt);
  const ledger = await service.look((inventory) => readLedger(inventory, service.initial.version));
  const { entries } = workload;
  const found = disagreements(service.initial, entries.filter(isClean), ledger);
  const text = [
    `${name}: seed ${seed}, ${kills} primaries killed, ${entries.length} operations`,
    `${found.length} contradictions between responses and history`,
    ...found.slice(0, 10),
    checked.text,
  ].join("\n  ");
  console.log(text);
  return { ...checked, text, disagreements: found };
}
