import { ChangeReason, ChangeReasonSchema } from "../../gen/inventory/v1/inventory_pb.ts";
import { accountOfKeyId } from "../access/api-key.ts";
import { maxQuantity } from "../stores/inventory-store.ts";
import {
  type ChangeRecord,
  changeFields,
  type EntryId,
  type ItemChange,
  type OrderParts,
  parseChanges,
  parseEntryId,
} from "./records.ts";

/** What placed an order, and what it has. */
export type Order = Pick<OrderParts, "petId" | "quantity" | "placedAt"> & { readonly of: string };

/** The traces of an order in the history. */
export interface OrderTrace {
  /** The new order, and the version of its change; undefined if it was placed before the history begins. */
  readonly placed?: Order & { readonly version: number };
  /** What its cancellation has put back, which can be by an operator; undefined if the history has no such change. */
  readonly cancelled?: Pick<Order, "petId" | "quantity">;
}

interface HistoryBounds {
  /** The version of the stock before the first entry; undefined if the history is empty. */
  start?: number;
  /** The id of the last entry; undefined if the history is empty. */
  newest?: EntryId;
  changes: number;
  /** The lowest id of an order that was placed in the history; undefined if none was. */
  firstOrder?: number;
}

/** The reasons of changes of a quantity alone. */
const keepsStatus: ReadonlySet<number> = new Set([
  ChangeReason.ARRIVAL,
  ChangeReason.RETURN,
  ChangeReason.SALE,
  ChangeReason.DAMAGE,
  ChangeReason.LOSS,
  ChangeReason.COUNT,
  ChangeReason.ORDER,
  ChangeReason.HOLD,
  ChangeReason.HOLD_ENDED,
]);

/** The least growth of the lead, in microseconds: about 71 minutes. */
const leadStep = 2 ** 32 - 1_000;

