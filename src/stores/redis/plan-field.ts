import { limitsOf, type PlanChoice, type PlanName } from "../../access/plans.ts";

/**
 * Returns the stored form of a plan: its name, and the limits of the enterprise plan. Before it is `disabled <time> ` if the
 * account is disabled, after it ` strict` if its write policy is, so that admission reads nothing more.
 */
export function planField(choice: PlanChoice): string {
  const { perMinute, perDay } = limitsOf(choice);
  return choice.plan === "enterprise" ? `enterprise ${perMinute} ${perDay}` : choice.plan;
}

const disabled = /^disabled (\d+) /;

/** Parses the stored form of a plan, of an account in any state. */
export function planChoice(field: string): PlanChoice {
  const [name, perMinute, perDay] = field.replace(disabled, "").split(" ");
  const plan = name as PlanName;
  return plan === "enterprise"
    ? { plan, limits: { perMinute: Number(perMinute), perDay: Number(perDay) } }
    : { plan };
}

/** Returns when the account of a stored plan was disabled, in milliseconds since the epoch; undefined if it is enabled. */
export function disabledAtOf(field: string): number | undefined {
  const [, time] = disabled.exec(field) ?? [];
  return time === undefined ? undefined : Number(time);
}

/** Returns whether the write policy of the account of a stored plan is strict. */
export function isStrictField(field: string): boolean {
  return field.endsWith(" strict");
}
