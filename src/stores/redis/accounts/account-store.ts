import { accountOfKeyId } from "../../../access/api-key.ts";
import { banEnd } from "../../../access/bans.ts";
import { restrictedBit, scopeMask, scopesOf } from "../../../access/scopes.ts";
import type { CallContext } from "../../../common/call-context.ts";
import { minuteMs } from "../../../common/durations.ts";
import {
  type AccountRecord,
  type AccountStore,
  type KeyRecord,
  oldestKeyFirst,
} from "../../account-store.ts";
import type { Connection } from "../connection/connection.ts";
import { operations } from "../connection/operation.ts";
import type { Send } from "../connection/send.ts";
import {
  accountIndexKey,
  accountKey,
  accountWindowsKey,
  deletedAccountsKey,
  refusalsKey,
  revocationsKey,
  storedRevocations,
  topKeys,
  usageKeys,
} from "../keys.ts";
import { pairsOf } from "../pairs.ts";
import { disabledAtOf, isStrictField, planChoice, planField } from "../plan-field.ts";
import { damagedRecord, recordFields } from "../record.ts";
import { type Clock, loadLateScript, loadScript, loadWriteScript } from "../scripts.ts";

/** The stored form of a key: its id, and the fields that accounts.lua describes. */
export type KeyFields = readonly [
  id: string,
  info: string | null | undefined,
  record: string | null | undefined,
  networks?: string | null | undefined,
];

/**
 * Accounts in Redis. Changes of several steps check first whether Redis allows all of them, because it does not undo the
 * first steps when it refuses a later one.
 */
