import type { ChangeReason, PetStatus } from "../../../../gen/inventory/v1/inventory_pb.ts";
import { append } from "../../../call/append.ts";
import type { CallContext } from "../../../call/context.ts";
import type { ChangesSince, InventoryStore } from "../../inventory-store.ts";
import type { StockChange } from "../../stock-change.ts";
import type { Connection } from "../connection/connection.ts";
import { newestChangeKey, stockChangesKey, stockKeys } from "../keys.ts";
import { pairsOf } from "../pairs.ts";
import { loadScript, type Script } from "../scripts.ts";

/** An entry of the stream: its id, then its field names and values, which alternate. */
type Entry = readonly [id: string, fields: readonly string[]];

/** Most changes that one script call reads, not counting the rest of an entry. It takes Redis half a millisecond. */
export const maxChangesAtOnce = 100;

/** Reads the history (see {@link InventoryStore}). */
export type History = Pick<InventoryStore, "changes" | "changesSince" | "historyStart">;

/** Makes the functions that read the history in Redis. */
export function createRedisHistory(connection: Connection): History {
  const itemChanges = loadScript(connection, "item-changes");
  const changesBefore = loadScript(connection, "changes-before");
  const changesSince = loadChangesSince(connection);
  const historyStart = loadScript(connection, "history-start");

  /** @returns changes from a version on, newest first; undefined when there is no such pet */
  async function readBackwards(
    petId: bigint | undefined,
    from: bigint | undefined,
    most: number,
    context: CallContext | undefined,
  ): Promise<StockChange[] | undefined> {
    const begin = String(from ?? "");
    if (petId !== undefined) {
      const entries = await itemChanges(stockKeys, [String(petId), begin, most], context);
      return (entries as readonly Entry[] | null)?.flatMap(stockChanges);
    }
    const entries = await changesBefore(stockKeys, [begin, most], context);
    const changes = (entries as readonly Entry[]).flatMap((entry) => stockChanges(entry).reverse());
    return changes.filter(({ version }) => from === undefined || version <= from);
  }

  return {
    async changes({ petId, from, limit }, context) {
      const changes: StockChange[] = [];
      let begin = from;
      // One more than the limit shows where the next page begins.
      while (changes.length <= limit) {
        const most = Math.min(maxChangesAtOnce, limit + 1 - changes.length);
        const read = await readBackwards(petId, begin, most, context);
        if (!read) return undefined;
        append(changes, read);
        const last = read.at(-1);
        begin = petId === undefined ? last && last.version - 1n : last?.previousVersion;
        if (begin === undefined || read.length < most) break;
      }
      return { changes: changes.slice(0, limit), next: changes[limit]?.version };
    },

    async changesSince(version, limit) {
      const changes: StockChange[] = [];
      for (;;) {
        const at = changes.at(-1)?.version ?? version;
        const most = Math.min(maxChangesAtOnce, limit - changes.length);
        const read = readChangesAfter(at, await changesSince(changesKeys, [String(at), most]));
        if (!read) return undefined;
        const total = changes.length + read.total;
        append(changes, read.changes);
        if (changes.length >= Math.min(total, limit)) {
          return { changes: changes.slice(0, limit), total };
        }
      }
    },

    async historyStart() {
      return BigInt((await historyStart(stockKeys, [])) as string);
    },
  };
}

/** The keys of changes-since.lua. */
export const changesKeys = [newestChangeKey, stockChangesKey] as const;

/** Loads changes-since.lua. Its arguments are a version and the most changes to return. */
export function loadChangesSince(connection: Connection): Script {
  return loadScript(connection, "changes-since");
}

/**
 * Parses the reply of changes_after in history.lua.
 *
 * @returns the first changes after the version, and how many there are; undefined when the history lacks it
 */
export function readChangesAfter(version: bigint, reply: unknown): ChangesSince | undefined {
  if (!reply) return undefined;
  const [total, entries] = reply as readonly [number, readonly Entry[]];
  const changes = entries.flatMap(stockChanges).filter((change) => change.version > version);
  return { total, changes };
}

/** Parses an entry of the stream (see history.lua). @returns its changes in order */
function stockChanges([id, fields]: Entry): StockChange[] {
  const values = new Map(pairsOf(fields));
  const text = (name: string) => values.get(name) ?? "";
  const last = BigInt(id.slice(0, id.indexOf("-")));
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
  const statuses = text("statuses");
  const optionalStatus = (digit: string | undefined) =>
    optional(digit, (value) => Number(value) as PetStatus);
  return changes.map((change, index) => {
    const [versionsBefore = "", petId = "", ...rest] = change.split(" ");
    const [before, after, status, previous] = rest;
    return {
      version: last - BigInt(versionsBefore),
      petId: BigInt(petId),
      quantityBefore: optional(before, Number),
      quantityAfter: optional(after, Number),
      statusBefore: optionalStatus(statuses[index]),
      status: optionalStatus(status),
      previousVersion: optional(previous, BigInt),
      ...origin,
    };
  });
}

function optional<T>(text: string | undefined, read: (value: string) => T): T | undefined {
  return text === undefined || text === "-" ? undefined : read(text);
}
