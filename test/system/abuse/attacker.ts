import { setTimeout as delay } from "node:timers/promises";
import { attacks } from "./attacks/all.ts";
import type { Target } from "./attacks/attack.ts";
import { unreadMemory } from "./attacks/unread-memory.ts";
import { attackerPatience } from "./settings.ts";

/** The program of an attacker process: runs one attack, reports its findings, and exits. */

/** The message that starts the process: which attack to run, and its target. */
export interface AttackOrder {
  readonly name: string;
  readonly target: Target;
}

/** The message that the process sends back. */
export interface AttackReport {
  readonly findings: readonly string[];
}

process.once("message", async ({ name, target }: AttackOrder) => {
  const attack = [...attacks, ...unreadMemory].find((each) => each.name === name);
  if (!attack) throw new Error(`there is no attack ${name}`);
  const seconds = attackerPatience * attack.seconds;
  const late = delay(seconds * 1_000, "late" as const);
  const findings = await Promise.race([attack.run(target), late]).catch((error: unknown) => [
    `the attack failed: ${error instanceof Error ? error.stack : error}`,
  ]);
  const report: AttackReport = {
    findings: findings === "late" ? [`the attack did not finish in ${seconds} s`] : findings,
  };
  process.send?.(report, () => process.exit());
});