/** Makes a check of the history. @param report called with each disagreement */
export function createHistoryCheck(report: (problem: string) => void) {
  /** The last change of each pet, as its item is stored: `<quantity>,<status>,<version>`, `-,-,<version>` if it was removed. */
  const lasts = new Map<string, string>();
  /** The traces of all orders in the history, by order id. */
  const orders = new Map<number, OrderTrace>();
  /** The units that an account's holds have taken of a pet and not returned, by both. NaN if that is not known. */
  const taken = new Map<string, number>();
  const found: HistoryBounds = { changes: 0 };
  let lastOrder = 0;
  /** How far versions are beyond the time of their entries, in microseconds. */
  let lead: number | undefined;
  /** The last version with which each pet was removed. */
  const removals = new Map<string, number>();

  const fault = (id: string, text: string) => report(`entry ${id} of the history ${text}`);

  /** @param statusBefore `-` if the pet was added */
  function checkLink(change: ItemChange, reason: string, statusBefore: string): void {
    const { petId, version, quantityBefore = "-", versionBefore = "-", status } = change;
    const last = lasts.get(petId)?.replace(/^-,-,.*/, "-,-,-");
    const before = `${quantityBefore},${statusBefore},${versionBefore}`;
    const fits =
      before === "-,-,-" ||
      (!/(?:^|,)-/.test(before) && Number(versionBefore) <= (found.start ?? 0));
    const isKept = !keepsStatus.has(Number(reason)) || statusBefore === status;
    if (!(last === undefined ? fits : before === last) || !isKept) {
      report(`change ${version} of pet ${petId} does not continue its previous change`);
    }
  }

  function addOrder({ fields, change: id }: ChangeRecord, changes: readonly ItemChange[]): void {
    const [change, ...more] = changes;
    if (Number(fields.reason) !== ChangeReason.ORDER || !change) return;
    const { petId, quantityBefore, quantityAfter, version } = change;
    const orderId = Number(fields.reference);
    const isWhole = quantityBefore !== undefined && quantityAfter !== undefined;
    if (!isWhole || more.length > 0 || !/^[1-9]\d{0,18}$/.test(fields.reference ?? "")) {
      fault(id, "is for an order, but does not place or cancel one");
      return;
    }
    const known = orders.get(orderId);
    const quantity = quantityBefore - quantityAfter;
    if (quantity < 0) {
      if (known?.cancelled) report(`order ${orderId} was cancelled twice`);
      orders.set(orderId, { ...known, cancelled: { petId, quantity: -quantity } });
      return;
    }
    if (orderId <= lastOrder) report(`order ${orderId} was placed after order ${lastOrder}`);
    lastOrder = Math.max(lastOrder, orderId);
    found.firstOrder ??= orderId;
    const placedAt = Number(fields.time);
    const of = fields.account ?? "";
    orders.set(orderId, { placed: { of, petId, quantity, placedAt, version } });
  }

  function addHold({ fields, change: id }: ChangeRecord, changes: readonly ItemChange[]): void {
    const isEnd = Number(fields.reason) === ChangeReason.HOLD_ENDED;
    if (!isEnd && Number(fields.reason) !== ChangeReason.HOLD) return;
    for (const { petId, quantityBefore = Number.NaN, quantityAfter = Number.NaN } of changes) {
      const units = quantityBefore - quantityAfter;
      const isRight = isEnd ? units <= 0 : units !== 0;
      if (!isRight || fields.account === "" || fields.reference === "") {
        fault(id, "is for a hold, but takes or returns no units of one");
      }
      const key = holdKey(fields.account ?? "", petId);
      // Units that would have made the quantity too large did not return.
      const known = isEnd && quantityAfter === maxQuantity ? Number.NaN : units;
      taken.set(key, (taken.get(key) ?? 0) + known);
    }
  }

  /**
   * Checks the time of an entry. Its first version is its time and the lead of versions over the clock, or later if it
   * follows the version before. The lead stays the same, or grows by much after a failover.
   */
  function checkTime({ change, fields }: ChangeRecord, first: number): void {
    const own = first - Number(fields.time) * 1_000;
    const isOwnTime = first > Number(fields.before) + 1;
    const isSame = Math.abs(own - (lead ?? own)) < 1_000;
    const isLead = isSame || own - (lead ?? own) > leadStep;
    if (!/^\d+$/.test(fields.time ?? "") || own < 0 || (isOwnTime && !isLead)) {
      fault(change, `has the time ${fields.time}, which does not fit its version`);
    } else if (isOwnTime) lead = own;
  }

  /** Checks the fields of an entry that others, or their form, determine. */
  function checkFields({ change, fields }: ChangeRecord): void {
    const { reason = "", account = "", key = "" } = fields;
    if (!/^[1-9]\d*$/.test(reason) || !(reason in ChangeReasonSchema.value)) {
      fault(change, `has the unknown reason ${reason}`);
    }
    const isKey = key === "" || (accountOfKeyId(key) === account && /^[0-9a-z]{20}$/.test(key));
    if (!isKey || !/^(?:[0-9a-z]{12})?$/.test(account)) {
      fault(change, `has the key ${key}, which is not one of account ${account}`);
    }
  }

  return {
    lasts,
    orders,
    taken,
    found,
    /** Returns whether the history has all changes that were ever made. */
    isWhole: () => found.newest?.number === found.changes,
    /** Whether a pet was removed after a version. Its orders are cancelled without a change then. */
    wasRemoved: (petId: string, after: number) => (removals.get(petId) ?? 0) > after,
    /** Checks the next entry. @returns its id and changes; undefined if they cannot be read */
    add(record: ChangeRecord) {
      const id = parseEntryId(record.change);
      const before = Number(record.fields.before);
      const changes = id && parseChanges(record.fields.changes ?? "", id.version);
      const { statuses = "" } = record.fields;
      const isWhole =
        changeFields.every((name) => typeof record.fields[name] === "string") &&
        statuses.length === changes?.length;
      if (!id || !changes || changes.length === 0 || !isWhole || !Number.isSafeInteger(before)) {
        fault(record.change, "cannot be read");
        return undefined;
      }
      found.start ??= before;
      const number = id.number - changes.length;
      const last = found.newest ?? { version: before, number };
      if (before !== last.version || number !== last.number || id.version <= before) {
        fault(record.change, "does not continue the one before");
      }
      found.newest = id;
      found.changes += changes.length;
      changes.forEach((change, index) => {
        if (change.version !== id.version - changes.length + index + 1) {
          fault(record.change, "has versions out of order");
        }
        checkLink(change, record.fields.reason ?? "", statuses.charAt(index));
        const { petId, quantityAfter = "-", status = "-", version: own } = change;
        lasts.set(petId, `${quantityAfter},${status},${own}`);
        if (quantityAfter === "-") removals.set(petId, own);
      });
      checkTime(record, id.version - changes.length + 1);
      checkFields(record);
      addOrder(record, changes);
      addHold(record, changes);
      return { id, changes };
    },
  };
}

/** Returns the key of what the holds of an account have of a pet. */
export const holdKey = (accountId: string, petId: string) => `${accountId} ${petId}`;

/** Returns a text that is the same for the same order. */
export const orderKey = ({ of, petId, quantity, placedAt }: Order) =>
  [of, petId, quantity, placedAt].join();
