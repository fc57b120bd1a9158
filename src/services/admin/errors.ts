import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema } from "../../../gen/google/rpc/error_details_pb.ts";
import { exceedLargestQuantity } from "../../contract/catalogue.ts";
import { serviceError, violationsError } from "../../contract/errors.ts";

/** @param change `disabled` or `deleted` */
export function ownAccount(accountId: string, change: "disabled" | "deleted"): ConnectError {
  return serviceError(
    "OWN_ACCOUNT",
    `Account ${accountId} cannot be ${change} with one of its own keys. Use a key of another account.`,
    { metadata: { accountId } },
  );
}

export function keyNotFound(keyId: string): ConnectError {
  return serviceError("KEY_NOT_FOUND", `Key ${keyId} does not exist.`, { metadata: { keyId } });
}

/** The key to be rotated was revoked or has expired. */
export function keyNotValid(keyId: string): ConnectError {
  return serviceError(
    "KEY_NOT_VALID",
    `Key ${keyId} was revoked or has expired. Create a new key instead.`,
    { metadata: { keyId } },
  );
}

/** @param most the maximum number of keys of an account */
export function tooManyKeys(accountId: string, most: number): ConnectError {
  return serviceError(
    "TOO_MANY_KEYS",
    `Account ${accountId} has the maximum of ${most} keys. Revoke one first.`,
    { metadata: { accountId } },
  );
}

/** @param held the units of the pet that are held */
export function importTooLarge(index: number, held: number): ConnectError {
  const description = `with the ${held} held units of the pet, it would ${exceedLargestQuantity}`;
  return violationsError("STOCK_TOO_LARGE", [{ field: `items[${index}].quantity`, description }]);
}

/** Adds to an error of an import how many rows were applied before it. */
export function withAppliedRows(error: ConnectError, rows: number): ConnectError {
  for (const detail of error.details) {
    if ("desc" in detail && detail.desc === ErrorInfoSchema) {
      const value = detail.value as MessageInitShape<typeof ErrorInfoSchema>;
      value.metadata = { ...value.metadata, appliedRows: String(rows) };
    }
  }
  return error;
}
