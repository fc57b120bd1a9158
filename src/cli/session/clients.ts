import type { Client } from "@connectrpc/connect";
import type { AdminService } from "../../../gen/admin/v1/admin_pb.ts";
import type { CatalogService } from "../../../gen/catalog/v1/catalog_pb.ts";
import type { InventoryService } from "../../../gen/inventory/v1/inventory_pb.ts";
import type { UsageService } from "../../../gen/usage/v1/usage_pb.ts";
import type { SelectionFields } from "../../services/inventory/selection.ts";
import type { StockEvent } from "./stock-events.ts";

/** The services that commands call, within this process or on a server. */
export interface Session {
  readonly admin: Client<typeof AdminService>;
  readonly catalog: Client<typeof CatalogService>;
  readonly inventory: Client<typeof InventoryService>;
  readonly usage: Client<typeof UsageService>;
  /** Yields the changes of the stock that concern a selection, from now on, until the signal is aborted. */
  readonly stockEvents: (
    signal: AbortSignal,
    selection: SelectionFields,
  ) => AsyncIterable<StockEvent>;
}
