import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema } from "../../../gen/google/rpc/error_details_pb.ts";
import { exceedLargestQuantity } from "../../contract/catalogue.ts";
import { errorWith, violationsError } from "../../contract/errors.ts";
import type { Item, PutTooLarge } from "../../stores/inventory-store.ts";

/** @param change `disabled` or `deleted` */
export function ownAccount(accountId: string, change: "disabled" | "deleted"): ConnectError {
  const text = `Account ${accountId} cannot be ${change} with one of its own keys. Use a key of another account.`;
  return errorWith("OWN_ACCOUNT", text, { accountId });
}

export function keyNotFound(keyId: string): ConnectError {
  return errorWith("KEY_NOT_FOUND", `Key ${keyId} does not exist.`, { keyId });
}

/** The key to be rotated was revoked or has expired. */
export function keyNotValid(keyId: string): ConnectError {
  const text = `Key ${keyId} was revoked or has expired. Create a new key instead.`;
  return errorWith("KEY_NOT_VALID", text, { keyId });
}

/** @param most the maximum number of keys of an account */
export function tooManyKeys(accountId: string, most: number): ConnectError {
  const text = `Account ${accountId} has the maximum of ${most} keys. Revoke one first.`;
  return errorWith("TOO_MANY_KEYS", text, { accountId });
}

/** @param refused the items whose quantities are too large, at least one; the metadata has the first of them */
export function importTooLarge(
  refused: PutTooLarge["items"],
  items: readonly Item[],
): ConnectError {
  const petAt = (index: number) => `${items[index]?.petId}`;
  const violations = refused.map(({ index, held }) => ({
    field: `items[${index}].quantity`,
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
