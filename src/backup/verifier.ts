import { abridge } from "connect-gateway/call";
import { OrderStatus } from "../../gen/store/v1/store_pb.ts";
import { maxQuantity } from "../stores/inventory-store.ts";
import type { Summary } from "./backup-file.ts";
import { checkAccount } from "./check-accounts.ts";
import { createHistoryCheck, orderKey } from "./check-history.ts";
import { createHoldCheck } from "./check-holds.ts";
import type { Report } from "./finding.ts";
import {
  type AccountEntry,
  type AuditRecord,
  type Counts,
  type DataRecord,
  type EntryId,
  type ItemChange,
  type ItemRecord,
  isPetId,
  kindOf,
  type NamesRecord,
  noCounts,
  type OrderEntry,
  parseEntryId,
  parseOrder,
  skuIn,
} from "./records.ts";

/** Checks records, and reports each disagreement in one line. Memory grows with the history, accounts and SKUs. */
export function createVerifier(
  reportWhole: Report,
  onEntry: (id: EntryId, changes: readonly ItemChange[]) => void = () => {},
) {
  // A record can have values of any length.
  const report: Report = (problem, accountId) => reportWhole(abridge(problem, 1_000), accountId);
  const history = createHistoryCheck(report);
  const { found } = history;
  const holds = createHoldCheck(report, history);
  const checkNames = createNamesCheck(report);
  const counts = { ...noCounts };
  const accounts = new Set<string>();
  let newestItem = 0;
  let lastOrder = 0;
  let removedOrders = 0;
  let highestOrder = 0;
  let previousOrder = { of: "", order: "" };
  let section = 0;
  let nextAudit: number | undefined;

  function checkItem({ item, value }: ItemRecord): void {
    counts.items += 1;
    if (!isPetId(item)) report(`pet ${item} of the stock is not a pet id`);
    const [, quantity, , version] = /^(\d{1,10}),([1-3]),(\d{1,16})$/.exec(value) ?? [];
    const last = history.lasts.get(item);
    history.lasts.delete(item);
    if (version === undefined || Number(quantity) > maxQuantity) {
      report(`pet ${item} cannot be read`);
      return;
    }
    newestItem = Math.max(newestItem, Number(version));
    holds.checkItem(item, Number(quantity));
    if (last !== undefined) {
      const lastVersion = last.replace(/^.*,/, "");
      if (last !== value) report(`pet ${item} differs from its last change, ${lastVersion}`);
    } else if (Number(version) > (found.start ?? Number.POSITIVE_INFINITY)) {
      report(`pet ${item} has the version ${version}, which is not in the history`);
    }
  }

  function checkEntry(entry: AccountEntry): void {
    counts.accounts += 1;
    if (accounts.has(entry.account)) report(`account ${entry.account} is there twice`);
    accounts.add(entry.account);
    counts.keys += checkAccount(entry, report);
  }

  function checkOrder({ of, order }: OrderEntry): void {
    counts.orders += 1;
    const parts = parseOrder(order);
    if (!parts) {
      report(`order ${order} of account ${of} cannot be read`);
      return;
    }
    const { orderId, petId, quantity, status } = parts;
    if (previousOrder.of === of && previousOrder.order.slice(0, 19) >= order.slice(0, 19)) {
      report(`order ${orderId} of account ${of} is out of order`);
    }
    if (previousOrder.of !== of && !accounts.has(of)) {
      report(`account ${of} has orders, but does not exist: run inventory accounts delete ${of}`);
    }
    previousOrder = { of, order };
    highestOrder = Math.max(highestOrder, orderId);
    // The changes that placed and cancelled it.
    const { placed, cancelled } = history.orders.get(orderId) ?? {};
    history.orders.delete(orderId);
    const isCancelled = Number(status) === OrderStatus.CANCELLED;
    const name = `order ${orderId} of account ${of}`;
    if (cancelled && !isCancelled) report(`${name} was cancelled, but has another status`);
    if (cancelled && (cancelled.petId !== petId || cancelled.quantity !== quantity)) {
      report(`${name} differs from the change that cancelled it`);
    }
    if (!placed) {
      // Ids grow with each order. Of a hold, the history may have no change any more.
      const known = history.isWhole() ? 0 : (found.firstOrder ?? Number.POSITIVE_INFINITY);
      const isOfHold =
        holds.checkOrder(of, parts) || (known > 0 && (counts.holds > 0 || history.taken.size > 0));
      if (orderId > known && !isOfHold) report(`${name} has no change that placed it`);
    } else if (orderKey({ of, ...parts }) !== orderKey(placed)) {
      report(`${name} differs from the change that placed it`);
    }
    const isKnown = placed !== undefined || history.isWhole();
    if (isKnown && isCancelled && !cancelled && !history.wasRemoved(petId, placed?.version ?? 0)) {
      report(`${name} is cancelled, but its quantity was not put back`);
    }
  }

  function checkAudit({ audit }: AuditRecord): void {
    counts.audit += 1;
    nextAudit ??= audit;
    if (audit !== nextAudit) report(`the audit trail has entry ${audit} in place of ${nextAudit}`);
    nextAudit = audit + 1;
  }

  return {
    check(records: readonly DataRecord[]): void {
      for (const record of records) {
        const kind = kindOf(record);
        if (kind !== -1 && kind < section) report("the records are out of order");
        if (kind !== -1) section = kind;
        if ("item" in record) checkItem(record);
        else if ("named" in record) checkNames(record);
        else if ("hold" in record) {
          counts.holds += 1;
          holds.checkHold(record);
        } else if ("change" in record) {
          const entry = history.add(record);
          if (entry) onEntry(entry.id, entry.changes);
        } else if ("account" in record) checkEntry(record);
        else if ("order" in record) checkOrder(record);
        else if ("lastOrder" in record) {
          lastOrder = Number(record.lastOrder);
          removedOrders = Number(record.removedOrders ?? 0);
        } else if ("audit" in record) checkAudit(record);
        else report("a record is of an unknown kind");
      }
    },
    /** Makes the checks that need all records. @returns the number of records of each kind */
    end({ newest, counts: expected }: Pick<Summary, "newest"> & Partial<Summary>): Counts {
      for (const [petId, last] of history.lasts) {
        if (!last.startsWith("-")) report(`pet ${petId} is in the history, but not in the stock`);
      }
      for (const [orderId, { placed }] of history.orders) {
        // The orders of a deleted account are deleted, too. The history keeps their changes.
        // One that is placed before the end of a removed order may be removed, too.
        if (!placed || !accounts.has(placed.of) || placed.placedAt <= removedOrders) continue;
        report(`order ${orderId} of account ${placed.of} is in the history, but does not exist`);
      }
      if (highestOrder > lastOrder) {
        report(`order ${highestOrder} exists, but the last order id is ${lastOrder}`);
      }
      holds.end(removedOrders, accounts);
      const version = parseEntryId(newest)?.version ?? 0;
      const last = found.newest;
      if (last && `${last.version}-${last.number}` !== newest) {
        report(`the history ends with ${last.version}-${last.number}, but the stock has ${newest}`);
      }
      if (newestItem > version)
        report(`an item has the version ${newestItem}, but the stock ${version}`);
      counts.changes = found.changes;
      const [own, saved] = [counts, expected ?? counts].map((each) => JSON.stringify(each));
      if (own !== saved) report(`the counts are ${own}, but should be ${saved}`);
      return counts;
    },
  };
}

function createNamesCheck(report: Report): (record: NamesRecord) => void {
  const skus = new Set<string>();
  return ({ named, names }) => {
    const sku = skuIn(names);
    if (sku === undefined) report(`the names of pet ${named} cannot be read`);
    else if (skus.has(sku)) report(`pet ${named} has the SKU ${sku} of another pet`);
    else if (sku !== "") skus.add(sku);
  };
}
