import { ChangeReason } from "../../../gen/inventory/v1/inventory_pb.ts";
import { HoldState } from "../../../gen/store/v1/store_pb.ts";
import { endedHoldTtlMs, type HoldRecord } from "../hold-store.ts";
import { maxQuantity } from "../inventory-store.ts";
import { type Origin, unknownOrigin } from "../stock-change.ts";
import { type Stock, type StoredHold, writeItem } from "./stock.ts";

type Holds = Stock["holds"];

/** What identifies a hold. */
export type HoldName = Pick<HoldRecord, "accountId" | "holdId">;

/** Returns the key of a hold in {@link Stock}. */
export function holdName({ accountId, holdId }: HoldName): string {
  return `${accountId}/${holdId}`;
}

/** Returns the active holds, of one account or of all. */
export function activeHolds({ records }: Holds, accountId?: string): StoredHold[] {
  return [...records.values()].filter(
    (hold) => hold.state === HoldState.ACTIVE && (accountId ?? hold.accountId) === hold.accountId,
  );
}

/** Returns holds whose time is over, in the order of these times. */
export function dueHolds(holds: Iterable<StoredHold>, now: number): StoredHold[] {
  return [...holds]
    .filter((hold) => dueAt(hold) <= now)
    .sort((a, b) => dueAt(a) - dueAt(b) || (holdName(a) < holdName(b) ? -1 : 1));
}

/** Returns when an active hold ends, or an ended one is deleted. */
function dueAt({ state, expiresAt, endedAt }: StoredHold): number {
  return state === HoldState.ACTIVE ? expiresAt : endedAt + endedHoldTtlMs;
}

/** Changes how many units of a pet are held. */
export function countUnits({ units }: Holds, petId: bigint, delta: number): void {
  const sum = (units.get(petId) ?? 0) + delta;
  if (sum > 0) units.set(petId, sum);
  else units.delete(petId);
}

/** Ends an active hold. The stock does not change here. */
export function finishHold<T extends keyof Holds["ended"]>(
  holds: Holds,
  hold: StoredHold,
  word: T,
  end: Pick<StoredHold, "state" | "endedAt"> & Partial<Pick<StoredHold, "orderIds">>,
): StoredHold {
  for (const { petId, quantity } of hold.items) countUnits(holds, petId, -quantity);
  holds.ended[word]++;
  const ended = { ...hold, ...end };
  holds.records.set(holdName(ended), ended);
  return ended;
}

/** Ends an active hold without orders: its units return to the stock. Pets that no longer exist are left out. */
export function releaseUnits(stock: Stock, hold: StoredHold, origin: Origin): StoredHold {
  const endedAt = stock.now();
  returnUnits(stock, hold, origin);
  return finishHold(stock.holds, hold, "released", { state: HoldState.RELEASED, endedAt });
}

/** Ends a due hold. */
export function expireHold(stock: Stock, hold: StoredHold): StoredHold {
  returnUnits(stock, hold, unasked(hold));
  const end = { state: HoldState.EXPIRED, endedAt: hold.expiresAt };
  return finishHold(stock.holds, hold, "expired", end);
}

function returnUnits(stock: Stock, { items }: StoredHold, origin: Origin): void {
  for (const { petId, quantity } of items) {
    const item = stock.items.get(petId);
    if (!item) continue;
    const sum = Math.min(item.quantity + quantity, maxQuantity);
    writeItem(stock, { ...item, quantity: sum }, origin);
  }
}

/** The origin of the end of a hold that no request has asked for. */
export function unasked({ accountId, holdId }: HoldName): Origin {
  const reason = ChangeReason.HOLD_ENDED;
  return { ...unknownOrigin, reason, accountId, reference: holdId };
}

/** Ends the due holds of a pet, or all, and then deletes those that ended long ago. Returns whether there were any. */
export function endDueHolds(stock: Stock, petId?: bigint): boolean {
  const { records } = stock.holds;
  const due = dueHolds(records.values(), stock.now()).filter(
    ({ state, items }) =>
      petId === undefined ||
      (state === HoldState.ACTIVE && items.some((item) => item.petId === petId)),
  );
  for (const hold of due) {
    if (hold.state === HoldState.ACTIVE) expireHold(stock, hold);
    else records.delete(holdName(hold));
  }
  return due.length > 0;
}

export function heldUnits({ holds }: Stock, petId: bigint): number {
  return holds.units.get(petId) ?? 0;
}

/** Returns how many of the held units of each pet are due. */
export function dueUnits({ holds, now }: Stock): ReadonlyMap<bigint, number> {
  const units = new Map<bigint, number>();
  for (const { items } of dueHolds(activeHolds(holds), now())) {
    for (const { petId, quantity } of items) units.set(petId, (units.get(petId) ?? 0) + quantity);
  }
  return units;
}
