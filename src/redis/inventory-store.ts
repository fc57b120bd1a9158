import { changedItems } from "../inventory/changed-items.ts";
import type { InventoryStore } from "../inventory/inventory-store.ts";
import {
  conditionArguments,
  loadChangeScript,
  outcomeOf,
  refusalOf,
  type StockSettings,
} from "./change-script.ts";
import type { Connection } from "./connection/connection.ts";
import type { History } from "./history.ts";
import { optionalItem, versionedItem } from "./item-value.ts";
import { itemsKey } from "./keys.ts";
import type { ListCache } from "./list-cache.ts";
import { batchByTick } from "./tick-batch.ts";

/** Most items of one command. It takes Redis less than a tenth of a millisecond. */
const maxGets = 100;

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
  const setQuantities = loadChangeScript(
    connection,
    settings,
    "alone",
    "change-items",
    "set-quantities",
  );
  const setStatus = loadChangeScript(connection, settings, "many", "set-status");
  const createItem = loadChangeScript(connection, settings, "many", "create-item");
  const putItems = loadChangeScript(connection, settings, "alone", "change-items", "put-items");
  const removeItem = loadChangeScript(connection, settings, "many", "remove-item");
  const get = batchByTick(async (petIds: readonly bigint[]) => {
    const values = await connection.run(itemsKey, (redis) =>
      redis.hmget(itemsKey, ...petIds.map(String)),
    );
    return petIds.map((petId, index) => optionalItem(petId, values[index]));
  }, maxGets);

  return {
    ...history,
    page,
    ...list,
    get,

    async setQuantity(petId, quantity, request = {}) {
      const args = [String(petId), quantity, ...conditionArguments(request.conditions)];
      return outcomeOf(await setQuantity(request, args), (outcome) => changeOf(petId, outcome));
    },

    async adjust(petId, delta, request = {}) {
      const args = [String(petId), delta, ...conditionArguments(request.conditions)];
      return outcomeOf(await adjustQuantity(request, args), (outcome) => changeOf(petId, outcome));
    },

    async setQuantities(updates, request = {}) {
      const args = updates.flatMap(({ petId, quantity, ...conditions }) => [
        String(petId),
        quantity,
        ...conditionArguments(conditions),
      ]);
      return outcomeOf(await setQuantities(request, args), (outcome) => {
        const [kind, first = "", statuses = ""] = outcome.split(/[ \n]/, 3);
        if (kind === "refused") {
          const refusals = outcome.split("\n").slice(1).map(indexedRefusal);
          return { kind, refusals, total: Number(first) };
        }
        return { kind: "changed", items: changedItems(updates, BigInt(first), statuses) };
      });
    },

    async setStatus(petId, status, origin) {
      return optionalItem(petId, await setStatus({ origin }, [String(petId), status]));
    },

    async create({ petId, quantity, status }, origin) {
      const reply = await createItem({ origin }, [String(petId), quantity, status]);
      return optionalItem(petId, reply)?.version;
    },

    async put(items, origin, idempotency) {
      const args = items.flatMap(({ petId, quantity, status }) => [
        String(petId),
        quantity,
        status,
      ]);
      return outcomeOf(await putItems({ origin, idempotency }, args), (outcome) => {
        const created = Number(outcome);
        return { created, updated: items.length - created };
      });
    },

    async remove(petId, origin) {
      return optionalItem(petId, await removeItem({ origin }, [String(petId)]));
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
