import type { InventoryStore } from "./inventory-store.ts";
import type { StockChange } from "./stock-change.ts";

/**
 * Reads the changes after one version up to another, in parts.
 *
 * @param atOnce the most changes in a part
 * @returns whether the history has both versions and all changes between them. If not, the parts must not be used
 */
export async function* changesBetween(
  changesSince: InventoryStore["changesSince"],
  from: bigint,
  to: bigint,
  atOnce: number,
): AsyncGenerator<readonly StockChange[], boolean> {
  for (let at = from; at !== to; ) {
    const since = at < to ? await changesSince(at, atOnce) : undefined;
    const changes = since?.changes.filter(({ version }) => version <= to) ?? [];
    const last = changes.at(-1);
    if (!last) return false;
    yield changes;
    at = last.version;
  }
  return true;
}
