import type { UsageService } from "../../../gen/usage/v1/usage_pb.ts";
import type { Caller } from "../../access/caller.ts";
import { scopes } from "../../access/scopes.ts";
import type { ServiceFunctions } from "../../call/service.ts";
import { readAccountUsage, type UsageSources } from "./account-usage.ts";

/** Creates the methods of usage.v1.UsageService. */
export function createUsageService(
  sources: UsageSources,
): ServiceFunctions<typeof UsageService, Caller> {
  return {
    async getUsage(_, call) {
      const { accountId, keyId, scopes: own } = call.caller;
      return {
        usage: await readAccountUsage(sources, accountId, call),
        keyId,
        scopes: scopes.filter((scope) => own.has(scope)),
      };
    },
  };
}
