import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema } from "../../../gen/google/rpc/error_details_pb.ts";
import { exceedLargestQuantity } from "../../contract/catalogue.ts";
import { errorWith, violationsError } from "../../contract/errors.ts";
import type { PutTooLarge } from "../../stores/catalog-store.ts";
import type { Item } from "../../stores/inventory-store.ts";

export function petExists(petId: bigint): ConnectError {
  return errorWith("PET_EXISTS", `Pet ${petId} is in the inventory already.`, { petId });
}

export function petHeld(petId: bigint): ConnectError {
  const text = `Units of pet ${petId} are held. Remove it when the holds have ended.`;
  return errorWith("PET_HELD", text, { petId });
}

/** @param refused the items whose quantities are too large, at least one; the metadata has the first of them */
export function importTooLarge(
  refused: PutTooLarge["items"],
  items: readonly Item[],
): ConnectError {
  const petAt = (index: number) => `${items[index]?.petId}`;
  const violations = refused.map(({ index, held }) => ({
    field: `pets[${index}].quantity`,
    description: `pet ${petAt(index)} has ${held} held ${held === 1 ? "unit" : "units"}, with which it would ${exceedLargestQuantity}`,
  }));
  const metadata = refused.map(({ index, held }) => ({ petId: petAt(index), held: `${held}` }))[0];
  return violationsError("STOCK_TOO_LARGE", violations, metadata);
}

interface Applied {
  readonly rows: number;
  readonly created: number;
  readonly updated: number;
}

/** Adds to an error of an import what was applied before it. */
export function withApplied(
  error: ConnectError,
  { rows, created, updated }: Applied,
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
