import type { ConnectError } from "@connectrpc/connect";
import { errorWith } from "../../contract/errors.ts";

/** @param change `disabled` or `deleted` */
export function ownAccount(accountId: string, change: "disabled" | "deleted"): ConnectError {
  const text = `Account ${accountId} cannot be ${change} with one of its own keys. Use a key of another account.`;
  return errorWith("OWN_ACCOUNT", text, { accountId });
}

export function keyNotFound(keyId: string): ConnectError {
  return errorWith("KEY_NOT_FOUND", `Key ${keyId} does not exist.`, { keyId });
}

export function keyNotValid(keyId: string): ConnectError {
  const text = `Key ${keyId} was revoked or has expired. Create a new key instead.`;
  return errorWith("KEY_NOT_VALID", text, { keyId });
}

/** @param most the maximum number of keys of an account */
export function tooManyKeys(accountId: string, most: number): ConnectError {
  const text = `Account ${accountId} has the maximum of ${most} keys. Revoke one first.`;
  return errorWith("TOO_MANY_KEYS", text, { accountId });
}
