import type { ConnectError } from "@connectrpc/connect";
import type { RpcReason } from "../contract/catalogue.ts";
import { errorWith, sharedError } from "../contract/errors.ts";

const challenge = 'Bearer realm="inventory"';

/** No API key was sent. The challenge has no error code (RFC 6750, section 3). */
export const keyMissing = sharedError(
  "KEY_MISSING",
  "Send your API key in the header `Authorization: Bearer <API_KEY>`.",
  { headers: { "www-authenticate": challenge } },
);

function keyRefused(reason: RpcReason, message: string): () => ConnectError {
  const headers = { "www-authenticate": `${challenge}, error="invalid_token"` };
  return sharedError(reason, message, { headers });
}

export const keyInvalid = keyRefused(
  "KEY_INVALID",
  "The API key is malformed or does not exist. Check that you copied all of it, or create a new one.",
);

export const keyRevoked = keyRefused("KEY_REVOKED", "The API key was revoked. Use another one.");

export const keyExpired = keyRefused("KEY_EXPIRED", "The API key has expired. Use another one.");

/** The account of the API key is disabled. The key itself is valid, so there is no challenge. */
export const accountDisabled = sharedError(
  "ACCOUNT_DISABLED",
  "The account of the API key is disabled. Ask the operator of the service.",
);

/** The API key cannot be used from the client's address. The message must not say from where it can be. */
export const addressNotAllowed = sharedError(
  "ADDRESS_NOT_ALLOWED",
  "The API key cannot be used from this address. Send the request from an allowed address, or use another key.",
);

export function scopeMissing(scope: string): ConnectError {
  const message = `The API key lacks the scope \`${scope}\`. Use a key that has it.`;
  return errorWith("SCOPE_MISSING", message, { scope });
}

export function accountNotFound(accountId: string): ConnectError {
  return errorWith("ACCOUNT_NOT_FOUND", `Account ${accountId} does not exist.`, { accountId });
}
