import { create } from "@bufbuild/protobuf";
import {
  type WatchInventoryResponse,
  WatchInventoryResponseSchema,
} from "../../gen/inventory/v1/inventory_pb.ts";
import { fieldsInvalid } from "../errors.ts";
import { changeMessage } from "../inventory/change-message.ts";
import type { Item } from "../inventory/inventory-store.ts";
import { itemMessage } from "../inventory/item-message.ts";
import type { StockChange } from "../inventory/stock-change.ts";

/** A part of the stock: what is there, and what is not there any more. */
export function snapshotEvent(
  items: readonly Item[],
  removedPetIds: readonly bigint[] = [],
): WatchInventoryResponse {
  const value = { items: items.map(itemMessage), removedPetIds: [...removedPetIds] };
  return create(WatchInventoryResponseSchema, { event: { case: "snapshot", value } });
}

/** All up to a version has been told. */
export function readyEvent(version: bigint): WatchInventoryResponse {
  return create(WatchInventoryResponseSchema, {
    event: { case: "ready", value: { version } },
    resumeToken: String(version),
  });
}

/** Nothing has happened since a version. */
export function heartbeatEvent(version: bigint): WatchInventoryResponse {
  return create(WatchInventoryResponseSchema, {
    event: { case: "heartbeat", value: { version } },
    resumeToken: String(version),
  });
}

/**
 * A change. Many watchers get the same message: it is frozen, so that its JSON is written once for all of them.
 *
 * @param withOrigin whether they see who made it, and why (see seesOrigin in change-message.ts)
 */
export function changeEvent(change: StockChange, withOrigin: boolean): WatchInventoryResponse {
  return Object.freeze(
    create(WatchInventoryResponseSchema, {
      event: { case: "change", value: changeMessage(change, withOrigin) },
      resumeToken: String(change.version),
    }),
  );
}

/**
 * The version that a resume token stands for.
 *
 * @throws ConnectError invalid_argument when it is no such token
 */
export function resumedVersion(token: string): bigint {
  if (/^(?:0|[1-9]\d{0,17})$/.test(token)) return BigInt(token);
  const description = "must be the resume token of a message of a watch";
  throw fieldsInvalid([{ field: "resume_token", description }]);
}
