import { limitsOf, type PlanChoice, type PlanName } from "../access/plans.ts";

/** What the scripts read a plan from: its name, and an enterprise account's own limits. */
export function planField(choice: PlanChoice): string {
  const { perMinute, perDay } = limitsOf(choice);
  return choice.plan === "enterprise" ? `enterprise ${perMinute} ${perDay}` : choice.plan;
}

/** Reads what {@link planField} has written. */
export function planChoice(field: string): PlanChoice {
  const [name, perMinute, perDay] = field.split(" ");
  const plan = name as PlanName;
  return plan === "enterprise"
    ? { plan, limits: { perMinute: Number(perMinute), perDay: Number(perDay) } }
    : { plan };
}
