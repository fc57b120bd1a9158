import type { StockChange } from "../../src/inventory/stock-change.ts";
import type { Initial } from "./history.ts";

/** Names of the properties of a history that are versions. */
const versionNames: readonly string[] = ["version", "expectedVersion", "made"];

/**
 * Creates a function that replaces each version with the number of recorded changes up to it, because the checker
 * counts changes. An unrecorded version becomes a negative number, which matches no state.
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
