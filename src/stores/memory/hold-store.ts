import { ChangeReason } from "../../../gen/inventory/v1/inventory_pb.ts";
import { HoldState } from "../../../gen/store/v1/store_pb.ts";
import type { Costs } from "../../access/change-paid.ts";
import {
  type HoldRecord,
  type HoldStore,
  holdAt,
  isDue,
  isWanted,
  maxHolds,
  mostItemsListed,
  type PutOutcome,
  type WantedHold,
} from "../hold-store.ts";
import { type BatchRefused, batchRefused, type Item, maxQuantity } from "../inventory-store.ts";
import { chooseId, type IdChoice } from "../order-store.ts";
import { type Origin, unknownOrigin } from "../stock-change.ts";
import {
  activeHolds,
  countUnits,
  dueHolds,
  endDueHolds,
  expireHold,
  finishHold,
  type HoldName,
  holdName,
  releaseUnits,
  unasked,
} from "./holds.ts";
import { addOrder, exceededOrderLimit, isDeletedAccount, nextOrderIds } from "./order-store.ts";
import { asOneRequest, type Stock, type StoredHold, writeItems } from "./stock.ts";

export function createMemoryHoldStore(stock: Stock, choose: () => IdChoice = chooseId): HoldStore {
  const { holds, now } = stock;

  return {
    async put(accountId, holdId, wanted, { origin = unknownOrigin, paid } = {}) {
      const name = { accountId, holdId };
      const { keyId, requestId } = origin;
      const own = { ...unasked(name), keyId, requestId, reason: ChangeReason.HOLD };
      return asOneRequest(stock, () => {
        if (isDeletedAccount(stock, accountId)) return { kind: "no_account" };
        const costs = costsOf(stock, name, paid, wanted.items.length);
        return costs ?? putHold(stock, name, wanted, own);
      });
    },
    async confirm(accountId, holdId, { paid } = {}) {
      return asOneRequest(stock, () => {
        if (isDeletedAccount(stock, accountId)) return { kind: "no_account" };
        const costs = costsOf(stock, { accountId, holdId }, paid);
        if (costs) return costs;
        const hold = current(stock, { accountId, holdId });
        if (!hold) return { kind: "no_hold" };
        const { state, items } = hold;
        if (state === HoldState.CONFIRMED) return { kind: "held", hold: recordOf(hold) };
        if (state !== HoldState.ACTIVE) return { kind: "ended", state };
        const limit = exceededOrderLimit(stock, accountId, items.length);
        if (limit) return limit;
        const orderIds = nextOrderIds(stock, choose, items.length);
        items.forEach((item, at) => {
          const orderId = orderIds[at] as bigint;
          addOrder(stock, { accountId, orderId, reference: holdId, ...item });
        });
        const end = { state: HoldState.CONFIRMED, endedAt: now(), orderIds };
        const confirmed = finishHold(holds, hold, "confirmed", end);
        return { kind: "held", hold: recordOf(confirmed) };
      });
    },
    async release(accountId, holdId, { origin = unknownOrigin, paid } = {}) {
      return asOneRequest(stock, () => {
        const costs = costsOf(stock, { accountId, holdId }, paid);
        if (costs) return costs;
        const hold = current(stock, { accountId, holdId });
        if (!hold) return { kind: "no_hold" };
        const { state } = hold;
        if (state === HoldState.CONFIRMED) return { kind: "ended", state };
        if (state !== HoldState.ACTIVE) return { kind: "held", hold: recordOf(hold) };
        const { keyId, requestId } = origin;
        const released = releaseUnits(stock, hold, { ...unasked(hold), keyId, requestId });
        return { kind: "held", hold: recordOf(released) };
      });
    },
    async get(accountId, holdId) {
      const hold = holds.records.get(holdName({ accountId, holdId }));
      return hold && recordOf(holdAt(hold, now()));
    },
    async list(query) {
      const { accountId, before, limit } = query;
      const wanted = [...holds.records.values()]
        .filter((hold) => (accountId ?? hold.accountId) === hold.accountId)
        .map((hold) => recordOf(holdAt(hold, now())))
        .filter((hold) => (before === undefined || hold.life < before) && isWanted(hold, query))
        .sort((a, b) => Number(b.life - a.life));
      const page: HoldRecord[] = [];
      let items = 0;
      for (const hold of wanted) {
        if (page.length === limit || items >= mostItemsListed) break;
        page.push(hold);
        items += hold.items.length;
      }
      return { holds: page, next: wanted.length > page.length ? page.at(-1)?.life : undefined };
    },
    async deleteAll(accountId) {
      return asOneRequest(stock, () => {
        const own = [...holds.records.values()].filter((hold) => hold.accountId === accountId);
        for (const hold of own) {
          const isActive = hold.state === HoldState.ACTIVE;
          if (isActive) releaseUnits(stock, hold, unasked(hold));
          holds.records.delete(holdName(hold));
        }
        return own.length;
      });
    },
    async sweep() {
      asOneRequest(stock, () => endDueHolds(stock));
      return 0;
    },
    async totals() {
      const active = activeHolds(holds).length;
      const units = [...holds.units.values()].reduce((sum, each) => sum + each, 0);
      return { active, units, ...holds.ended };
    },
  };
}

