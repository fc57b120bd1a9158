import { ChangeReason } from "../../../gen/inventory/v1/inventory_pb.ts";
import { HoldState } from "../../../gen/store/v1/store_pb.ts";
import { present } from "../../call/present.ts";
import { firstIndex } from "../first-index.ts";
import { endedHoldTtlMs, type HoldRecord } from "../hold-store.ts";
import { maxQuantity } from "../inventory-store.ts";
import { type Origin, unknownOrigin } from "../stock-change.ts";
import { type Stock, writeItem } from "./stock.ts";

/** A hold as it is stored. */
export interface StoredHold extends HoldRecord {
  /** Milliseconds since the epoch; 0 while it is active. */
  readonly endedAt: number;
}

/** The holds of all accounts. The index has the same texts as that in Redis (see hold.lua), but none for single pets. */
export function newHolds() {
  return {
    /** By account and id. */
    records: new Map<string, StoredHold>(),
    /** In ascending order. */
    index: [] as string[],
    /** The held units of pets that have any. */
    units: new Map<bigint, number>(),
    ended: { confirmed: 0, released: 0, expired: 0 },
  };
}

/** The holds of a stock. */
type Holds = ReturnType<typeof newHolds>;

/** Returns the name of a hold. */
export function holdName({ accountId, holdId }: Pick<HoldRecord, "accountId" | "holdId">): string {
  return `${accountId}/${holdId}`;
}

/** Returns the texts of the index from one on, before another. */
export function textsBetween({ index }: Holds, from: string, to: string): string[] {
  return index.slice(placeOf(index, from), placeOf(index, to));
}

function placeOf(index: readonly string[], text: string): number {
  return firstIndex(index.length, (at) => (index[at] ?? "") >= text);
}

/** Stores a hold in place of any other with its name. */
export function saveHold({ records, index }: Holds, hold: StoredHold): void {
  const name = holdName(hold);
  const before = records.get(name);
  for (const text of before ? textsOf(before) : []) index.splice(placeOf(index, text), 1);
  for (const text of textsOf(hold)) index.splice(placeOf(index, text), 0, text);
  records.set(name, hold);
}

/** Deletes a hold that is not active. */
export function removeHold({ records, index }: Holds, hold: StoredHold): void {
  for (const text of textsOf(hold)) index.splice(placeOf(index, text), 1);
  records.delete(holdName(hold));
}

/** Returns the texts that a hold has in the index. */
function textsOf(hold: StoredHold): string[] {
  const name = holdName(hold);
  const isActive = hold.state === HoldState.ACTIVE;
  const list = isActive ? "a" : "e";
  const place = `,${padded(hold.life, 16)},${name}`;
  const texts = [`${list}${hold.accountId}${place}`, `${list}${place}`];
  const at = `${timeText(isActive ? hold.expiresAt : hold.endedAt + endedHoldTtlMs)},${name}`;
  return [...texts, `t${at}`, ...(isActive ? [`d${hold.accountId},${at}`] : [])];
}

/** Returns a time as the index has it. @param time in milliseconds since the epoch */
export function timeText(time: number): string {
  return padded(time, 15);
}

/** Returns the name at the end of a text of the index. */
export function nameOf(text: string): string {
  return text.slice(text.lastIndexOf(",") + 1);
}

/** Returns a number with leading zeros. */
function padded(number: number | bigint, length: number): string {
  return String(number).padStart(length, "0");
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
  saveHold(holds, ended);
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
export function unasked({ accountId, holdId }: Pick<HoldRecord, "accountId" | "holdId">): Origin {
  const reason = ChangeReason.HOLD_ENDED;
  return { ...unknownOrigin, reason, accountId, reference: holdId };
}

/**
 * Ends the due holds of a pet. Without a pet, ends all due holds, and deletes those that ended long ago.
 *
 * @returns whether there were any
 */
export function endDueHolds(stock: Stock, petId?: bigint): boolean {
  const { holds } = stock;
  let hasEnded = false;
  for (const text of textsBetween(holds, "t", `t${timeText(stock.now() + 1)}`)) {
    const hold = present(holds.records.get(nameOf(text)), "a hold in the index");
    const isActive = hold.state === HoldState.ACTIVE;
    const hasPet = isActive && hold.items.some((item) => item.petId === petId);
    if (petId !== undefined && !hasPet) continue;
    if (isActive) expireHold(stock, hold);
    else removeHold(holds, hold);
    hasEnded = true;
  }
  return hasEnded;
}

/** Returns how many units of a pet are held. */
export function heldUnits({ holds }: Stock, petId: bigint): number {
  return holds.units.get(petId) ?? 0;
}
