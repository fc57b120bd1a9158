import type { CallContext } from "../../call/context.ts";
import type { AccountRecord, AccountStore } from "../../stores/account-store.ts";
import type { OrderStore } from "../../stores/order-store.ts";

/** What belonged to a deleted account. */
export interface DeletedAccount {
  /** Undefined if an earlier call was interrupted after it had deleted the account itself. */
  readonly account: AccountRecord | undefined;
  readonly keys: number;
  readonly orders: number;
}

/**
 * Deletes an account and everything that belongs to it. The account itself is first: from then on, no request is
 * admitted. Its entry in the list is last. So a call that is interrupted can be made again, and deletes the rest.
 *
 * @returns undefined when nothing of the account existed
 */
export async function deleteAll(
  accounts: AccountStore,
  orders: OrderStore,
  accountId: string,
  context: CallContext,
): Promise<DeletedAccount | undefined> {
  const removed = await accounts.remove(accountId, context);
  const count = await orders.deleteAll(accountId, context);
  const wasListed = await accounts.unlist(accountId, context);
  if (!removed && count === 0 && !wasListed) return undefined;
  return { account: removed?.account, keys: removed?.keys ?? 0, orders: count };
}

/** Returns what {@link deleteAll} would delete now, and changes nothing. */
export async function wouldDelete(
  accounts: AccountStore,
  orders: OrderStore,
  accountId: string,
  context: CallContext,
): Promise<DeletedAccount | undefined> {
  const account = await accounts.getAccount(accountId, context);
  const keys = await accounts.listKeys(accountId, context);
  const count = await orders.count(accountId, context);
  if (!account && count === 0) return undefined;
  return { account, keys: keys?.length ?? 0, orders: count };
}
