import type { PetStatus } from "../../../../gen/inventory/v1/inventory_pb.ts";
import type { CallContext } from "../../../common/call-context.ts";
import { present } from "../../../common/present.ts";
import type {
  AllChanged,
  BatchRefused,
  Changed,
  CountedPet,
  InventoryStore,
  QuantityChange,
  StockLevel,
} from "../../inventory-store.ts";
import type { CountRefusal, Refusal } from "../../stock-change.ts";
import type { Connection } from "../connection/connection.ts";
import { operations } from "../connection/operation.ts";
import type { Send } from "../connection/send.ts";
import type { History } from "../history/history.ts";
import { itemsKey } from "../keys.ts";
import { recordFields } from "../record.ts";
import { loadScript } from "../scripts.ts";
import { batchByTick } from "../tick-batch.ts";
import {
  batchRefusal,
  changeKeys,
  loadChangeScript,
  outcomeOf,
  refusalOf,
  type StockSettings,
} from "./change-script.ts";
import { optionalItem, versionedItem } from "./item-value.ts";
import type { ListCache } from "./list-cache.ts";

/** Most items of one command. It takes Redis less than a tenth of a millisecond. */
const maxGets = 100;

interface ItemRead extends CallContext {
  readonly petId: bigint;
}

interface Reading {
  readonly page: InventoryStore["page"];
  readonly history: History;
  readonly list: ListCache;
}

/** An outcome with an item begins so. */
const changed = "changed ";

export function createRedisInventoryStore(
  connection: Connection,
  settings: StockSettings,
  { page, history, list }: Reading,
): InventoryStore {
  const changeQuantity = loadChangeScript(connection, settings, "many", "change-quantity");
  const changeQuantities = loadChangeScript(connection, settings, "alone", "change-quantities");
  const countUnits = loadChangeScript(connection, settings, "alone", "count-units");
  const get = batchByTick(async (reads: readonly ItemRead[]) => {
    const fields = reads.map(({ petId }) => String(petId));
    const send: Send<(string | null)[]> = (redis) => redis.hmget(itemsKey, ...fields);
    return connection.run(itemsKey, send, operations.hmget, reads);
  }, maxGets);

  return {
    ...history,
    page,
    ...list,
    levels: createLevelReader(connection, settings),

    // Outside the batch, because a damaged item must not fail the reads of others.
    get: async (petId, context) =>
      optionalItem(petId, await get({ petId, record: context?.record })),
    async change(change, request = {}, context) {
      const args = [String(change.petId), modeOf(change), ...valuesOf(change)];
      const reply = await changeQuantity(request, args, context);
      return outcomeOf(reply, (outcome): Changed | Refusal => {
        if (!outcome.startsWith(changed)) return refusalOf(outcome);
        const item = versionedItem(change.petId, outcome.slice(changed.length));
        return { kind: "changed", item };
      });
    },
    async changeAll(changes: readonly QuantityChange[], request = {}, context) {
      const mode = modeOf(present(changes[0], "the first change"));
      const args = changes.flatMap((change) => [String(change.petId), ...valuesOf(change)]);
      const reply = await changeQuantities(request, [mode, ...args], context);
      return outcomeOf(reply, (outcome) => batchOutcome(outcome, changes, numberOf));
    },
    async count(counts, request = {}, context) {
      const args = counts.flatMap(({ petId, counted, expectedOnHand = "" }) => [
        String(petId),
        counted,
        expectedOnHand,
      ]);
      const reply = await countUnits(request, args, context);
      return outcomeOf(reply, (outcome) => batchOutcome<CountedPet, CountRefusal>(outcome, counts));
    },
  };
}

/**
 * Parses `changed <first version> <a digit for each status>`, then ` <quantity>,…` if the request lacks the quantities; or a
 * refusal.
 */
function batchOutcome<T extends { readonly petId: bigint }, R = Refusal>(
  outcome: string,
  changes: readonly T[],
  quantityOf: (change: T) => number = () => Number.NaN,
): AllChanged | BatchRefused<R> {
  if (!outcome.startsWith(changed)) return batchRefusal(outcome);
  const [, first = "", statuses = "", after] = outcome.split(" ");
  const quantities = after?.split(",").map(Number) ?? changes.map(quantityOf);
  const items = changes.map(({ petId }, at) => ({
    petId,
    quantity: quantities[at] as number,
    status: Number(statuses[at]) as PetStatus,
    version: BigInt(first) + BigInt(at),
  }));
  return { kind: "changed", items };
}

/** Returns whether the number of a change replaces a quantity, or is added to it. */
const modeOf = (change: QuantityChange) => ("delta" in change ? "add" : "set");

const numberOf = (change: QuantityChange) => ("delta" in change ? change.delta : change.quantity);

/** Returns number and conditions of a change as arguments of a script (see mismatch in change.lua). */
function valuesOf(change: QuantityChange) {
  const { expectedVersions, excludedVersions, expectedQuantity } = change;
  const expected = expectedVersions && `,${expectedVersions.join(",")},`;
  const excluded = excludedVersions && `!,${excludedVersions.join(",")},`;
  return [numberOf(change), expected ?? excluded ?? "", expectedQuantity ?? ""] as const;
}

const levelForm = /^(\d{1,19}),(\d{1,10}),(\d{1,10})$/;

function createLevelReader(
  connection: Connection,
  settings: StockSettings,
): InventoryStore["levels"] {
  const listLevels = loadScript(connection, "list-levels");
  const endDueOfPet = loadChangeScript(connection, settings, "many", "end-due-of-pet");
  return async ({ petIds = [], after, limit }, context) => {
    for (;;) {
      const args = [settings.now?.() ?? "", String(after ?? ""), limit, ...petIds.map(String)];
      const reply = await listLevels(changeKeys, args, context);
      const [text, rest, pet] = reply as readonly [string, string, string?];
      if (pet === undefined) {
        return { levels: text === "" ? [] : text.split("\n").map(levelOf), more: rest === "more" };
      }
      await endDueOfPet({}, [pet], context);
    }
  };
}

/** Parses `<pet id>,<quantity>,<held units>`. @throws Error if it is damaged */
function levelOf(line: string): StockLevel {
  const pet = line.slice(0, line.indexOf(","));
  const [petId, quantity, held] = recordFields(levelForm, line, itemsKey, pet);
  return { petId: BigInt(petId), quantity: Number(quantity), held: Number(held) };
}
