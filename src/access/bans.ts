import { dayMs, hourMs, minuteMs } from "../common/durations.ts";

/** Lengths of the first, second and further bans of a key, in milliseconds. The last one repeats. */
export const banLadderMs = [minuteMs, 5 * minuteMs, 30 * minuteMs, 2 * hourMs, dayMs] as const;

/** For each period of this length since the last ban ended, the next ban is one step shorter, in milliseconds. */
export const banForgivenessMs = dayMs;

/** Up to this many refused requests within a minute never cause a ban, however small the limit is. */
export const minRefusalsBeforeBan = 60;

/**
 * Returns the end of a key's ban of a level from 1 on, in milliseconds since the epoch; 0 for none. A ban that seems to
 * begin later than its own length from now was made before the clock was set back: it has ended.
 */
export function banEnd(level: number, bannedUntil: number, now: number): number {
  const lengthMs = banLadderMs[level - 1];
  return lengthMs !== undefined && bannedUntil - now <= 2 * lengthMs ? bannedUntil : 0;
}
