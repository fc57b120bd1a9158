import type { InventoryStore, StockLevel } from "../../inventory-store.ts";
import type { Connection } from "../connection/connection.ts";
import { itemsKey } from "../keys.ts";
import { recordFields } from "../record.ts";
import { loadScript } from "../scripts.ts";
import { changeKeys, loadChangeScript, type StockSettings } from "./change-script.ts";

const levelForm = /^(\d{1,19}),(\d{1,10}),(\d{1,10})$/;

export function createLevelReader(
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
