import { join } from "node:path";
import type { ServiceDefinition } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import type { PeerItem } from "./store.ts";

const root = join(import.meta.dirname, "../../..");

/** The contract's inventory service as grpc-js is used as a rule: by proto-loader, on protobufjs. */
export function inventoryDefinition(): ServiceDefinition {
  const definition = loadSync("inventory/v1/inventory.proto", {
    includeDirs: [join(root, "proto"), join(root, "node_modules/google-gax/build/protos")],
    longs: String,
    enums: String,
  });
  return definition["inventory.v1.InventoryService"] as ServiceDefinition;
}

/** An item as proto-loader wants it. */
export function grpcItem({ petId, quantity, status }: PeerItem): object {
  return { petId, quantity, status: `PET_STATUS_${status.toUpperCase()}` };
}
