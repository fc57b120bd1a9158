import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { quote } from "connect-gateway/call";
import { ErrorInfoSchema } from "../../../gen/google/rpc/error_details_pb.ts";
import { exceedLargestQuantity } from "../../contract/catalogue.ts";
import { errorWith, violationsError } from "../../contract/errors.ts";
import type { PutPet, PutSkusTaken, PutTooLarge } from "../../stores/catalog-store.ts";

export function petExists(petId: bigint): ConnectError {
  return errorWith("PET_EXISTS", `Pet ${petId} is in the inventory already.`, { petId });
}

/** @param by the pet that has the SKU */
export function skuTaken(sku: string, by: bigint): ConnectError {
  return errorWith("SKU_TAKEN", `sku: pet ${by} has the SKU ${quote(sku)}`, { petId: by });
}

export function petHeld(petId: bigint): ConnectError {
  const text = `Units of pet ${petId} are held. Remove it when the holds have ended.`;
  return errorWith("PET_HELD", text, { petId });
}

/** @param refused the items whose quantities are too large, at least one; the metadata has the first of them */
export function importTooLarge(
  refused: PutTooLarge["items"],
  items: readonly PutPet[],
): ConnectError {
  const petAt = (index: number) => `${items[index]?.petId}`;
  const violations = refused.map(({ index, held }) => ({
    field: `pets[${index}].quantity`,
    description: `pet ${petAt(index)} has ${held} held ${held === 1 ? "unit" : "units"}, with which it would ${exceedLargestQuantity}`,
  }));
  const metadata = refused.map(({ index, held }) => ({ petId: petAt(index), held: `${held}` }))[0];
  return violationsError("STOCK_TOO_LARGE", violations, metadata);
}

/** @param taken the pets whose SKUs other pets have, at least one; the metadata has the other pet of the first */
export function importSkusTaken(
  taken: PutSkusTaken["items"],
  pets: readonly PutPet[],
): ConnectError {
  const violations = taken.map(({ index, by }) => ({
    field: `pets[${index}].sku`,
    description: `pet ${by} has the SKU ${quote(pets[index]?.sku ?? "")}`,
  }));
  const metadata = taken.map(({ by }) => ({ petId: `${by}` }))[0];
  return violationsError("SKU_TAKEN", violations, metadata);
}

/** Adds to an error how many rows were applied before it, and how many of these were created and updated. */
export function withApplied(
  error: ConnectError,
  { rows, created, updated }: Readonly<Record<"rows" | "created" | "updated", number>>,
): ConnectError {
  for (const detail of error.details) {
    if ("desc" in detail && detail.desc === ErrorInfoSchema) {
      const value = detail.value as MessageInitShape<typeof ErrorInfoSchema>;
      value.metadata = {
        ...value.metadata,
        appliedRows: `${rows}`,
        created: `${created}`,
        updated: `${updated}`,
      };
    }
  }
  return error;
}
