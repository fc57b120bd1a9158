import type { StockChange } from "../../src/inventory/stock-change.ts";
import type { Initial } from "./history.ts";

/** Members of a history that are versions. */
const versionNames: readonly string[] = ["version", "expectedVersion"];

/**
 * Makes a function that replaces each version by how many changes the service has recorded up to it, since the
 * checker counts changes. A version that the service has not recorded becomes a negative number, which fits nowhere.
 */
export function numberedBy(changes: readonly StockChange[], initial: Initial): <T>(value: T) => T {
  const versions = [
    ...initial.pets.map(({ version }) => version),
    ...changes.map(({ version }) => Number(version)),
  ];
  const numbers = new Map(versions.map((version, index) => [version, index + 1]));
  return function numbered<T>(value: T): T {
    if (Array.isArray(value)) return value.map(numbered) as T;
    if (typeof value !== "object" || value === null) return value;
    const members = Object.entries(value).map(([name, member]) => [
      name,
      versionNames.includes(name) ? (numbers.get(member) ?? -2) : numbered(member),
    ]);
    return Object.fromEntries(members) as T;
  };
}
