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

/** An item that cannot be imported. */
interface TooLarge {
  readonly index: number;
  readonly petId: bigint;
  /** The units of the pet that are held. */
  readonly held: number;
}

/** @param items the items whose quantities are too large, at least one; the metadata has the first of them */
export function importTooLarge(items: readonly TooLarge[]): ConnectError {
  const violations = items.map(({ index, petId, held }) => ({
    field: `items[${index}].quantity`,
    description: `pet ${petId} has ${held} held ${held === 1 ? "unit" : "units"}, with which it would ${exceedLargestQuantity}`,
  }));
  const [first] = items;
  return violationsError(
    "STOCK_TOO_LARGE",
    violations,
    first && { petId: `${first.petId}`, held: `${first.held}` },
  );
}

/** What the messages of an import have changed. */
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
