import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  type AdminService,
  BanSchema,
  type TopAccount,
  TopAccountSchema,
  TopAccountsOrder,
} from "../../../gen/admin/v1/admin_pb.ts";
import { accountOfKeyId, keyIdLength } from "../../access/api-key.ts";
import { limitsOf } from "../../access/plans.ts";
import { storeContext } from "../../common/call-context.ts";
import { dayMs } from "../../common/durations.ts";
import { defaultPageSize, pageToken, startAfter } from "../inventory/page-token.ts";
import { limitWindowMessage, requestCountsMessage, requestsOfDay } from "../usage/usage-message.ts";
import { readAccountUsage, type UsageSources } from "../usage/usage-service.ts";
import { accountMessage, keyMessage } from "./account-message.ts";
import { checkPosition } from "./checks.ts";

/** Accounts of a list of the top ones by default. */
const defaultTop = 10;

/** Creates the methods of admin.v1.AdminService for usage and bans. */
export function usageFunctions(sources: UsageSources) {
  const { stores } = sources;

  /** @returns undefined when the account does not exist any more */
  async function topAccount(accountId: string): Promise<TopAccount | undefined> {
    // Without the context of the call: these waits are concurrent, and the time of each would be added to the call's.
    const [account, keys] = await Promise.all([
      stores.accounts.getAccount(accountId),
      stores.accounts.listKeys(accountId),
    ]);
    if (!account) return undefined;
    const { now, windows } = await stores.usage.quota(accountId, limitsOf(account.choice));
    const stored = await stores.usage.read(accountId, now, 1);
    return create(TopAccountSchema, {
      account: accountMessage(account),
      today: requestCountsMessage(requestsOfDay(Math.floor(now / dayMs), stored)),
      minute: limitWindowMessage(windows.minute, now),
      day: limitWindowMessage(windows.day, now),
      bannedKeys: (keys ?? []).filter(({ bannedUntil }) => bannedUntil !== undefined).length,
    });
  }

  return {
    async getAccountUsage({ accountId }, context) {
      return { usage: await readAccountUsage(sources, accountId, storeContext(context)) };
    },
    async listTopAccounts({ pageSize = defaultTop, order }, context) {
      const kind = order === TopAccountsOrder.REFUSED ? "refused" : "requests";
      await sources.shipper?.shipAll();
      const ids = await stores.usage.top(kind, pageSize, storeContext(context));
      const found = await Promise.all(ids.map(topAccount));
      return { accounts: found.filter((each) => each !== undefined) };
    },
    async listBans({ pageSize = defaultPageSize, pageToken: token }, context) {
      await sources.shipper?.shipAll();
      const start = startAfter("ban", token, keyIdLength);
      const after = start && { until: start.time, keyId: start.id };
      const { bans, next } = await stores.usage.bans(after, pageSize, storeContext(context));
      if (after && bans.length === 0 && !next) {
        const accountId = accountOfKeyId(after.keyId);
        await checkPosition(stores.accounts, accountId, after.keyId, storeContext(context));
      }
      return {
        bans: bans.map(({ key, accountName, level }) =>
          create(BanSchema, { key: keyMessage(key), accountName, level }),
        ),
        nextPageToken: next ? pageToken("ban", `${next.until} ${next.keyId}`) : "",
      };
    },
  } satisfies Partial<ServiceImpl<typeof AdminService>>;
}
