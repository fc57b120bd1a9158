import { dayMs, hourMs, minuteMs } from "../call/durations.ts";

/** Lengths of the first, second and further bans of a key, in milliseconds. The last one repeats. */
export const banLadderMs = [minuteMs, 5 * minuteMs, 30 * minuteMs, 2 * hourMs, dayMs] as const;

/** For each period of this length since the last ban ended, the next ban is one step shorter, in milliseconds. */
export const banForgivenessMs = dayMs;

/** Up to this many refused requests within a minute never cause a ban, however small the limit is. */
export const minRefusalsBeforeBan = 60;
