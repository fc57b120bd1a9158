import type { PetStatus } from "../../../../gen/inventory/v1/inventory_pb.ts";
import type { Item, VersionedItem } from "../../inventory-store.ts";
import { itemsKey } from "../keys.ts";
import { recordFields } from "../record.ts";

const valueForm = /^(\d{1,10}),([1-3]),(\d{1,16})$/;

/** Parses `<quantity>,<status>,<version>`. @throws Error if it is damaged */
export function versionedItem(petId: bigint, value: string): VersionedItem {
  const [quantity, status, version] = recordFields(valueForm, value, itemsKey, petId);
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

const lineForm = /^(\d{1,19}),(\d{1,10}),([1-3]),\d{1,16}$/;

/** Parses `<pet id>,<quantity>,<status>,<version>` without the version. @throws Error if it is damaged */
export function lineItem(line: string): Item {
  const pet = line.slice(0, line.indexOf(","));
  const [petId, quantity, status] = recordFields(lineForm, line, itemsKey, pet);
  return {
    petId: BigInt(petId),
    quantity: Number(quantity),
    status: Number(status) as PetStatus,
  };
}
