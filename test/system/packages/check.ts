import { isDeepStrictEqual } from "node:util";

/** A check with its name, and what to print if it failed. */
export type Check = readonly [name: string, passed: boolean, details?: unknown];

/** Whether two values are deeply equal. */
export function equal(name: string, actual: unknown, expected: unknown): Check {
  return [name, isDeepStrictEqual(actual, expected), { actual, expected }];
}
