import type { Setting } from "./setting.ts";
import { settings } from "./settings.ts";

/** Every name that can be set: the settings, and `<name>_FILE` for each secret. */
const knownNames: readonly string[] = Object.entries<Setting<unknown>>(settings).flatMap(
  ([name, { secret }]) => (secret ? [name, `${name}_FILE`] : [name]),
);

/**
 * Finds names that are not settings. In the file CONFIG_FILE these are all unknown names. The environment has names of
 * other programs, too, so there only a name that looks like a typo is reported, and only while the setting that was
 * meant is not set. Names of one word are not compared, because others use similar ones.
 *
 * @returns a line for each name
 */
export function unknownNames(
  environment: Readonly<Record<string, unknown>>,
  file: ReadonlyMap<string, string>,
  path: string | undefined,
): string[] {
  const isIn = (name: string) => environment[name] !== undefined || file.has(name);
  const isSet = (name: string) => isIn(name) || isIn(`${name}_FILE`);
  const faults: string[] = [];
  for (const name of Object.keys(environment)) {
    if (isOther(name)) continue;
    const meant = meantBy(name);
    if (meant !== undefined && !isSet(meant)) {
      faults.push(`${name} is not a setting: did you mean ${meant}? Rename or remove it`);
    }
  }
  for (const name of file.keys()) {
    if (name === "CONFIG_FILE") {
      faults.push(`CONFIG_FILE is set in ${path}: set it in the environment`);
    } else if (!knownNames.includes(name)) {
      const meant = meantBy(name);
      const advice = meant === undefined ? "Remove it" : `Did you mean ${meant}?`;
      faults.push(`${name} in ${path} is not a setting. ${advice}`);
    }
  }
  return faults;
}

/** Whether a name of the environment is right, or one of another program. */
function isOther(name: string): boolean {
  return knownNames.includes(name) || !name.includes("_");
}

/** Returns the setting that a name is a typo of. */
function meantBy(name: string): string | undefined {
  return knownNames.find((known) => isTypoOf(name, known));
}

/** Names up to this length may have one typo, longer ones two. */
const longestWithOneTypo = 12;

/** Whether a name differs from another one by few letters: changed, missing, added or swapped ones, in any case. */
function isTypoOf(name: string, meant: string): boolean {
  const most = meant.length > longestWithOneTypo ? 2 : 1;
  if (name === meant || Math.abs(name.length - meant.length) > most) return false;
  return distance(name.toUpperCase(), meant) <= most;
}

/** The number of edits between two texts: insertions, deletions, substitutions and swaps of neighbors. */
function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const substituted = at(last, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const swapped = isSwap(a, b, row, column) ? at(beforeLast, column - 2) + 1 : substituted;
      const edited = Math.min(at(last, column), at(current, column - 1)) + 1;
      current.push(Math.min(substituted, swapped, edited));
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

function isSwap(a: string, b: string, row: number, column: number): boolean {
  return row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
}

function at(numbers: readonly number[], index: number): number {
  return numbers[index] ?? Number.POSITIVE_INFINITY;
}
