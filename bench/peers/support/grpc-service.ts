import { join } from "node:path";
import type { ServiceDefinition } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import type { PeerItem } from "./store.ts";

const root = join(import.meta.dirname, "../../..");

/** The inventory service as grpc-js is usually set up: with proto-loader and protobufjs. */
export function inventoryDefinition(): ServiceDefinition {
  const definition = loadSync("inventory/v1/inventory.proto", {
    includeDirs: [join(root, "proto"), join(root, "node_modules/google-gax/build/protos")],
    longs: String,
    enums: String,
  });
  return definition["inventory.v1.InventoryService"] as ServiceDefinition;
}

/** An item in the form that proto-loader takes. */
export function grpcItem({ petId, quantity, status }: PeerItem): object {
  return { petId, quantity, status: `PET_STATUS_${status.toUpperCase()}` };
}