/** Returns a hold, ended if it is due. */
function current(stock: Stock, name: HoldName): StoredHold | undefined {
  const hold = stock.holds.records.get(holdName(name));
  return hold && isDue(hold, stock.now()) ? expireHold(stock, hold) : hold;
}

/** Returns how many items a call has, if they are more than are paid for. @param wanted how many the request has */
function costsOf(
  { holds }: Stock,
  name: HoldName,
  paid = Number.POSITIVE_INFINITY,
  wanted = 0,
): Costs | undefined {
  const stored = holds.records.get(holdName(name))?.items.length ?? 0;
  const items = Math.max(stored, wanted);
  return items > paid ? { kind: "costs", items } : undefined;
}

function putHold(stock: Stock, name: HoldName, wanted: WantedHold, origin: Origin): PutOutcome {
  const { holds, now } = stock;
  const { items, ttlMs, isNew } = wanted;
  const before = current(stock, name);
  if (before?.state === HoldState.CONFIRMED) return { kind: "ended", state: before.state };
  const active = before?.state === HoldState.ACTIVE ? before : undefined;
  if (active && isNew) return { kind: "active" };
  const others = active ? [] : activeHolds(holds, name.accountId);
  if (others.length >= maxHolds) {
    const [due] = dueHolds(others, now());
    if (!due) return { kind: "limit" };
    expireHold(stock, due);
    return putHold(stock, name, wanted, origin);
  }
  // The pets of the request come first, then those that the hold had and does not want any more.
  const deltas = new Map(items.map(({ petId, quantity }) => [petId, quantity]));
  for (const { petId, quantity } of active?.items ?? []) {
    deltas.set(petId, (deltas.get(petId) ?? 0) - quantity);
  }
  const refusals = items.flatMap(({ petId }, index): BatchRefused["refusals"] => {
    const item = stock.items.get(petId);
    if (!item) return [{ index, refusal: { kind: "no_pet" } }];
    const { quantity } = item;
    const isShort = quantity < (deltas.get(petId) ?? 0);
    return isShort ? [{ index, refusal: { kind: "too_small", quantity } }] : [];
  });
  const short = refusals.filter(({ refusal }) => refusal.kind === "too_small");
  // Ends the due holds of every pet.
  const ended = short.filter(({ index }) => endDueHolds(stock, items[index]?.petId));
  if (ended.length > 0) return putHold(stock, name, wanted, origin);
  if (refusals.length > 0) return batchRefused(refusals);

  const changed: Item[] = [];
  for (const [petId, delta] of deltas) {
    countUnits(holds, petId, delta);
    const item = stock.items.get(petId);
    if (!item || delta === 0) continue;
    changed.push({ ...item, quantity: Math.min(item.quantity - delta, maxQuantity) });
  }
  const first = changed.length > 0 ? writeItems(stock, changed, origin) : stock.version;
  const hold = {
    ...name,
    items,
    state: HoldState.ACTIVE,
    expiresAt: now() + ttlMs,
    endedAt: 0,
    orderIds: [],
    life: active?.life ?? first,
  };
  holds.records.set(holdName(name), hold);
  return { kind: "held", hold: recordOf(hold) };
}

function recordOf({ endedAt: _, ...hold }: HoldRecord & { endedAt?: number }): HoldRecord {
  return hold;
}
