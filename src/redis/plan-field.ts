import { limitsOf, type PlanChoice, type PlanName } from "../access/plans.ts";

/** Returns the stored form of a plan: its name, and the limits if it is the enterprise plan. */
export function planField(choice: PlanChoice): string {
  const { perMinute, perDay } = limitsOf(choice);
  return choice.plan === "enterprise" ? `enterprise ${perMinute} ${perDay}` : choice.plan;
}

/** Parses the stored form of a plan. */
export function planChoice(field: string): PlanChoice {
  const [name, perMinute, perDay] = field.split(" ");
  const plan = name as PlanName;
  return plan === "enterprise"
    ? { plan, limits: { perMinute: Number(perMinute), perDay: Number(perDay) } }
    : { plan };
}
