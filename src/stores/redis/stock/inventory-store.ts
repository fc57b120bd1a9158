import type { CallContext } from "../../../call/context.ts";
import { changedItems } from "../../changed-items.ts";
import type { InventoryStore } from "../../inventory-store.ts";
import type { Connection } from "../connection/connection.ts";
import type { Send } from "../connection/send.ts";
import type { History } from "../history/history.ts";
import { itemsKey } from "../keys.ts";
import { batchByTick } from "../tick-batch.ts";
import {
  conditionArguments,
  loadChangeScript,
  outcomeOf,
  refusalOf,
  type StockSettings,
} from "./change-script.ts";
import { optionalItem, versionedItem } from "./item-value.ts";
import type { ListCache } from "./list-cache.ts";

/** Most items of one command. It takes Redis less than a tenth of a millisecond. */
const maxGets = 100;

/** One item that waits to be read. */
interface ItemRead extends CallContext {
  readonly petId: bigint;
}

const hmget = { command: "HMGET" };

/** Functions that read more than single items. */
interface Reading {
  readonly page: InventoryStore["page"];
  readonly history: History;
  readonly list: ListCache;
}

/** The stock in Redis. */
export function createRedisInventoryStore(
  connection: Connection,
  settings: StockSettings,
  { page, history, list }: Reading,
): InventoryStore {
  const setQuantity = loadChangeScript(connection, settings, "many", "set-quantity");
  const adjustQuantity = loadChangeScript(connection, settings, "many", "adjust-quantity");
  const setQuantities = loadChangeScript(connection, settings, "alone", "set-quantities");
  const setStatus = loadChangeScript(connection, settings, "many", "set-status");
  const createItem = loadChangeScript(connection, settings, "many", "create-item");
  const putItems = loadChangeScript(connection, settings, "alone", "put-items");
  const removeItem = loadChangeScript(connection, settings, "many", "remove-item");
  const get = batchByTick(async (reads: readonly ItemRead[]) => {
    const fields = reads.map(({ petId }) => String(petId));
    const send: Send<(string | null)[]> = (redis) => redis.hmget(itemsKey, ...fields);
    const values = await connection.run(itemsKey, send, hmget, reads);
    return reads.map(({ petId }, index) => optionalItem(petId, values[index]));
  }, maxGets);

  return {
    ...history,
    page,
    ...list,

    get: (petId, context) => get({ petId, record: context?.record }),

    async setQuantity(petId, quantity, request = {}, context) {
      const args = [String(petId), quantity, ...conditionArguments(request.conditions)];
      const reply = await setQuantity(request, args, context);
      return outcomeOf(reply, (outcome) => changeOf(petId, outcome));
    },

    async adjust(petId, delta, request = {}, context) {
      const args = [String(petId), delta, ...conditionArguments(request.conditions)];
      const reply = await adjustQuantity(request, args, context);
      return outcomeOf(reply, (outcome) => changeOf(petId, outcome));
    },

    async setQuantities(updates, request = {}, context) {
      const args = updates.flatMap(({ petId, quantity, ...conditions }) => [
        String(petId),
        quantity,
        ...conditionArguments(conditions),
      ]);
      return outcomeOf(await setQuantities(request, args, context), (outcome) => {
        const [kind, first = "", statuses = ""] = outcome.split(/[ \n]/, 3);
        if (kind === "refused") {
          const refusals = outcome.split("\n").slice(1).map(indexedRefusal);
          return { kind, refusals, total: Number(first) };
        }
        return { kind: "changed", items: changedItems(updates, BigInt(first), statuses) };
      });
    },

    async setStatus(petId, status, origin, context) {
      return optionalItem(petId, await setStatus({ origin }, [String(petId), status], context));
    },

    async create({ petId, quantity, status }, origin, context) {
      const reply = await createItem({ origin }, [String(petId), quantity, status], context);
      return optionalItem(petId, reply)?.version;
    },

    async put(items, origin, idempotency, context) {
      const args = items.flatMap(({ petId, quantity, status }) => [
        String(petId),
        quantity,
        status,
      ]);
      return outcomeOf(await putItems({ origin, idempotency }, args, context), (outcome) => {
        const created = Number(outcome);
        return { created, updated: items.length - created };
      });
    },

    async remove(petId, origin, context) {
      return optionalItem(petId, await removeItem({ origin }, [String(petId)], context));
    },
  };
}

/** Parses `changed <item>` or a refusal. */
function changeOf(petId: bigint, outcome: string) {
  const prefix = "changed ";
  if (!outcome.startsWith(prefix)) return refusalOf(outcome);
  return { kind: "changed", item: versionedItem(petId, outcome.slice(prefix.length)) } as const;
}

/** Parses `<index> <refusal>`. */
function indexedRefusal(line: string) {
  const space = line.indexOf(" ");
  return { index: Number(line.slice(0, space)), refusal: refusalOf(line.slice(space + 1)) };
}
