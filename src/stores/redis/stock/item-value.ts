import type { PetStatus } from "../../../../gen/inventory/v1/inventory_pb.ts";
import type { Item, VersionedItem } from "../../inventory-store.ts";

/** Parses `<quantity>,<status>,<version>`. */
export function versionedItem(petId: bigint, value: string): VersionedItem {
  const [quantity, status, version = ""] = value.split(",");
  return {
    petId,
    quantity: Number(quantity),
    status: Number(status) as PetStatus,
    version: BigInt(version),
  };
}

/** Parses the same. Any other value, such as null, means that the pet does not exist. */
export function optionalItem(petId: bigint, value: unknown): VersionedItem | undefined {
  return typeof value === "string" ? versionedItem(petId, value) : undefined;
}

/** Parses `<pet id>,<quantity>,<status>,<version>` without the version. */
export function lineItem(line: string): Item {
  const [petId = "", quantity, status] = line.split(",", 3);
  return {
    petId: BigInt(petId),
    quantity: Number(quantity),
    status: Number(status) as PetStatus,
  };
}
