import type { ServiceImpl } from "@connectrpc/connect";
import type { UsageService } from "../../../gen/usage/v1/usage_pb.ts";
import { callerOf } from "../../access/caller.ts";
import { scopes } from "../../access/scopes.ts";
import { storeContext } from "../../call/request-info.ts";
import { readAccountUsage, type UsageSources } from "./account-usage.ts";

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
