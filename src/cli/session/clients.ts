import { createClient, type Transport } from "@connectrpc/connect";
import { AdminService } from "../../../gen/admin/v1/admin_pb.ts";
import { CatalogService } from "../../../gen/catalog/v1/catalog_pb.ts";
import { InventoryService } from "../../../gen/inventory/v1/inventory_pb.ts";
import { UsageService } from "../../../gen/usage/v1/usage_pb.ts";
import type { SelectionFields } from "../../services/inventory/selection.ts";
import type { StockEvent } from "./stock-events.ts";

/** Creates the clients of the services that commands call. */
export function clientsOn(transport: Transport) {
  return {
    admin: createClient(AdminService, transport),
    catalog: createClient(CatalogService, transport),
    inventory: createClient(InventoryService, transport),
    usage: createClient(UsageService, transport),
  };
}

/** The services that commands call, within this process or on a server. */
export interface Session extends Readonly<ReturnType<typeof clientsOn>> {
  /** Yields the changes of the stock that concern a selection, from now on, until the signal is aborted. */
  readonly stockEvents: (
    signal: AbortSignal,
    selection: SelectionFields,
  ) => AsyncIterable<StockEvent>;
}
