import { type Account, Plan, PlanSchema } from "../../../../../gen/admin/v1/admin_pb.ts";
import { enumWord } from "../../../../call/enum-word.ts";
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
