import type { Interceptor } from "@connectrpc/connect";
import { newApiKey, newKeyId, parseApiKey } from "../../src/access/api-key.ts";
import type { PlanChoice } from "../../src/access/plans.ts";
import { defaultScopes } from "../../src/access/scopes.ts";
import type { KeyRecord, NewKey } from "../../src/stores/account-store.ts";
import type { Stores } from "../../src/stores/stores.ts";

/** An API key, with its secret. */
export interface TestKey {
  readonly secret: string;
  readonly keyId: string;
  readonly keyHash: string;
}

/** Makes a key without storing it. */
export function someKey(accountId: string): TestKey {
  const secret = newApiKey(accountId);
  const parsed = parseApiKey(secret);
  if (!parsed) throw new Error("a new key does not parse");
  return { secret, keyId: newKeyId(accountId), keyHash: parsed.hash };
}

/** Adds an account. @returns its id */
export async function addAccount(
  { accounts }: Stores,
  choice: PlanChoice = { plan: "free" },
  accountId = "aaaaaaaaaaaa",
): Promise<string> {
  await accounts.createAccount(accountId, "test", choice);
  return accountId;
}

/** Adds a key to an account. Without `scopes`, the key gets the default ones. */
export async function addKey(
  { accounts }: Stores,
  accountId: string,
  more: Partial<Pick<NewKey, "scopes" | "expiresAt" | "name" | "networks">> = {},
): Promise<TestKey & { record: KeyRecord }> {
  const key = someKey(accountId);
  const record = await accounts.createKey(accountId, {
    keyId: key.keyId,
    keyHash: key.keyHash,
    name: more.name ?? "",
    scopes: more.scopes ?? defaultScopes,
    expiresAt: more.expiresAt,
    ...(more.networks && { networks: more.networks }),
  });
  if (typeof record === "string") throw new Error(`the key was not created: ${record}`);
  return { ...key, record };
}

/** Adds the account `aaaaaaaaaaaa` with a key. */
export async function addAccountWithKey(
  stores: Stores,
  choice?: PlanChoice,
  more?: Parameters<typeof addKey>[2],
): ReturnType<typeof addKey> {
  return addKey(stores, await addAccount(stores, choice), more);
}

/** Adds an account with high limits and its key. @returns the Authorization header of its requests */
export async function newAuthorization(
  stores: Stores,
  more?: Parameters<typeof addKey>[2],
): Promise<string> {
  return `Bearer ${(await addAccountWithKey(stores, { plan: "business" }, more)).secret}`;
}

/** Makes an interceptor that sends a key with each call. */
export function withKey(secret: string): Interceptor {
  return (next) => (request) => {
    request.header.set("authorization", `Bearer ${secret}`);
    return next(request);
  };
}
