import { create } from "@bufbuild/protobuf";
import {
  type WatchInventoryResponse,
  WatchInventoryResponseSchema,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import type { Item } from "../../stores/inventory-store.ts";
import { itemMessage } from "../../stores/item-message.ts";
import type { StockChange } from "../../stores/stock-change.ts";
import { changeMessage } from "../inventory/change-message.ts";

/** A part of the stock: items to upsert, and pets to delete. */
export function snapshotEvent(
  items: readonly Item[],
  removedPetIds: readonly bigint[] = [],
): WatchInventoryResponse {
  const value = { items: items.map(itemMessage), removedPetIds: [...removedPetIds] };
  return create(WatchInventoryResponseSchema, { event: { case: "snapshot", value } });
}

/**
 * Says where the client is. `ready`: everything up to the version was sent. `heartbeat`: the stock has not changed since
 * then.
 */
export function versionEvent(kind: "ready" | "heartbeat", version: bigint): WatchInventoryResponse {
  return create(WatchInventoryResponseSchema, {
    event: { case: kind, value: { version } },
    resumeToken: String(version),
  });
}

/**
 * A change. Many watchers get the same message. It is frozen so that it is encoded once for all of them.
 *
 * @param withOrigin whether the message has the change's author and reason (see seesOrigin in change-message.ts)
 */
export function changeEvent(change: StockChange, withOrigin: boolean): WatchInventoryResponse {
  return Object.freeze(
    create(WatchInventoryResponseSchema, {
      event: { case: "change", value: changeMessage(change, withOrigin) },
      resumeToken: String(change.version),
    }),
  );
}
