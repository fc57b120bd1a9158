import { ChangeReason } from "../../../../gen/inventory/v1/inventory_pb.ts";
import { HoldState } from "../../../../gen/store/v1/store_pb.ts";
import type { Costs } from "../../../access/change-paid.ts";
import {
  type Held,
  type HoldEnded,
  type HoldPage,
  type HoldRecord,
  type HoldStore,
  type HoldTotals,
  holdAt,
  mostHoldsRead,
  mostItemsListed,
  sweeperTtlMs,
} from "../../hold-store.ts";
import { chooseId, type IdChoice } from "../../order-store.ts";
import { type Origin, unknownOrigin } from "../../stock-change.ts";
import type { Connection } from "../connection/connection.ts";
import { operations } from "../connection/operation.ts";
import type { Send } from "../connection/send.ts";
import { deletedAccountKey, holdIndexKey, holdSweeperKey, holdsKey } from "../keys.ts";
import { orderKeys, orderLimitOutcome } from "../orders/order-store.ts";
import { pairsOf } from "../pairs.ts";
import { damagedRecord, recordFields } from "../record.ts";
import { loadScript } from "../scripts.ts";
import { batchRefusal, loadChangeScript, type StockSettings } from "../stock/change-script.ts";

/** Most holds that one script call reads, so that its reply has less than 150 kB. */
const holdsAtOnce = 50;

export function createRedisHoldStore(
  connection: Connection,
  settings: StockSettings,
  choose: () => IdChoice = chooseId,
): HoldStore {
  const putHold = loadChangeScript(connection, settings, "alone", "put-hold");
  const confirmHold = loadChangeScript(connection, settings, "many", "confirm-hold");
  const releaseHold = loadChangeScript(connection, settings, "many", "release-hold");
  const sweepHolds = loadChangeScript(connection, settings, "alone", "sweep-holds");
  const deleteHolds = loadChangeScript(connection, settings, "alone", "delete-holds");
  const listHolds = loadScript(connection, "list-holds");
  const readHold = loadScript(connection, "read-hold");
  const now = () => settings.now?.() ?? "";

  return {
    async put(accountId, holdId, { items, ttlMs, isNew }, { origin, context, paid } = {}) {
      const own = ofHold(ChangeReason.HOLD, accountId, holdId, origin);
      const parts = { origin: own, keys: [deletedAccountKey(accountId)] };
      const pairs = items.flatMap(({ petId, quantity }) => [String(petId), quantity]);
      const values = [holdId, ttlMs, paidItems(paid), isNew ? "new" : "", ...pairs];
      const outcome = (await putHold(parts, values, context)) as string;
      if (outcome.startsWith("refused ")) return batchRefusal(outcome);
      return holdOutcome<"no_account" | "active" | "limit">(accountId, holdId, outcome);
    },
    async confirm(accountId, holdId, { origin, context, paid } = {}) {
      const own = ofHold(ChangeReason.HOLD_ENDED, accountId, holdId, origin);
      const parts = { origin: own, keys: orderKeys(accountId) };
      const { micros, step } = choose();
      const values = [holdId, paidItems(paid), micros, step, settings.orders?.mostOpen ?? ""];
      const outcome = (await confirmHold(parts, values, context)) as string;
      if (outcome === "limit") return orderLimitOutcome(settings);
      return holdOutcome<"no_account" | "no_hold">(accountId, holdId, outcome);
    },
    async release(accountId, holdId, { origin, context, paid } = {}) {
      const parts = { origin: ofHold(ChangeReason.HOLD_ENDED, accountId, holdId, origin) };
      const outcome = (await releaseHold(parts, [holdId, paidItems(paid)], context)) as string;
      return holdOutcome<"no_hold">(accountId, holdId, outcome);
    },
    async get(accountId, holdId, context) {
      const name = `${accountId}/${holdId}`;
      const reply = await readHold([holdsKey], [now(), name], context);
      const [time, record] = reply as [string, string | null];
      return record === null ? undefined : holdAt(holdOf(name, record), Number(time));
    },
    async list(query, context): Promise<HoldPage> {
      const { accountId = "", states, petId, limit } = query;
      const filter = [states.join(""), String(petId ?? "")];
      const holds: HoldRecord[] = [];
      let { before } = query;
      let items = 0;
      for (let read = 0; read < mostHoldsRead; read += holdsAtOnce) {
        const args = [now(), accountId, String(before ?? ""), holdsAtOnce, ...filter];
        const reply = await listHolds([holdsKey, holdIndexKey], args, context);
        // The time, the life of the hold before which to go on, then name and record of each hold.
        const [time, next, ...found] = reply as string[];
        for (const [name, record] of pairsOf(found)) {
          if (holds.length === limit || items >= mostItemsListed) {
            return { holds, next: holds.at(-1)?.life };
          }
          // Most of the work is in the items.
          const hold = holdAt(holdOf(name, record), Number(time));
          holds.push(hold);
          items += hold.items.length;
        }
        if (!next) return { holds, next: undefined };
        before = BigInt(next);
      }
      return { holds, next: before };
    },
    async deleteAll(accountId, context) {
      for (let deleted = 0; ; ) {
        const more = (await deleteHolds({}, [accountId], context)) as number;
        deleted += more;
        if (more === 0) return deleted;
      }
    },
    async sweep(sweeper) {
      return (await sweepHolds({ keys: [holdSweeperKey] }, [sweeper, sweeperTtlMs])) as number;
    },
    async totals() {
      const readSums: Send<(string | null)[]> = (redis) =>
        redis.hmget(holdsKey, "units", "confirmed", "released", "expired");
      const countActive: Send<number> = (redis) => redis.zlexcount(holdIndexKey, "[a,", "(a-");
      const [sums, active] = await Promise.all([
        connection.run(holdsKey, readSums, operations.hmget),
        connection.run(holdIndexKey, countActive, operations.zlexcount),
      ]);
      const [units, confirmed, released, expired] = sums.map(Number);
      return { active, units, confirmed, released, expired } as HoldTotals;
    },
  };
}

