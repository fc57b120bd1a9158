import { ChangeReason } from "../../../gen/inventory/v1/inventory_pb.ts";
import type { StockChange } from "../../../src/stores/stock-change.ts";
import type { Initial } from "./history.ts";

/** Names of the properties of a history that are versions. */
const versionNames: readonly string[] = ["version", "expectedVersion", "made"];

/** The number of an order that the service has not recorded. The checker knows fewer orders. */
const unrecordedOrder = 4_095;

/**
 * Creates a function that replaces each version with the number of recorded changes up to it, because the checker
 * counts changes. An unrecorded version becomes a negative number, which matches no state. It replaces each order id
 * with the number of recorded orders that have no greater id, because the checker counts orders.
 */
export function numberedBy(changes: readonly StockChange[], initial: Initial): <T>(value: T) => T {
  const versions = [
    ...initial.pets.map(({ version }) => version),
    ...changes.map(({ version }) => Number(version)),
  ];
  const numbers = new Map(versions.map((version, index) => [version, index + 1]));
  const orderIds = new Set(
    changes
      .filter(({ reason }) => reason === ChangeReason.ORDER)
      .map(({ reference }) => Number(reference)),
  );
  const orders = new Map(
    [...orderIds].sort((a, b) => a - b).map((orderId, index) => [orderId, index + 1]),
  );
  const numberOf = (name: string, member: unknown): unknown => {
    if (name === "orderId") return orders.get(Number(member)) ?? unrecordedOrder;
    return versionNames.includes(name) ? (numbers.get(Number(member)) ?? -2) : numbered(member);
  };
  return numbered;

  function numbered<T>(value: T): T {
    if (Array.isArray(value)) return value.map(numbered) as T;
    if (typeof value !== "object" || value === null) return value;
    const members = Object.entries(value).map(([name, member]) => [name, numberOf(name, member)]);
    return Object.fromEntries(members) as T;
  }
}
