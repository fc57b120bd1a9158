import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const source = join(import.meta.dirname, "../../../deploy/prometheus");

const seconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Durations above this are divided by more, in seconds. They are the long windows of the objectives. */
const longFrom = 3_600;

/**
 * Writes a copy of the rules in which all durations are shorter, so that an alert fires and clears within seconds:
 * minutes become seconds, and durations of an hour or more are divided by 360. `for: 5m` becomes 5 s, `[1h]` becomes 10
 * s, `[3d]` becomes 12 minutes. Thresholds stay as they are. So do the names of recorded series, such as `rate5m`.
 *
 * @returns the paths of the copies
 */
export function writeScaledRules(directory: string): string[] {
  const files = readdirSync(source).filter((name) => /^(alerts|recording)\.yaml$/.test(name));
  return files.map((name) => {
    const path = join(directory, name);
    writeFileSync(path, scaled(readFileSync(join(source, name), "utf8")));
    return path;
  });
}

function scaled(rules: string): string {
  return rules
    .replace(/\[(\d+)([smhd])\]/g, (_, count, unit) => `[${shorter(count, unit)}]`)
    .replace(/^( *for: )(\d+)([smhd])$/gm, (_, key, count, unit) => key + shorter(count, unit));
}

function shorter(count: string, unit: string): string {
  const duration = Number(count) * (seconds[unit] ?? Number.NaN);
  return `${Math.round((duration * 1_000) / (duration < longFrom ? 60 : 360))}ms`;
}
