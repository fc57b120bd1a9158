import { changedItems } from "../inventory/changed-items.ts";
import type { InventoryStore } from "../inventory/inventory-store.ts";
import {
  conditionArguments,
  loadChangeScript,
  outcomeOf,
  refusalOf,
  type StockSettings,
} from "./change-script.ts";
import type { Connection } from "./connection.ts";
import type { History } from "./history.ts";
import { optionalItem, versionedItem } from "./item-value.ts";
import type { KeptList } from "./kept-list.ts";
import { itemsKey } from "./keys.ts";
import { batchByTurn } from "./turn-batch.ts";

/** Items that are read together at most: less than a tenth of a millisecond of Redis. */
const maxGets = 100;

/** How the stock is read, but for single items. */
interface Reading {
  readonly page: InventoryStore["page"];
  readonly history: History;
  readonly list: KeptList;
}

/** The stock in Redis. */
export function createRedisInventoryStore(
  connection: Connection,
  settings: StockSettings,
  { page, history, list }: Reading,
): InventoryStore {
  const { redis, guard } = connection;
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
  const get = batchByTurn(async (petIds: readonly bigint[]) => {
    const values = await guard(redis.hmget(itemsKey, ...petIds.map(String)));
    return petIds.map((petId, index) => optionalItem(petId, values[index]));
  }, maxGets);

  return {
    ...history,
    page,
    list: list.list,
    prepareList: list.prepareList,
    get,

    async setQuantity(petId, quantity, request = {}) {
      const args = [String(petId), quantity, ...conditionArguments(request.conditions)];
      return outcomeOf(await setQuantity(request, args), (answer) => changeOf(petId, answer));
    },

    async adjust(petId, delta, request = {}) {
      const args = [String(petId), delta, ...conditionArguments(request.conditions)];
      return outcomeOf(await adjustQuantity(request, args), (answer) => changeOf(petId, answer));
    },

    async setQuantities(updates, request = {}) {
      const args = updates.flatMap(({ petId, quantity, ...conditions }) => [
        String(petId),
        quantity,
        ...conditionArguments(conditions),
      ]);
      return outcomeOf(await setQuantities(request, args), (answer) => {
        const [kind, first = "", statuses = ""] = answer.split(/[ \n]/, 3);
        if (kind === "refused") {
          const refusals = answer.split("\n").slice(1).map(indexedRefusal);
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
      return outcomeOf(await putItems({ origin, idempotency }, args), (answer) => {
        const created = Number(answer);
        return { created, updated: items.length - created };
      });
    },

    async remove(petId, origin) {
      return optionalItem(petId, await removeItem({ origin }, [String(petId)]));
    },
  };
}

/** Reads `changed <item>` or a refusal. */
function changeOf(petId: bigint, answer: string) {
  const prefix = "changed ";
  if (!answer.startsWith(prefix)) return refusalOf(answer);
  return { kind: "changed", item: versionedItem(petId, answer.slice(prefix.length)) } as const;
}

/** Reads `<index> <refusal>`. */
function indexedRefusal(line: string) {
  const space = line.indexOf(" ");
  return { index: Number(line.slice(0, space)), refusal: refusalOf(line.slice(space + 1)) };
}
