import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountUsage, UsageService } from "../../../gen/usage/v1/usage_pb.ts";
import { callerOf } from "../../access/caller.ts";
import { accountNotFound } from "../../access/errors.ts";
import { limitsOf } from "../../access/plans.ts";
import { scopes } from "../../access/scopes.ts";
import { type CallContext, storeContext } from "../../common/call-context.ts";
import type { Stores } from "../../stores/stores.ts";
import { reportedDays } from "../../stores/usage-store.ts";
import { accountUsageMessage } from "./usage-message.ts";
import type { UsageShipper } from "./usage-shipper.ts";

export interface UsageSources {
  readonly stores: Pick<Stores, "accounts" | "usage">;
  /** Adds what this process has counted to the store. Absent when it counts nothing. */
  readonly shipper: Pick<UsageShipper, "ship" | "shipAll"> | undefined;
}

/** Reads the usage of an account. @throws ConnectError not_found when there is no such account; unavailable */
export async function readAccountUsage(
  { stores, shipper }: UsageSources,
  accountId: string,
  context: CallContext,
): Promise<AccountUsage> {
  await shipper?.ship(accountId);
  const { accounts, usage } = stores;
  const account = await accounts.getAccount(accountId, context);
  const keys = await accounts.listKeys(accountId, context);
  if (!account || !keys) throw accountNotFound(accountId);
  const quota = await usage.quota(accountId, limitsOf(account.choice), context);
  const stored = await usage.read(accountId, quota.now, reportedDays, context);
  return accountUsageMessage(account, keys, quota, stored);
}

/** Creates the methods of usage.v1.UsageService. */
export function createUsageService(sources: UsageSources): ServiceImpl<typeof UsageService> {
  return {
    async getUsage(_, context) {
      const { accountId, keyId, scopes: own } = callerOf(context);
      return {
        usage: await readAccountUsage(sources, accountId, storeContext(context)),
        keyId,
        scopes: scopes.filter((scope) => own.has(scope)),
      };
    },
  };
}
