import { ChangeReason } from "../../gen/inventory/v1/inventory_pb.ts";
import { createLastChanges, type LastChanges } from "./last-changes.ts";
import {
  type ChangeRecord,
  changeFields,
  type EntryId,
  type ItemChange,
  parseChanges,
  parseEntryId,
} from "./records.ts";

/** The traces of an order in the history. */
export interface OrderTrace {
  /** The values of the new order; undefined if it was placed before the history begins. */
  readonly placed?: {
    /** The account that placed it. An operator of another account can have cancelled it. */
    readonly of: string;
    readonly petId: string;
    readonly quantity: number;
    readonly at: number;
  };
  readonly isCancelled: boolean;
}

/** Checks the history. */
export interface HistoryCheck {
  /** Checks the next entry. @returns its id and changes; undefined if they cannot be read */
  add(record: ChangeRecord): { readonly id: EntryId; readonly changes: ItemChange[] } | undefined;
  /** The last change of each pet. */
  readonly lastChanges: LastChanges;
  /** The traces of all orders in the history, by order id. */
  readonly orders: Map<number, OrderTrace>;
  /** The version of the stock before the first entry; undefined if the history is empty. */
  readonly start: number | undefined;
  /** The id of the last entry; undefined if the history is empty. */
  readonly newest: EntryId | undefined;
  /** The number of changes. */
  readonly changes: number;
}

/** Makes a check of the history. @param report called with each disagreement */
export function createHistoryCheck(report: (problem: string) => void): HistoryCheck {
  const lastChanges = createLastChanges();
  const orders = new Map<number, OrderTrace>();
  let start: number | undefined;
  let newest: EntryId | undefined;
  let count = 0;

  function checkLink(change: ItemChange): void {
    const { petId, version, quantityBefore, versionBefore } = change;
    const last = lastChanges.get(petId);
    const expected = last
      ? { version: last.quantity === undefined ? undefined : last.version, quantity: last.quantity }
      : undefined;
    const fits = expected
      ? versionBefore === expected.version && quantityBefore === expected.quantity
      : versionBefore === undefined || versionBefore <= (start ?? 0);
    if (!fits || (versionBefore === undefined) !== (quantityBefore === undefined)) {
      report(`change ${version} of pet ${petId} does not continue its previous change`);
    }
  }

  function followOrder({ fields }: ChangeRecord, [change]: readonly ItemChange[]): void {
    if (Number(fields.reason) !== ChangeReason.ORDER || !change) return;
    const { petId, quantityBefore = 0, quantityAfter = 0 } = change;
    const orderId = Number(fields.reference);
    const quantity = quantityBefore - quantityAfter;
    const known = orders.get(orderId);
    if (quantity < 0) orders.set(orderId, { ...known, isCancelled: true });
    else {
      const placed = { of: fields.account ?? "", petId, quantity, at: Number(fields.time) };
      orders.set(orderId, { placed, isCancelled: false });
    }
  }

  return {
    lastChanges,
    orders,
    get start() {
      return start;
    },
    get newest() {
      return newest;
    },
    get changes() {
      return count;
    },
    add(record) {
      const id = parseEntryId(record.change);
      const before = Number(record.fields.before);
      const changes = id && parseChanges(record.fields.changes ?? "", id.version);
      const isWhole = changeFields.every((name) => typeof record.fields[name] === "string");
      if (!id || !changes || changes.length === 0 || !isWhole || !Number.isSafeInteger(before)) {
        report(`entry ${record.change} of the history cannot be read`);
        return undefined;
      }
      start ??= before;
      const { version, number } = newest ?? { version: before, number: id.number - changes.length };
      if (before !== version || id.number - changes.length !== number || id.version <= version) {
        report(`entry ${record.change} of the history does not continue the one before`);
      }
      newest = id;
      count += changes.length;
      changes.forEach((change, index) => {
        if (change.version !== id.version - changes.length + index + 1) {
          report(`entry ${record.change} of the history has versions out of order`);
        }
        checkLink(change);
        lastChanges.set(change);
      });
      followOrder(record, changes);
      return { id, changes };
    },
  };
}