function ofHold(
  reason: ChangeReason,
  accountId: string,
  reference: string,
  origin: Origin = unknownOrigin,
) {
  return { ...origin, reason, accountId, reference, note: "" };
}

/** Returns how many items are paid for as scripts take it: empty for any number. */
function paidItems(paid = Number.POSITIVE_INFINITY): string {
  return paid === Number.POSITIVE_INFINITY ? "" : String(paid);
}

/** Parses `held <record>`, `costs <items>`, `ended <state>`, or an outcome of one word. @throws Error for `damaged` */
function holdOutcome<Word extends string>(
  accountId: string,
  holdId: string,
  outcome: string,
): Held | Costs | HoldEnded | { readonly kind: Word } {
  const name = `${accountId}/${holdId}`;
  const [kind, value = ""] = outcome.split(/ (.*)/);
  switch (kind) {
    case "held":
      return { kind, hold: holdOf(name, value) };
    case "costs":
      return { kind, items: Number(value) };
    case "ended":
      return { kind, state: Number(value) as HoldState };
    case "damaged":
      throw damagedRecord(holdsKey, name);
    default:
      return { kind: outcome as Word };
  }
}

const nameForm = /^([^/]+)\/(.+)$/;
const recordForm = /^([1-4]),(\d+),(\d+),\d+,(\d+),(\d+)((?: \d+:\d+)+)$/;

/** Parses a name and a record without the time of its end (see hold-record.lua). @throws Error if one is damaged */
function holdOf(name: string, record: string): HoldRecord {
  const [accountId, holdId] = recordFields(nameForm, name, holdsKey, name);
  const fields = recordFields(recordForm, record, holdsKey, name);
  const [state, life, expires, order, step, pairs] = fields;
  const items = Array.from(pairs.matchAll(/(\d+):(\d+)/g), ([, petId, quantity]) => ({
    petId: BigInt(petId as string),
    quantity: Number(quantity),
  }));
  const isConfirmed = Number(state) === HoldState.CONFIRMED;
  return {
    holdId,
    accountId,
    items,
    state: Number(state) as HoldState,
    expiresAt: Number(expires),
    orderIds: isConfirmed ? items.map((_, at) => BigInt(order) + BigInt(step) * BigInt(at)) : [],
    life: BigInt(life),
  };
}
