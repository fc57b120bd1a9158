import { InventoryChangeSchema } from "../../../gen/inventory/v1/inventory_pb.ts";
import { httpJson } from "../../contract/json.ts";
import { changeMessage } from "../../services/inventory/change-message.ts";
import type { StockChange } from "../../stores/stock-change.ts";
import type { Stores } from "../../stores/stores.ts";
import type { Records } from "./follow.ts";
import { following } from "./print-records.ts";

/** The changes of the stock. A place is a version. */
export function historyRecords({ inventory }: Pick<Stores, "inventory">): Records<StockChange> {
  return {
    noun: "changes",
    setting: "HISTORY_LENGTH",
    pollMs: 200,
    placeForm: /^\d{1,16}$/,
    end: async (which) =>
      which === "oldest"
        ? `${await inventory.historyStart()}`
        : `${(await inventory.page(undefined, 1)).version}`,
    placeAfter: ({ version }) => `${version}`,
    async since(place, most) {
      const since = await inventory.changesSince(BigInt(place), most);
      return since && { records: since.changes, total: since.total };
    },
  };
}

/** Returns a change as JSON on one line, with all fields, as a watch sends it. */
export function changeJson(change: StockChange): string {
  return httpJson.encodeJson(InventoryChangeSchema, changeMessage(change, "whole"));
}

/** Prints every change of the stock after the place of a name. @throws CommandError */
export const followHistory = following("history", historyRecords, changeJson);
