import { maxHolds } from "../../src/stores/hold-store.ts";
import { httpList, httpUpdate } from "../calls.ts";
import { costsOf } from "./cost.ts";
import { requests } from "./requests.ts";
import type { StockStage } from "./stock.ts";
import type { Subject } from "./subject.ts";

/** The number of items in the stock. All holds have a unit of one of them. */
export const heldItems = 10;
/** Longer than a run. */
const ttlMs = 86_400_000;
/** Holds that are put at once. */
const atOnce = 50;

/** Each account has at most {@link maxHolds}. */
function accountOf(index: number): string {
  return `h${String(Math.floor(index / maxHolds)).padStart(11, "0")}`;
}

function put({ stores }: StockStage, accountId: string, holdId: string, index: number) {
  const petId = BigInt(1 + (index % heldItems));
  return stores.holds.put(accountId, holdId, { items: [{ petId, quantity: 1 }], ttlMs });
}

/** Adds active holds up to a number. @throws Error if one was refused */
export async function addHolds(stage: StockStage, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at += atOnce) {
    const outcomes = await Promise.all(
      Array.from({ length: Math.min(atOnce, to - at) }, (_, index) =>
        put(stage, accountOf(at + index), `cart-${at + index}`, at + index),
      ),
    );
    if (outcomes.some(({ kind }) => kind !== "held")) throw new Error("a hold was refused");
  }
}

/** Puts, confirms and releases holds without a server. */
const lives: Subject<StockStage> = {
  title: "A hold: put, then confirmed or released",
  lines: [{ name: "Redis", unit: "µs/call" }],
  async measure(stage) {
    const { holds } = stage.stores;
    const ids = Array.from({ length: 500 }, (_, index) => `life-${index}`);
    const account = "l00000000000";
    const [, redis] = await costsOf([process.pid, stage.redisPid], async () => {
      await Promise.all(ids.map((id, index) => put(stage, account, id, index)));
      await Promise.all(
        ids.map((id, index) =>
          index % 2 === 0 ? holds.confirm(account, id) : holds.release(account, id),
        ),
      );
      return 2 * ids.length;
    });
    // So that the next run begins new lives.
    await holds.deleteAll(account);
    return [redis];
  },
};

/** A sweep that finds nothing due. The service makes at most five in two seconds in each process. */
const idleSweep: Subject<StockStage> = {
  title: "A sweep of holds, when none is due",
  lines: [{ name: "Redis", unit: "µs/sweep" }],
  async measure({ stores, redisPid }) {
    const sweeps = 1_000;
    const [, redis] = await costsOf([process.pid, redisPid], async () => {
      for (let sweep = 0; sweep < sweeps; sweep += 1) await stores.holds.sweep("bench");
      return sweeps;
    });
    return [redis];
  },
};

/** What active holds could make more expensive. Updates come last, because they leave few units. */
export const holdSubjects: readonly Subject<StockStage>[] = [
  requests("A list of 10 with active holds", () => httpList(heldItems)),
  lives,
  idleSweep,
  requests("An update with active holds", () => httpUpdate),
];
