import { dayMs } from "../common/durations.ts";

/** Longest time that a rotated key stays valid, in milliseconds: 366 days. The service and the console check it. */
export const longestGraceMs = 366 * dayMs;
