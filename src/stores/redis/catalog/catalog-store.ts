import type {
  CatalogStore,
  ListedEntry,
  PutCounts,
  PutPet,
  PutSkusTaken,
  PutTooLarge,
  SkuTaken,
} from "../../catalog-store.ts";
import type { Connection } from "../connection/connection.ts";
import { catalogChangesKey, catalogKeys, petNamesKey, skusKey, stockKeys } from "../keys.ts";
import { pairsOf } from "../pairs.ts";
import { loadScript } from "../scripts.ts";
import { loadChangeScript, outcomeOf, type StockSettings } from "../stock/change-script.ts";
import { optionalItem } from "../stock/item-value.ts";
import { createEntryCache, createEntryPages } from "./entry-cache.ts";
import { entryLine, entryLines, existing } from "./entry-lines.ts";

const keys = catalogKeys;
const findKeys = [...stockKeys, petNamesKey, catalogChangesKey, skusKey] as const;

export function createRedisCatalogStore(
  connection: Connection,
  settings: StockSettings,
): CatalogStore {
  const findEntries = loadScript(connection, "find-entries");
  const updateItem = loadChangeScript(connection, settings, "many", "update-item");
  const createItem = loadChangeScript(connection, settings, "many", "create-item");
  const putItems = loadChangeScript(connection, settings, "alone", "put-items");
  const removeItem = loadChangeScript(connection, settings, "many", "remove-item");
  const page = createEntryPages(connection);

  return {
    list: createEntryCache(connection, page),
    page,
    async find(query, context) {
      const { petIds = [], skus } = query;
      // The script finds by one condition. The other one, if there is any, is for the entries that are found.
      const args = skus ? ["skus", ...skus] : ["pets", ...petIds.map(String)];
      const reply = await findEntries(findKeys, args, context);
      const [version, text] = reply as readonly [string, string];
      const entries = existing(entryLines(text))
        .filter(({ petId }) => query.petIds?.includes(petId) ?? true)
        .sort((a, b) => (a.petId < b.petId ? -1 : 1));
      return { entries, version: BigInt(version) };
    },
    async update(petId, { status = "", sku, name }, origin, context) {
      const values = [String(petId), status, newText(sku), newText(name)];
      const reply = await updateItem({ origin, keys }, values, context);
      return skuTakenOf(reply) ?? entryOf(reply);
    },
    async create({ petId, quantity, status, sku = "", name = "" }, origin, context) {
      const values = [String(petId), quantity, status, sku, name];
      const reply = await createItem({ origin, keys }, values, context);
      return skuTakenOf(reply) ?? optionalItem(petId, reply)?.version;
    },
    async put(pets, origin, idempotency, context) {
      const reply = await putItems({ origin, idempotency, keys }, pets.flatMap(putValues), context);
      return outcomeOf(reply, (outcome): PutCounts | PutTooLarge | PutSkusTaken => {
        const created = Number(outcome);
        if (!Number.isNaN(created)) return { created, updated: pets.length - created };
        // A word, and then an index and a number for each item.
        const [kind, ...numbers] = outcome.split(" ");
        const found = pairsOf(numbers).map(([at, value]) => ({ index: Number(at), value }));
        return kind === "too_large"
          ? { kind, items: found.map(({ index, value }) => ({ index, held: Number(value) })) }
          : {
              kind: "sku_taken",
              items: found.map(({ index, value }) => ({ index, by: BigInt(value) })),
            };
      });
    },
    async remove(petId, origin, context) {
      const reply = await removeItem({ origin, keys }, [String(petId)], context);
      return reply === "held" ? reply : entryOf(reply);
    },
  };
}

/** Returns a text as an argument of a script (see new_text in catalog.lua). */
const newText = (text: string | undefined) => (text === undefined ? "" : `=${text}`);

const putValues = ({ petId, quantity, status, sku, name }: PutPet) =>
  [String(petId), quantity, status, newText(sku), newText(name)] as const;

/** Parses `sku_taken <pet id>`. Any other reply is another outcome. */
function skuTakenOf(reply: unknown): SkuTaken | undefined {
  const [kind, by = ""] = typeof reply === "string" ? reply.split(" ") : [];
  return kind === "sku_taken" ? { kind, by: BigInt(by) } : undefined;
}

/** Parses a line of entry_lines in catalog.lua. Null means that the pet does not exist. */
function entryOf(reply: unknown): ListedEntry | undefined {
  return typeof reply === "string" ? entryLine(reply).entry : undefined;
}
