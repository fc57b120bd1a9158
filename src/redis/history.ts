import type { ChangeReason, PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import type { ChangesSince, HistoryPage, HistoryQuery } from "../inventory/inventory-store.ts";
import type { StockChange } from "../inventory/stock-change.ts";
import { stockKeys } from "./change-script.ts";
import type { Connection } from "./connection.ts";
import { stockChangesKey } from "./keys.ts";
import { loadScript } from "./scripts.ts";

/** An entry of the stream: its id, then names and values in turn. */
export type Entry = readonly [id: string, fields: readonly string[]];

/** The two ways to read the history. */
export interface History {
  changes(query: HistoryQuery): Promise<HistoryPage | undefined>;
  changesSince(version: bigint, limit: number): Promise<ChangesSince | undefined>;
}

/** The history of the stock in Redis. */
export function createRedisHistory(connection: Connection): History {
  const { redis, guard } = connection;
  const itemChanges = loadScript(connection, "stock", "item-changes");
  const changesSince = loadScript(connection, "stock", "changes-since");

  return {
    async changes({ petId, from, limit }) {
      // One more than asked for: it tells where the next page begins.
      const most = limit + 1;
      const entries =
        petId === undefined
          ? await guard(
              redis.xrevrange(
                stockChangesKey,
                from === undefined ? "+" : `${from}-0`,
                "-",
                "COUNT",
                most,
              ),
            )
          : await itemChanges(stockKeys, [String(petId), String(from ?? ""), most]);
      if (!entries) return undefined;
      const changes = (entries as readonly Entry[]).map(stockChange);
      return { changes: changes.slice(0, limit), next: changes[limit]?.version };
    },

    async changesSince(version, limit) {
      const reply = await changesSince(stockKeys, [String(version + 1n), limit]);
      const [now, entries] = reply as readonly [string, readonly Entry[]];
      const changes = entries.map(stockChange);
      const first = changes[0]?.version ?? BigInt(now) + 1n;
      return first === version + 1n ? { changes, version: BigInt(now) } : undefined;
    },
  };
}

/** Reads an entry of the stream, whose fields are those of append_change in change.lua. */
export function stockChange([id, fields]: Entry): StockChange {
  const values = new Map<string, string>();
  for (let at = 0; at < fields.length; at += 2) {
    values.set(fields[at] ?? "", fields[at + 1] ?? "");
  }
  const text = (name: string) => values.get(name) ?? "";
  const optional = <T>(name: string, read: (value: string) => T) =>
    text(name) === "" ? undefined : read(text(name));
  return {
    version: BigInt(id.slice(0, -2)),
    petId: BigInt(text("pet")),
    quantityBefore: optional("before", Number),
    quantityAfter: optional("after", Number),
    status: optional("status", (value) => Number(value) as PetStatus),
    previousVersion: optional("prev", BigInt),
    changedAt: Number(text("time")),
    reason: Number(text("reason")) as ChangeReason,
    note: text("note"),
    reference: text("reference"),
    accountId: text("account"),
    keyId: text("key"),
    requestId: text("request"),
  };
}
