import type { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import type { Item, VersionedItem } from "../inventory/inventory-store.ts";

/** Reads `<quantity>,<status>,<version>`. */
export function versionedItem(petId: bigint, value: string): VersionedItem {
  const [quantity, status, version = ""] = value.split(",");
  return {
    petId,
    quantity: Number(quantity),
    status: Number(status) as PetStatus,
    version: BigInt(version),
  };
}

/** The same of a reply that is null when there is no such pet. */
export function optionalItem(petId: bigint, value: unknown): VersionedItem | undefined {
  return typeof value === "string" ? versionedItem(petId, value) : undefined;
}

/** Reads `<pet id>,<quantity>,<status>,<version>`, but not the version. */
export function lineItem(line: string): Item {
  const [petId = "", quantity, status] = line.split(",", 3);
  return {
    petId: BigInt(petId),
    quantity: Number(quantity),
    status: Number(status) as PetStatus,
  };
}
