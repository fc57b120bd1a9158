import {
  type Account,
  Plan,
  PlanSchema,
  type SetPlanRequest,
  WritePolicy,
  WritePolicySchema,
} from "../../../../../../gen/admin/v1/admin_pb.ts";
import { planLimits } from "../../../../../../src/access/plans.ts";
import { enumWord } from "../../../../../../src/common/enum-word.ts";
import { type Effect, numberEffect } from "../../shared/effect.ts";
import { numberText } from "../../text/number-text.ts";

/** The plans that an account can have. */
export const plans: readonly Plan[] = [Plan.FREE, Plan.PRO, Plan.BUSINESS, Plan.ENTERPRISE];

/** Returns the name of a plan: `free`. */
export function planName(plan: Plan): string {
  return enumWord(PlanSchema, plan);
}

/** Returns the limits of an account: `60 per minute, 1,000 per day`. */
export function limitsText({ limits }: Account): string {
  return limits
    ? `${numberText(limits.perMinute)} per minute, ${numberText(limits.perDay)} per day`
    : "";
}

/** Returns what another plan changes in the limits of an account. The user has chosen a plan by name, but typed own limits. */
export function limitEffects({ limits }: Account, { plan, limits: own }: SetPlanRequest): Effect[] {
  const after = own ?? Object.entries(planLimits).find(([name]) => name === planName(plan))?.[1];
  if (!limits || !after) return [];
  return [
    ...numberEffect("Requests per minute", limits.perMinute, BigInt(after.perMinute)),
    ...numberEffect("Requests per day", limits.perDay, BigInt(after.perDay)),
  ].map((effect) => (own ? effect : { ...effect, isLarge: false }));
}

/** The policies that an account can have. */
export const policies: readonly WritePolicy[] = [WritePolicy.ANY, WritePolicy.STRICT];

/** Returns the name of a policy: `strict`. */
export function policyName(policy: WritePolicy): string {
  return enumWord(WritePolicySchema, policy);
}

/** Returns what a policy means for the account's changes of the stock. */
export function policyText(policy: WritePolicy): string {
  return policy === WritePolicy.STRICT
    ? "changes need a condition or an idempotency key"
    : "changes need no condition";
}
