// biome-ignore lint/performance/noBarrelFile: this is the entry of the package.
export { Code } from "@connectrpc/connect";
export {
  type ClientOptions,
  createInventoryClient,
  type InventoryClient,
  type ListOptions,
} from "./client.js";
export { type FieldViolation, InventoryError } from "./errors.js";
export {
  ChangeReason,
  type InventoryChange,
  type InventoryItem,
  PetStatus,
} from "./gen/inventory/v1/inventory_pb.js";
export { type Hold, HoldState, type Order, OrderStatus } from "./gen/store/v1/store_pb.js";
export type { AccountUsage, GetUsageResponse } from "./gen/usage/v1/usage_pb.js";
export { type ConfirmedHold, HoldNotConfirmedError, type HoldRequest } from "./holds.js";
export type { Reason } from "./reason.js";
export type { WatchEvent, WatchOptions } from "./watch.js";
