/** Limits of requests. Both apply. */
export interface Limits {
  /** Requests in any 60 seconds, 1 to 1,000,000. */
  readonly perMinute: number;
  /** Requests in any 24 hours, 1 to 1,000,000,000. */
  readonly perDay: number;
}

/** Names of the plans, as in the command line and the store. They are the words of the protobuf enum. */
export type PlanName = "free" | "pro" | "business" | "enterprise";

/** Limits of the plans. Each enterprise account has limits of its own. */
export const planLimits: Readonly<Record<Exclude<PlanName, "enterprise">, Limits>> = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
};

/** A plan, and the limits if it is the enterprise plan. */
export type PlanChoice =
  | { readonly plan: Exclude<PlanName, "enterprise"> }
  | { readonly plan: "enterprise"; readonly limits: Limits };

export function limitsOf(choice: PlanChoice): Limits {
  return choice.plan === "enterprise" ? choice.limits : planLimits[choice.plan];
}