export function createRedisAccountStore(connection: Connection, now: Clock): AccountStore {
  const { run, change, checkPermissions } = connection;
  const listAccounts = loadScript(connection, "list-accounts");
  const setPlan = loadWriteScript(connection, "set-plan");
  const setName = loadWriteScript(connection, "set-name");
  const removeAccount = loadWriteScript(connection, "remove-account");
  const unlistAccount = loadWriteScript(connection, "unlist-account");
  const createKey = loadWriteScript(connection, "create-key");
  const revokeKey = loadWriteScript(connection, "revoke-key");
  const rotateKey = loadWriteScript(connection, "rotate-key");
  const unbanKey = loadWriteScript(connection, "unban-key");
  const addRevocation = loadLateScript(connection, "add-revocation");
  const clock = now ?? Date.now;
  const time = () => now?.() ?? "";

  /**
   * Ends watches with a key, or with all keys of an account, after it was revoked. This is a second step, in another slot,
   * so permissions are checked before the first one. If this step fails, the caller cannot know whether the watches have
   * ended, and tries again.
   */
  async function endWatches(id: string, context: CallContext | undefined): Promise<void> {
    const args = [[revocationsKey], [id, storedRevocations]] as const;
    // Even after the deadline of the call: its first step was made.
    await addRevocation(revocationsKey, () => args, [context]);
  }

  async function readAccount(
    accountId: string,
    context?: CallContext,
  ): Promise<AccountRecord | undefined> {
    const key = accountKey(accountId);
    const read: Send<(string | null)[]> = (redis) => redis.hmget(key, "name", "plan", "created");
    const fields = await run(key, read, operations.hmget, [context]);
    return accountRecord(accountId, fields);
  }

  return {
    async createAccount(accountId, name, choice, context) {
      await checkPermissions();
      const createdAt = clock();
      const fields = { name, plan: planField(choice), created: createdAt };
      const key = accountKey(accountId);
      // The index is in another slot, so these are two steps. The index comes first: an account that is not in it could
      // not be found again. Without the second step, its entry is skipped when accounts are listed.
      const addToIndex: Send<unknown> = (redis) =>
        redis.zadd(accountIndexKey, createdAt, accountId);
      await change(accountIndexKey, addToIndex, operations.zadd, [context]);
      await change(key, (redis) => redis.hset(key, fields), operations.hset, [context]);
      return { accountId, name, choice, createdAt, isStrict: false };
    },
    getAccount: readAccount,
    async listAccounts(after, limit, context) {
      const begin = after ? [after.accountId, after.createdAt] : [];
      // One more than the limit shows whether another page follows.
      const reply = await listAccounts([accountIndexKey], [limit + 1, ...begin], context);
      const positions = pairsOf(reply as readonly string[]).map(([accountId, time]) => ({
        accountId,
        createdAt: Number(time),
      }));
      const page = positions.slice(0, limit);
      // Without the context: these waits are concurrent, and the time of each would be added to the call's.
      const records = await Promise.all(page.map(({ accountId }) => readAccount(accountId)));
      return {
        accounts: records.filter((record) => record !== undefined),
        next: positions.length > limit ? page.at(-1) : undefined,
      };
    },
    async wasCreated(accountId, context) {
      const read: Send<(string | null)[]> = (redis) =>
        Promise.all([
          redis.zscore(accountIndexKey, accountId),
          redis.zscore(deletedAccountsKey, accountId),
        ]);
      const entries = await run(accountIndexKey, read, operations.zscore, [context]);
      return entries.some((entry) => entry !== null);
    },
    async setPlan(accountId, choice, context) {
      const args = [planField(choice), "", "", ""];
      return accountRecord(accountId, await setPlan([accountKey(accountId)], args, context));
    },
    async rename(accountId, name, context) {
      return accountRecord(accountId, await setName([accountKey(accountId)], [name], context));
    },
    async setDisabled(accountId, isDisabled, context) {
      if (isDisabled) await checkPermissions();
      const args = ["", "", isDisabled ? "1" : "0", time()];
      const fields = await setPlan([accountKey(accountId)], args, context);
      if (fields && isDisabled) await endWatches(accountId, context);
      return accountRecord(accountId, fields);
    },
    async setStrict(accountId, isStrict, context) {
      const args = ["", isStrict ? "1" : "0", "", ""];
      return accountRecord(accountId, await setPlan([accountKey(accountId)], args, context));
    },
    async remove(accountId, context) {
      // The steps of a deletion that follow are in `OrderStore.deleteAll` and `unlist`.
      await checkPermissions();
      const tops = topKeys(accountId, clock());
      const own = [accountKey(accountId), accountWindowsKey(accountId)];
      const keys = [...own, ...usageKeys(accountId, clock()), ...tops];
      const fields = await removeAccount(keys, [accountId, tops.length], context);
      await endWatches(accountId, context);
      const account = accountRecord(accountId, fields);
      const [, , , count] = (fields ?? []) as readonly (string | null)[];
      return account && { account, keys: Number(count ?? 0) };
    },
    async unlist(accountId, context) {
      const keys = [accountIndexKey, deletedAccountsKey];
      const removed = (await unlistAccount(keys, [time(), accountId], context)) as number;
      return removed > 0;
    },
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
      await endWatches(keyId, context);
      return parseKey(reply as KeyFields, clock());
    },
    async rotateKey(keyId, replacement, graceMs, context) {
      await checkPermissions();
      const args = [time(), keyId, replacement.keyId, replacement.keyHash, graceMs];
      const reply = await rotateKey([accountKey(accountOfKeyId(keyId))], args, context);
      if (typeof reply === "string") return reply as "no_key" | "not_valid" | "too_many_keys";
      await endWatches(keyId, context);
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

function accountRecord(accountId: string, fields: unknown): AccountRecord | undefined {
  const [name, plan, created] = (fields ?? []) as readonly (string | null)[];
  if (!plan) return undefined;
  if (typeof name !== "string" || !created) throw damagedRecord(accountKey(accountId));
  return {
    accountId,
    name,
    choice: planChoice(plan),
    createdAt: Number(created),
    disabledAt: disabledAtOf(plan),
    isStrict: isStrictField(plan),
  };
}

function keysOf(fields: Readonly<Record<string, string>>): KeyFields[] {
  return Object.entries(fields).flatMap(([name, info]): KeyFields[] => {
    const keyId = name.startsWith("i:") ? name.slice(2) : undefined;
    if (keyId === undefined) return [];
    return [[keyId, info, fields[info.slice(0, info.indexOf(" "))], fields[`a:${keyId}`]]];
  });
}

const infoForm = /^(\S+) (\d+) (.*)$/s;
const keyForm = /^\S+ (\d+) (\d+) (\d+) (\d+) (\d+) (\d+)$/;

/** Returns the hash of a key, when it was created, and its name. @throws Error if the field is damaged */
function keyInfo([keyId, info]: KeyFields) {
  const key = accountKey(accountOfKeyId(keyId));
  return recordFields(infoForm, info, key, `i:${keyId}`);
}

/** Returns the numbers of a key's record (see keys.lua), from its scopes on. @throws Error if it is damaged */
function keyNumbers([keyId, , record]: KeyFields) {
  const key = accountKey(accountOfKeyId(keyId));
  const fields = recordFields(keyForm, record, key, `the record of key ${keyId}`);
  return fields.map(Number) as [number, number, number, number, number, number];
}

/** Returns the number of bans of a key in a row. @throws Error if its record is damaged */
export function banLevel(fields: KeyFields): number {
  return keyNumbers(fields)[4];
}

/** Converts the stored form of a key. @param now in milliseconds since the epoch @throws Error if it is damaged */
export function parseKey(fields: KeyFields, now: number): KeyRecord {
  const [keyId, , , networks] = fields;
  const [, created, name] = keyInfo(fields);
  const [mask, minute, expires, revoked, level, banned] = keyNumbers(fields);
  const bannedUntil = banEnd(level, banned, now);
  return {
    keyId,
    name,
    scopes: scopesOf(mask),
    networks: networks ? networks.split(" ") : [],
    createdAt: Number(created),
    expiresAt: expires || undefined,
    revokedAt: revoked || undefined,
    lastUsedAt: minute * minuteMs || undefined,
    bannedUntil: bannedUntil > now ? bannedUntil : undefined,
  };
}
