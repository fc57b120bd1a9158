import { accountOfKeyId } from "../../../access/api-key.ts";
import { restrictedBit, scopeMask } from "../../../access/scopes.ts";
import type { CallContext } from "../../../common/call-context.ts";
import { type AccountStore, oldestKeyFirst } from "../../account-store.ts";
import type { Connection } from "../connection/connection.ts";
import { operations } from "../connection/operation.ts";
import { accountKey, refusalsKey, revocationsKey, storedRevocations } from "../keys.ts";
import { type Clock, loadLateScript, loadWriteScript } from "../scripts.ts";
import { type KeyFields, keyInfo, keysOf, parseKey } from "./stored-key.ts";

/**
 * Makes the function after which watches check their key again: those with a key, or with all keys of an account. This
 * second step is in another slot, so permissions are checked before the first. If it fails, the caller tries again.
 */
export function createRecheckWatches(connection: Connection) {
  const addRevocation = loadLateScript(connection, "add-revocation");
  return async (id: string, context: CallContext | undefined): Promise<void> => {
    const args = [[revocationsKey], [id, storedRevocations]] as const;
    // Even after the deadline of the call: its first step was made.
    await addRevocation(revocationsKey, () => args, [context]);
  };
}

/** Makes the functions of the account store for keys. */
export function createKeyFunctions(
  connection: Connection,
  now: Clock,
  recheckWatches: ReturnType<typeof createRecheckWatches>,
): Pick<AccountStore, "createKey" | "listKeys" | "revokeKey" | "rotateKey" | "unbanKey"> {
  const { run, change, checkPermissions } = connection;
  const createKey = loadWriteScript(connection, "create-key");
  const revokeKey = loadWriteScript(connection, "revoke-key");
  const rotateKey = loadWriteScript(connection, "rotate-key");
  const unbanKey = loadWriteScript(connection, "unban-key");
  const clock = now ?? Date.now;
  /** The time as scripts take it: empty for that of Redis. */
  const time = () => now?.() ?? "";

  return {
    async createKey(accountId, key, context) {
      const { keyId, keyHash, name, scopes, expiresAt, networks = [] } = key;
      const mask = scopeMask(scopes) | (networks.length > 0 ? restrictedBit : 0);
      const args = [time(), keyId, keyHash, name, mask, expiresAt ?? "", networks.join(" ")];
      const reply = await createKey([accountKey(accountId)], args, context);
      return typeof reply === "string"
        ? (reply as "no_account" | "too_many_keys" | "expires_in_past")
        : parseKey(reply as KeyFields, clock());
    },
    async listKeys(accountId, context) {
      const key = accountKey(accountId);
      const fields = await run(key, (redis) => redis.hgetall(key), operations.hgetall, [context]);
      if (fields.plan === undefined) return undefined;
      const keys = keysOf(fields).map((each) => parseKey(each, clock()));
      return keys.sort(oldestKeyFirst);
    },
    async revokeKey(keyId, context) {
      await checkPermissions();
      const reply = await revokeKey([accountKey(accountOfKeyId(keyId))], [time(), keyId], context);
      if (!reply) return undefined;
      await recheckWatches(keyId, context);
      return parseKey(reply as KeyFields, clock());
    },
    async rotateKey(keyId, replacement, graceMs, context) {
      await checkPermissions();
      const args = [time(), keyId, replacement.keyId, replacement.keyHash, graceMs];
      const reply = await rotateKey([accountKey(accountOfKeyId(keyId))], args, context);
      if (typeof reply === "string") return reply as "no_key" | "not_valid" | "too_many_keys";
      await recheckWatches(keyId, context);
      const [created, rotated] = reply as readonly [KeyFields, KeyFields];
      return { created: parseKey(created, clock()), rotated: parseKey(rotated, clock()) };
    },
    async unbanKey(keyId, context) {
      await checkPermissions();
      const accountId = accountOfKeyId(keyId);
      const reply = await unbanKey([accountKey(accountId)], [keyId], context);
      if (!reply) return undefined;
      const fields = reply as KeyFields;
      const key = refusalsKey(accountId, keyInfo(fields)[0]);
      await change(key, (redis) => redis.del(key), operations.del, [context]);
      return parseKey(fields, clock());
    },
  };
}
