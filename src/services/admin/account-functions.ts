import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import {
  type AdminService,
  type Limits as LimitsMessage,
  type Plan,
  PlanSchema,
  WritePolicy,
} from "../../../gen/admin/v1/admin_pb.ts";
import { HoldState } from "../../../gen/store/v1/store_pb.ts";
import { accountIdLength, newAccountId } from "../../access/api-key.ts";
import { callerOf } from "../../access/caller.ts";
import { accountNotFound } from "../../access/errors.ts";
import type { PlanChoice, PlanName } from "../../access/plans.ts";
import { type CallContext, storeContext } from "../../common/call-context.ts";
import { enumWord } from "../../common/enum-word.ts";
import { fieldInvalid } from "../../contract/errors.ts";
import type { AccountChange, AccountRecord } from "../../stores/account-store.ts";
import type { Stores } from "../../stores/stores.ts";
import { defaultPageSize, pageToken, startAfter } from "../inventory/page-token.ts";
import { accountMessage } from "./account-message.ts";
import { checkAbsent, checkPosition } from "./checks.ts";
import { ownAccount } from "./errors.ts";

/** Most accounts of a page, whatever its size. Each one is a command. */
const maxAccountsRead = 250;

/** Creates the methods of admin.v1.AdminService for accounts. */
export function accountFunctions(stores: Pick<Stores, "accounts" | "holds" | "orders">) {
  const { accounts } = stores;

  async function update(accountId: string, change: AccountChange, context: HandlerContext) {
    return responseOf(accountId, await accounts.update(accountId, change, storeContext(context)));
  }

  return {
    async createAccount({ name, plan, limits }, context) {
      const choice = planChoice(plan, limits);
      const id = newAccountId();
      const account = await accounts.createAccount(id, name, choice, storeContext(context));
      return { account: accountMessage(account) };
    },
    async getAccount({ accountId }, context) {
      const account = await accounts.getAccount(accountId, storeContext(context));
      return responseOf(accountId, account);
    },
    async listAccounts(request, context) {
      const { pageSize = defaultPageSize, pageToken: token, accountIds } = request;
      if (accountIds.length > 0) {
        checkAbsent({ page_size: request.pageSize, page_token: token }, "account_ids");
        // Without the context of the call: these waits are concurrent, and the time of each would be added to the call's.
        const found = await Promise.all(accountIds.map((id) => accounts.getAccount(id)));
        return { accounts: found.filter((each) => each !== undefined).map(accountMessage) };
      }
      const start = startAfter("account", token, accountIdLength);
      const after = start && { createdAt: start.time, accountId: start.id };
      const limit = Math.min(pageSize, maxAccountsRead);
      const call = storeContext(context);
      const { accounts: page, next } = await accounts.listAccounts(after, limit, call);
      if (after && page.length === 0 && !next) {
        await checkPosition(accounts, after.accountId, undefined, call);
      }
      return {
        accounts: page.map(accountMessage),
        nextPageToken: next ? pageToken("account", `${next.createdAt} ${next.accountId}`) : "",
      };
    },
    async setPlan({ accountId, plan, limits }, context) {
      return update(accountId, { choice: planChoice(plan, limits) }, context);
    },
    setWritePolicy({ accountId, writePolicy }, context) {
      const policy = writePolicy === WritePolicy.STRICT ? "strict" : "any";
      return update(accountId, { policy }, context);
    },
    renameAccount: ({ accountId, name }, context) => update(accountId, { name }, context),
    async disableAccount({ accountId }, context) {
      if (accountId === callerOf(context).accountId) throw ownAccount(accountId, "disabled");
      return update(accountId, { state: "disabled" }, context);
    },
    enableAccount: ({ accountId }, context) => update(accountId, { state: "enabled" }, context),
    async deleteAccount({ accountId, validateOnly }, context) {
      if (accountId === callerOf(context).accountId) throw ownAccount(accountId, "deleted");
      const deleted = validateOnly
        ? await wouldDelete(stores, accountId, storeContext(context))
        : await deleteAll(stores, accountId, storeContext(context));
      if (!deleted) throw accountNotFound(accountId);
      const { account, keys, orders: count } = deleted;
      return { account: account && accountMessage(account), keys, orders: BigInt(count) };
    },
  } satisfies Partial<ServiceImpl<typeof AdminService>>;
}

/** @throws ConnectError not_found if there is no such account */
function responseOf(accountId: string, account: AccountRecord | undefined) {
  if (!account) throw accountNotFound(accountId);
  return { account: accountMessage(account) };
}

/** Checks that a request has limits if, and only if, the plan is enterprise. @throws ConnectError invalid_argument */
function planChoice(plan: Plan, limits: LimitsMessage | undefined): PlanChoice {
  const name = enumWord(PlanSchema, plan) as PlanName;
  if (name !== "enterprise") {
    if (limits) throw fieldInvalid("limits", `is not allowed with the plan ${name}: omit it`);
    return { plan: name };
  }
  if (!limits) throw fieldInvalid("limits", "is required with the plan enterprise");
  const { perMinute, perDay } = limits;
  return { plan: name, limits: { perMinute: Number(perMinute), perDay: Number(perDay) } };
}

/**
 * Deletes an account and everything that belongs to it; undefined when nothing existed. The account itself is first: from
 * then on, no request is admitted. Its entry in the list is last, so an interrupted call can be made again, and deletes the
 * rest.
 */
async function deleteAll(
  { accounts, holds, orders }: Pick<Stores, "accounts" | "holds" | "orders">,
  accountId: string,
  context: CallContext,
) {
  const removed = await accounts.remove(accountId, context);
  const count = await orders.deleteAll(accountId, context);
  // From here on, it can hold no units.
  const held = await holds.deleteAll(accountId, context);
  const wasListed = await accounts.unlist(accountId, context);
  if (!removed && count === 0 && held === 0 && !wasListed) return undefined;
  // There is no account if an earlier call was interrupted after it had deleted the account itself.
  return { account: removed?.account, keys: removed?.keys ?? 0, orders: count };
}

/** Returns what {@link deleteAll} would delete now, and changes nothing. */
async function wouldDelete(
  { accounts, holds, orders }: Pick<Stores, "accounts" | "holds" | "orders">,
  accountId: string,
  context: CallContext,
) {
  const account = await accounts.getAccount(accountId, context);
  const keys = await accounts.listKeys(accountId, context);
  const count = await orders.count(accountId, context);
  if (!account && count === 0) {
    const { ACTIVE, CONFIRMED, RELEASED, EXPIRED } = HoldState;
    const states = [ACTIVE, CONFIRMED, RELEASED, EXPIRED];
    const { holds: left } = await holds.list({ accountId, states, limit: 1 }, context);
    if (left.length === 0) return undefined;
  }
  return { account, keys: keys?.length ?? 0, orders: count };
}
