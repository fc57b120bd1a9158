import type { Duration, Timestamp } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { AdminService } from "../../../gen/admin/v1/admin_pb.ts";
import { accountOfKeyId, newApiKey, newKeyId, parseApiKey } from "../../access/api-key.ts";
import { accountNotFound } from "../../access/errors.ts";
import { longestGraceMs } from "../../access/key-grace.ts";
import { type Network, readNetwork } from "../../access/network.ts";
import { defaultScopes, isScope } from "../../access/scopes.ts";
import { storeContext } from "../../common/call-context.ts";
import { dayMs } from "../../common/durations.ts";
import { present } from "../../common/present.ts";
import { fieldInvalid, fieldsInvalid } from "../../contract/errors.ts";
import { type KeyRecord, maxKeysPerAccount } from "../../stores/account-store.ts";
import type { Stores } from "../../stores/stores.ts";
import { defaultPageSize } from "../inventory/page-token.ts";
import { keyMessage } from "./account-message.ts";
import { keyNotFound, keyNotValid, tooManyKeys } from "./errors.ts";
import { listAllKeys } from "./list-all-keys.ts";

/** Grace period of a rotation by default, in milliseconds. */
const defaultGraceMs = dayMs;

/** Creates the methods of admin.v1.AdminService for keys. */
export function keyFunctions({ accounts }: Pick<Stores, "accounts">) {
  return {
    async createKey({ accountId, name, scopes, expiresAt, allowedAddresses }, context) {
      const networks = networksOf(allowedAddresses);
      const { secret, record } = generateKey(accountId);
      const created = {
        ...record,
        name,
        scopes: scopes.length > 0 ? scopes.filter(isScope) : defaultScopes,
        expiresAt: expiresAt && timeMs(expiresAt),
        networks,
      };
      const key = await accounts.createKey(accountId, created, storeContext(context));
      switch (key) {
        case "no_account":
          throw accountNotFound(accountId);
        case "too_many_keys":
          throw tooManyKeys(accountId, maxKeysPerAccount);
        case "expires_in_past":
          throw fieldInvalid("expires_at", "must be in the future");
        default:
          return { secret, key: keyMessage(key) };
      }
    },
    async listKeys({ accountId }, context) {
      const keys = await accounts.listKeys(accountId, storeContext(context));
      if (!keys) throw accountNotFound(accountId);
      return { keys: keys.map(keyMessage) };
    },
    async revokeKey({ keyId }, context) {
      return responseOf(keyId, await accounts.revokeKey(keyId, storeContext(context)));
    },
    async rotateKey({ keyId, grace }, context) {
      const accountId = accountOfKeyId(keyId);
      const { secret, record } = generateKey(accountId);
      const ms = graceMs(grace);
      const outcome = await accounts.rotateKey(keyId, record, ms, storeContext(context));
      switch (outcome) {
        case "no_key":
          throw keyNotFound(keyId);
        case "not_valid":
          throw keyNotValid(keyId);
        case "too_many_keys":
          throw tooManyKeys(accountId, maxKeysPerAccount);
        default:
          return {
            secret,
            key: keyMessage(outcome.created),
            rotated: keyMessage(outcome.rotated),
          };
      }
    },
    async unbanKey({ keyId }, context) {
      return responseOf(keyId, await accounts.unbanKey(keyId, storeContext(context)));
    },
    async listAllKeys({ pageSize = defaultPageSize, pageToken }, context) {
      const page = await listAllKeys(accounts, pageToken, pageSize, storeContext(context));
      return { ...page, keys: page.keys.map(keyMessage) };
    },
  } satisfies Partial<ServiceImpl<typeof AdminService>>;
}

/** @throws ConnectError not_found if there is no such key */
function responseOf(keyId: string, key: KeyRecord | undefined) {
  if (!key) throw keyNotFound(keyId);
  return { key: keyMessage(key) };
}

/** @throws ConnectError invalid_argument if a text is not an address or a network */
function networksOf(texts: readonly string[]): readonly Network[] {
  const networks = new Set<Network>();
  const faults = texts.flatMap((text, at) => {
    const read = readNetwork(text);
    if ("fault" in read) return [{ field: `allowed_addresses[${at}]`, description: read.fault }];
    networks.add(read.network);
    return [];
  });
  if (faults.length > 0) throw fieldsInvalid(faults);
  return [...networks];
}

/** Generates a secret, and the id and hash to store for it. */
function generateKey(accountId: string) {
  const secret = newApiKey(accountId);
  const { hash } = present(parseApiKey(secret), "the hash of a new API key");
  return { secret, record: { keyId: newKeyId(accountId), keyHash: hash } };
}

/** @throws ConnectError invalid_argument if the grace period is out of range */
function graceMs(grace: Duration | undefined): number {
  if (!grace) return defaultGraceMs;
  const ms = timeMs(grace);
  if (grace.seconds < 0n || grace.nanos < 0 || ms > longestGraceMs) {
    throw fieldInvalid("grace", "must be between 0 and 366 days");
  }
  return ms;
}

/** Converts to milliseconds, rounded toward zero: rounding up could exceed the range of timestamps. */
function timeMs({ seconds, nanos }: Timestamp | Duration): number {
  return Number(seconds) * 1000 + Math.trunc(nanos / 1_000_000);
}
