import type { CallContext } from "../../../common/call-context.ts";
import type { AccountRecord, AccountStore } from "../../account-store.ts";
import type { Connection } from "../connection/connection.ts";
import { operations } from "../connection/operation.ts";
import type { Send } from "../connection/send.ts";
import * as keys from "../keys.ts";
import { pairsOf } from "../pairs.ts";
import { disabledAtOf, isStrictField, planChoice, planField } from "../plan-field.ts";
import { damagedRecord } from "../record.ts";
import { type Clock, loadScript, loadWriteScript } from "../scripts.ts";
import { createKeyFunctions, createRecheckWatches } from "./key-functions.ts";

/** Accounts in Redis. Changes of several steps check all permissions first, because Redis does not undo steps. */
export function createRedisAccountStore(connection: Connection, now: Clock): AccountStore {
  const { run, change, checkPermissions } = connection;
  const listAccounts = loadScript(connection, "list-accounts");
  const updateAccount = loadWriteScript(connection, "update-account");
  const removeAccount = loadWriteScript(connection, "remove-account");
  const unlistAccount = loadWriteScript(connection, "unlist-account");
  const recheckWatches = createRecheckWatches(connection);
  const clock = now ?? Date.now;
  const time = () => now?.() ?? "";

  async function readAccount(
    accountId: string,
    context?: CallContext,
  ): Promise<AccountRecord | undefined> {
    const key = keys.accountKey(accountId);
    const read: Send<(string | null)[]> = (redis) => redis.hmget(key, "name", "plan", "created");
    const fields = await run(key, read, operations.hmget, [context]);
    return accountRecord(accountId, fields);
  }

  return {
    async createAccount(accountId, name, choice, context) {
      await checkPermissions();
      const createdAt = clock();
      const fields = { name, plan: planField(choice), created: createdAt };
      const key = keys.accountKey(accountId);
      // The index is in another slot, so these are two steps. The index comes first: an account that is not in it could
      // not be found again. Without the second step, its entry is skipped when accounts are listed.
      const addToIndex: Send<unknown> = (redis) =>
        redis.zadd(keys.accountIndexKey, createdAt, accountId);
      await change(keys.accountIndexKey, addToIndex, operations.zadd, [context]);
      await change(key, (redis) => redis.hset(key, fields), operations.hset, [context]);
      return { accountId, name, choice, createdAt, isStrict: false };
    },
    getAccount: readAccount,
    async listAccounts(after, limit, context) {
      const begin = after ? [after.accountId, after.createdAt] : [];
      // One more than the limit shows whether another page follows.
      const reply = await listAccounts([keys.accountIndexKey], [limit + 1, ...begin], context);
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
          redis.zscore(keys.accountIndexKey, accountId),
          redis.zscore(keys.deletedAccountsKey, accountId),
        ]);
      const entries = await run(keys.accountIndexKey, read, operations.zscore, [context]);
      return entries.some((entry) => entry !== null);
    },
    async update(accountId, { name, choice, policy = "", state = "" }, context) {
      if (state === "disabled") await checkPermissions();
      const newName = name === undefined ? "" : `=${name}`;
      const args = [choice ? planField(choice) : "", policy, state, newName, time()];
      const fields = await updateAccount([keys.accountKey(accountId)], args, context);
      if (fields && state === "disabled") await recheckWatches(accountId, context);
      return accountRecord(accountId, fields);
    },
    async remove(accountId, context) {
      // The steps of a deletion that follow are in `OrderStore.deleteAll` and `unlist`.
      await checkPermissions();
      const tops = keys.topKeys(accountId, clock());
      const own = [keys.accountKey(accountId), keys.accountWindowsKey(accountId)];
      const all = [...own, ...keys.usageKeys(accountId, clock()), ...tops];
      const fields = await removeAccount(all, [accountId, tops.length], context);
      await recheckWatches(accountId, context);
      const account = accountRecord(accountId, fields);
      const [, , , count] = (fields ?? []) as readonly (string | null)[];
      return account && { account, keys: Number(count ?? 0) };
    },
    async unlist(accountId, context) {
      const lists = [keys.accountIndexKey, keys.deletedAccountsKey];
      const removed = (await unlistAccount(lists, [time(), accountId], context)) as number;
      return removed > 0;
    },
    ...createKeyFunctions(connection, now, recheckWatches),
  };
}

function accountRecord(accountId: string, fields: unknown): AccountRecord | undefined {
  const [name, plan, created] = (fields ?? []) as readonly (string | null)[];
  if (!plan) return undefined;
  if (typeof name !== "string" || !created) throw damagedRecord(keys.accountKey(accountId));
  return {
    accountId,
    name,
    choice: planChoice(plan),
    createdAt: Number(created),
    disabledAt: disabledAtOf(plan),
    isStrict: isStrictField(plan),
  };
}
