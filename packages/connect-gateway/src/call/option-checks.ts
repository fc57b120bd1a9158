import { longestTimer } from "./timer.ts";

/** Checks the value of an option. @throws TypeError or RangeError that names the option */
export type Check = (value: unknown, name: string) => void;

/** Makes the check of a number of bytes or places, or of a time in milliseconds. */
export function integer(min: number, max = Number.MAX_SAFE_INTEGER): Check {
  return (value, name) => {
    if (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max) return;
    const given = typeof value === "string" ? JSON.stringify(value) : String(value);
    throw new RangeError(`${name} must be an integer between ${min} and ${max}, not ${given}`);
  };
}

/** Makes another check. @param expected describes a valid value */
export function fits(expected: string, isValid: (value: unknown) => boolean): Check {
  return (value, name) => {
    if (!isValid(value)) throw new TypeError(`${name} must be ${expected}`);
  };
}

/** A time in milliseconds. */
export const milliseconds = integer(1, longestTimer);
export const anyFunction = fits("a function", (value) => typeof value === "function");
export const anyObject = fits("an object", (value) => typeof value === "object" && value !== null);
export const texts = fits(
  "an array of strings",
  (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
);

/** Returns the same check for several options. */
export function all<Name extends string>(check: Check, ...names: Name[]): Record<Name, Check> {
  return Object.fromEntries(names.map((name) => [name, check])) as Record<Name, Check>;
}

type Checks<T> = { readonly [Name in keyof T]-?: Check };

/** Makes the check of an object that must have all its options. */
export const allOf = <T extends object>(checks: Checks<T>): Check =>
  options(checks, Object.keys(checks) as (keyof T)[]);

/** Makes the check of an object. Unknown options are errors: a typo in `requestGate` would let every request pass. */
export function options<T extends object>(
  checks: Checks<T>,
  required: readonly (keyof T)[] = [],
): Check {
  return (value, name) => {
    anyObject(value, name === "" ? "options" : name);
    const given = value as T;
    const prefix = name === "" ? "" : `${name}.`;
    const known = Object.keys(checks) as (keyof T & string)[];
    for (const other of Object.keys(given)) {
      if (Object.hasOwn(checks, other)) continue;
      const meant = known.find((each) => isNear(each.toLowerCase(), other.toLowerCase()));
      const advice = meant === undefined ? "Remove it." : `Did you mean ${prefix}${meant}?`;
      throw new TypeError(`There is no option ${prefix}${other}. ${advice}`);
    }
    for (const each of known) {
      if (given[each] !== undefined || required.includes(each))
        checks[each](given[each], prefix + each);
    }
  };
}

/** Returns whether two names differ by one character that is missing, added, wrong or exchanged with the next one. */
function isNear(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  const [restA, restB] = [a.slice(start), b.slice(start)];
  return (
    restA.slice(1) === restB.slice(1) ||
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    (restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2))
  );
}
