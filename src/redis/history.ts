import type { ChangeReason, PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import type { ChangesSince, InventoryStore } from "../inventory/inventory-store.ts";
import type { StockChange } from "../inventory/stock-change.ts";
import { stockKeys } from "./change-script.ts";
import type { Connection } from "./connection.ts";
import { stockChangesKey } from "./keys.ts";
import { loadScript } from "./scripts.ts";

/** An entry of the stream: its id, then names and values in turn. */
export type Entry = readonly [id: string, fields: readonly string[]];

/** Changes that one script call reads at most, but for the rest of an entry: half a millisecond of Redis. */
const maxChanges = 100;

/** The ways to read the history: see the same of {@link InventoryStore}. */
export type History = Pick<InventoryStore, "changes" | "changesSince" | "oldestChange">;

/** The history of the stock in Redis. */
export function createRedisHistory(connection: Connection): History {
  const { redis, guard } = connection;
  const itemChanges = loadScript(connection, "stock", "history", "item-changes");
  const changesBefore = loadScript(connection, "stock", "history", "changes-before");
  const changesSince = loadScript(connection, "stock", "history", "changes-since");

  /** @returns changes from a version on, newest first; undefined when there is no such pet */
  async function readBackwards(
    petId: bigint | undefined,
    from: bigint | undefined,
    most: number,
  ): Promise<StockChange[] | undefined> {
    const begin = String(from ?? "");
    if (petId !== undefined) {
      const entries = await itemChanges(stockKeys, [String(petId), begin, most]);
      return (entries as readonly Entry[] | null)?.flatMap(stockChanges);
    }
    const entries = (await changesBefore(stockKeys, [begin, most])) as readonly Entry[];
    const changes = entries.flatMap((entry) => stockChanges(entry).reverse());
    return changes.filter(({ version }) => from === undefined || version <= from);
  }

  /** @returns some changes after a version, and the version of the stock; undefined where there is a gap */
  async function readForwards(version: bigint, most: number): Promise<ChangesSince | undefined> {
    const reply = await changesSince(stockKeys, [String(version + 1n), most]);
    const [now, entries] = reply as readonly [string, readonly Entry[]];
    const changes = entries.flatMap(stockChanges).filter((change) => change.version > version);
    const first = changes[0]?.version ?? BigInt(now) + 1n;
    return first === version + 1n ? { changes, version: BigInt(now) } : undefined;
  }

  return {
    async changes({ petId, from, limit }) {
      const changes: StockChange[] = [];
      let begin = from;
      // One more than the limit shows where the next page begins.
      while (changes.length <= limit) {
        const most = Math.min(maxChanges, limit + 1 - changes.length);
        const read = await readBackwards(petId, begin, most);
        if (!read) return undefined;
        changes.push(...read);
        const last = read.at(-1);
        begin = petId === undefined ? last && last.version - 1n : last?.previousVersion;
        if (begin === undefined || read.length < most) break;
      }
      return { changes: changes.slice(0, limit), next: changes[limit]?.version };
    },

    async changesSince(version, limit) {
      const changes: StockChange[] = [];
      for (;;) {
        const at = version + BigInt(changes.length);
        const read = await readForwards(at, Math.min(maxChanges, limit - changes.length));
        if (!read) return undefined;
        changes.push(...read.changes);
        const isAll = version + BigInt(changes.length) >= read.version;
        if (isAll || changes.length >= limit) {
          return { changes: changes.slice(0, limit), version: read.version };
        }
      }
    },

    async oldestChange() {
      const [entry] = await guard(redis.xrange(stockChangesKey, "-", "+", "COUNT", 1));
      return entry && stockChanges(entry)[0]?.version;
    },
  };
}

/** Reads an entry of the stream (see history.lua). @returns its changes in order */
export function stockChanges([id, fields]: Entry): StockChange[] {
  const values = new Map<string, string>();
  for (let at = 0; at < fields.length; at += 2) {
    values.set(fields[at] ?? "", fields[at + 1] ?? "");
  }
  const text = (name: string) => values.get(name) ?? "";
  const last = BigInt(id.slice(0, -2));
  const origin = {
    changedAt: Number(text("time")),
    reason: Number(text("reason")) as ChangeReason,
    note: text("note"),
    reference: text("reference"),
    accountId: text("account"),
    keyId: text("key"),
    requestId: text("request"),
  };
  const [, ...changes] = text("changes").split(";");
  return changes.map((change) => {
    const [versionsBefore = "", petId = "", ...rest] = change.split(" ");
    const [before, after, status, previous] = rest;
    return {
      version: last - BigInt(versionsBefore),
      petId: BigInt(petId),
      quantityBefore: optional(before, Number),
      quantityAfter: optional(after, Number),
      status: optional(status, (value) => Number(value) as PetStatus),
      previousVersion: optional(previous, BigInt),
      ...origin,
    };
  });
}

function optional<T>(text: string | undefined, read: (value: string) => T): T | undefined {
  return text === undefined || text === "-" ? undefined : read(text);
}
