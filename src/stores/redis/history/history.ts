import { singleFlight } from "connect-gateway/call";
import type { ChangeReason, PetStatus } from "../../../../gen/inventory/v1/inventory_pb.ts";
import { append } from "../../../common/append.ts";
import type { CallContext } from "../../../common/call-context.ts";
import type { ChangesSince, HistoryPage, InventoryStore } from "../../inventory-store.ts";
import type { HistoryLimits, StockChange } from "../../stock-change.ts";
import type { Connection } from "../connection/connection.ts";
import { newestChangeKey, stockChangesKey, stockKeys } from "../keys.ts";
import { pairsOf } from "../pairs.ts";
import { damagedRecord, recordFields } from "../record.ts";
import { type Clock, loadScript } from "../scripts.ts";

/** An entry of the stream: its id, then its field names and values, which alternate. */
type Entry = readonly [id: string, fields: readonly string[]];

/** Entries, and about how many bytes they have. */
type Entries = readonly [entries: readonly Entry[], bytes: number];

/** Most changes that one script call reads, not counting the rest of an entry. It takes Redis half a millisecond. */
export const maxChangesAtOnce = 100;

/** About how many bytes of entries are read for a page. An entry can have 9 kB, because it has a whole batch. */
const mostBytes = 250_000;

/** Reads the history (see {@link InventoryStore}). */
export type History = Pick<InventoryStore, "changes" | "changesSince" | "historyStart">;

export function createRedisHistory(connection: Connection): History {
  const itemChanges = loadScript(connection, "item-changes");
  const changesBefore = loadScript(connection, "changes-before");
  const changesAfter = createChangesAfter(connection);
  const historyStart = loadScript(connection, "history-start");

  return {
    async changes({ petId, from, limit }, context) {
      const changes: StockChange[] = [];
      let begin = from;
      let bytesLeft = mostBytes;
      // One more than the limit shows where the next page begins.
      while (changes.length <= limit) {
        const most = Math.min(maxChangesAtOnce, limit + 1 - changes.length);
        const args = [String(begin ?? ""), most, bytesLeft];
        const reply = await (petId === undefined
          ? changesBefore(stockKeys, args, context)
          : itemChanges(stockKeys, [String(petId), ...args], context));
        if (reply === null) return undefined;
        const [entries, bytes] = reply as Entries;
        // The first entry may end with later changes.
        const read = entries
          .flatMap((entry) => stockChanges(entry).reverse())
          .filter(({ version }) => begin === undefined || version <= begin);
        append(changes, read);
        bytesLeft -= bytes;
        const last = read.at(-1);
        begin = petId === undefined ? last && last.version - 1n : last?.previousVersion;
        if (begin === undefined) break;
        if (bytesLeft <= 0) return pageOf(changes, Math.min(limit, changes.length - 1));
        if (read.length < most) break;
      }
      return pageOf(changes, limit);
    },
    async changesSince(version, limit) {
      const changes: StockChange[] = [];
      for (;;) {
        const at = changes.at(-1)?.version ?? version;
        const most = Math.min(maxChangesAtOnce, limit - changes.length);
        const read = await changesAfter(at, most);
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

/** Returns the first changes as a page. The next one, if there is any, begins the next page. */
function pageOf(changes: readonly StockChange[], count: number): HistoryPage {
  return { changes: changes.slice(0, count), next: changes[count]?.version };
}

/** Makes the function that reads changes after a version by one script call, which `calls` wait for. */
export function createChangesAfter(connection: Connection) {
  const changesSince = loadScript(connection, "changes-since");
  return async (version: bigint, most: number, calls: readonly CallContext[] = []) => {
    const keys = [newestChangeKey, stockChangesKey];
    // biome-ignore lint/plugin: the sampled calls of one tick
    return readChangesAfter(version, await changesSince(keys, [String(version), most], ...calls));
  };
}

/** Parses the reply of changes_after in history.lua. Undefined when the history lacks the version. */
export function readChangesAfter(version: bigint, reply: unknown): ChangesSince | undefined {
  if (!reply) return undefined;
  const [total, entries] = reply as readonly [number, readonly Entry[]];
  const changes = entries.flatMap(stockChanges).filter((change) => change.version > version);
  return { total, changes };
}

const changeForm = /^(\d+) (\d+) (\d+|-) (\d+|-) ([1-3]|-) (\d+|-)$/;

/** Parses an entry of the stream (see history.lua). @returns its changes in order @throws Error if it is damaged */
function stockChanges([id, fields]: Entry): StockChange[] {
  const values = new Map(pairsOf(fields));
  const text = (name: string) => values.get(name) ?? damaged();
  const damaged = (): never => {
    throw damagedRecord(stockChangesKey, id);
  };
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
    const values = recordFields(changeForm, change, stockChangesKey, id);
    const [versionsBefore, petId, before, after, status, previous] = values;
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

/**
 * Makes a function that trims the history in Redis, unless that is in progress. What each change trims is not enough after
 * changes that trim nothing, such as an import by the command line, and after the limit was lowered. Each command removes a
 * bounded number of changes, so that Redis can serve other requests in between.
 */
export function createHistoryTrimmer(
  connection: Connection,
  now: Clock,
  history: HistoryLimits | undefined,
): () => void {
  if (!history) return () => {};
  const { length, ageMs } = history;
  const trim = loadScript(connection, "trim-history");
  const trimAll = singleFlight(async () => {
    while (connection.isReady(stockKeys[0])) {
      const isLagging = await trim(stockKeys, [now?.() ?? "", length, ageMs]);
      if (!isLagging) return;
    }
  });
  // The connection has reported the error.
  return () => void trimAll().catch(() => {});
}
