import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type WatchInventoryResponse,
  WatchInventoryResponseSchema,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import type { Item } from "../../stores/inventory-store.ts";
import { itemMessage } from "../../stores/item-message.ts";
import type { StockChange } from "../../stores/stock-change.ts";
import { changeMessage, type View } from "../inventory/change-message.ts";

/** A part of the stock: items to upsert, and pets to delete. */
export function snapshotEvent(
  items: readonly Item[],
  removedPetIds: readonly bigint[] = [],
): WatchInventoryResponse {
  const value = { items: items.map(itemMessage), removedPetIds: [...removedPetIds] };
  return create(WatchInventoryResponseSchema, { event: { case: "snapshot", value } });
}

/** Says that everything up to a version was sent. */
export function readyEvent(version: bigint): WatchInventoryResponse {
  const event = { case: "ready", value: { version } } as const;
  return create(WatchInventoryResponseSchema, { event, resumeToken: String(version) });
}

/**
 * Says that everything up to a version was sent, and nothing has changed since then.
 *
 * @param staleSince since when changes may be missing, in milliseconds since the epoch; undefined if none is
 */
export function heartbeatEvent(
  version: bigint,
  staleSince: number | undefined,
): WatchInventoryResponse {
  const stale = staleSince !== undefined && { staleSince: timestampFromMs(staleSince) };
  const event = { case: "heartbeat", value: { version, ...stale } } as const;
  return create(WatchInventoryResponseSchema, { event, resumeToken: String(version) });
}

/** A change. Many watchers get the same message. It is frozen so that it is encoded once for all of them. */
export function changeEvent(change: StockChange, view: View): WatchInventoryResponse {
  return Object.freeze(
    create(WatchInventoryResponseSchema, {
      event: { case: "change", value: changeMessage(change, view) },
      resumeToken: String(change.version),
    }),
  );
}
