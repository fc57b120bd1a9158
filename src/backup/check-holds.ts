import { HoldState } from "../../gen/store/v1/store_pb.ts";
import { maxQuantity } from "../stores/inventory-store.ts";
import { type createHistoryCheck, holdKey, type Order, orderKey } from "./check-history.ts";
import { type HoldEntry, type OrderParts, parseHold } from "./records.ts";

/** Makes a check of holds, which follow the history. Memory grows with held pets and orders of confirmed holds. */
export function createHoldCheck(
  report: (problem: string) => void,
  history: ReturnType<typeof createHistoryCheck>,
) {
  const now = Date.now();
  /** The held units of each pet. Due holds count as expired. */
  const held = new Map<string, number>();
  const accounts = new Set<string>();
  /** The orders of confirmed holds, with the names of their holds. */
  const orders = new Map<number, Order & { readonly hold: string }>();
  /** The units of active holds and of orders that no change has placed. See `taken` in check-history.ts. */
  const had = new Map<string, number>();

  function add<Key>(sums: Map<Key, number>, key: Key, units: number): void {
    sums.set(key, (sums.get(key) ?? 0) + units);
  }

  return {
    checkHold(entry: HoldEntry): void {
      const parts = parseHold(entry);
      if (!parts) {
        report(`hold ${entry.hold} cannot be read`);
        return;
      }
      const { of, state, expiresAt, endedAt, items } = parts;
      accounts.add(of);
      for (const { petId, quantity, orderId } of items) {
        if (state === HoldState.ACTIVE) {
          add(had, holdKey(of, petId), quantity);
          if (expiresAt > now) add(held, petId, quantity);
        }
        if (orderId === undefined) continue;
        orders.set(orderId, { hold: entry.hold, of, petId, quantity, placedAt: endedAt });
      }
    },
    checkItem(petId: string, quantity: number): void {
      const units = held.get(petId) ?? 0;
      const both = `the quantity ${quantity} and ${units} held units`;
      if (quantity + units > maxQuantity) report(`pet ${petId} has ${both}, which are too many`);
      held.delete(petId);
    },
    /** Checks an order that no change has placed. Returns whether a hold can have placed it. */
    checkOrder(of: string, parts: OrderParts): boolean {
      const { orderId, petId } = parts;
      const key = holdKey(of, petId);
      add(had, key, parts.quantity);
      const order = orders.get(orderId);
      orders.delete(orderId);
      if (!order) return history.taken.has(key);
      // Orders of earlier versions have no reference.
      const isOwn = parts.reference === "" || `${of}/${parts.reference}` === order.hold;
      if (!isOwn || orderKey({ of, ...parts }) !== orderKey(order)) {
        report(`order ${orderId} of account ${of} differs from hold ${order.hold}`);
      }
      return true;
    },
    /** @param removedUntil when the last removed order ended, in milliseconds; 0 if none was */
    end(removedUntil: number, existing: ReadonlySet<string>): void {
      for (const [petId, units] of held) {
        report(`holds have ${units} units of pet ${petId}, which is not in the stock`);
      }
      for (const id of accounts.difference(existing)) {
        report(`account ${id} has holds, but does not exist: run inventory accounts delete ${id}`);
      }
      for (const [orderId, { of, hold, placedAt }] of orders) {
        const isMissing = existing.has(of) && placedAt > removedUntil;
        if (isMissing) report(`order ${orderId} of hold ${hold} does not exist`);
      }
      for (const key of new Set([...had.keys(), ...history.taken.keys()])) {
        const [accountId = "", petId = ""] = key.split(" ");
        // The orders of a deleted account are deleted. The units of a removed pet cannot return.
        if (!existing.has(accountId) || history.wasRemoved(petId, 0)) continue;
        const units = had.get(key) ?? 0;
        const taken = history.taken.get(key) ?? 0;
        // The units of removed orders are missing.
        const areLost = units < taken && removedUntil === 0;
        if (areLost || (history.isWhole() && units > taken)) {
          report(
            `holds of account ${accountId} and their orders have ${units} units of pet ${petId}, but ${taken} in the history`,
          );
        }
      }
    },
  };
}
