import type { AccountStore } from "../../account-store.ts";
import type { HoldStore } from "../../hold-store.ts";
import type { OrderStore } from "../../order-store.ts";
import type { Connection } from "../connection/connection.ts";
import { accountIndexKey, accountKey, deletedAccountsKey } from "../keys.ts";
import { loadWriteScript } from "../scripts.ts";

/** What became of an account that was missing in the index. */
export type Amended =
  /** It is in the index again. */
  | "listed"
  /** It had been deleted, and a failover had undone that. It was deleted again. */
  | "deleted"
  /** Somebody else has listed or deleted it in the meantime. */
  | "settled";

export type AccountIndex = ReturnType<typeof createAccountIndex>;

/**
 * Makes the index of the accounts, which is in another slot: on a cluster, a failover can lose a change of one of them. An
 * account's hash decides whether it exists, unless its deletion is remembered. @throws ConnectError unavailable
 */
export function createAccountIndex(
  connection: Connection,
  accounts: AccountStore,
  orders: OrderStore,
  holds: HoldStore,
) {
  const listAccount = loadWriteScript(connection, "list-account");

  async function createdAt(accountId: string): Promise<string | null> {
    const key = accountKey(accountId);
    const [plan, created] = await connection.run(key, (redis) =>
      redis.hmget(key, "plan", "created"),
    );
    return plan ? (created ?? null) : null;
  }

  return {
    /** Returns the accounts that are not in the index. @param accountIds from 1 to some hundred */
    async unlisted(accountIds: readonly string[]): Promise<string[]> {
      const scores = await connection.run(accountIndexKey, (redis) =>
        redis.zmscore(accountIndexKey, ...accountIds),
      );
      return accountIds.filter((_, at) => scores[at] === null);
    },
    /** Lists an account that exists, or deletes it again. */
    async amend(accountId: string): Promise<Amended> {
      const created = await createdAt(accountId);
      if (created === null) return "settled";
      const reply = await listAccount([accountIndexKey, deletedAccountsKey], [accountId, created]);
      if (reply === "there") return "settled";
      if (reply === "added") {
        // If it was deleted after it was read, the deletion may have removed the entry before it was added.
        if ((await createdAt(accountId)) !== null) return "listed";
        await accounts.unlist(accountId);
        return "settled";
      }
      await accounts.remove(accountId);
      await orders.deleteAll(accountId);
      await holds.deleteAll(accountId);
      await accounts.unlist(accountId);
      return "deleted";
    },
  };
}
