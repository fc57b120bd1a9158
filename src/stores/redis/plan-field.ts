import { limitsOf, type PlanChoice, type PlanName } from "../../access/plans.ts";

/**
 * Returns the stored form of a plan: its name, and the limits if it is the enterprise plan. If the account is disabled,
 * `disabled <time> ` is before it; if its write policy is strict, ` strict` is after it. So admission finds both with the
 * plan and reads nothing more.
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
