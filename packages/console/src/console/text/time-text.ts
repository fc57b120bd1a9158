import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";

import { dayMs, hourMs, minuteMs } from "../../../../../src/common/durations.ts";

/** The two largest units of a duration are enough to act on. */
const units = [
  { name: "d", ms: dayMs },
  { name: "h", ms: hourMs },
  { name: "min", ms: minuteMs },
  { name: "s", ms: 1_000 },
] as const;

/**
 * Returns a duration in its two largest units, rounded up to whole seconds: `12 s`, `3 min 20 s`, `2 d 4 h`.
 *
 * @returns `0 s` for a duration that is over
 */
export function durationText(ms: number): string {
  let left = Math.max(0, Math.ceil(ms / 1_000)) * 1_000;
  const first = units.findIndex((unit) => left >= unit.ms);
  if (first === -1) return "0 s";
  const parts: string[] = [];
  for (const { name, ms: size } of units.slice(first, first + 2)) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0) parts.push(`${count} ${name}`);
  }
  return parts.join(" ");
}

/** Returns how long ago a time was, to the minute, because last uses are recorded to the minute. */
export function agoText(time: Timestamp, nowMs: number): string {
  const age = nowMs - timestampMs(time);
  return age < 2 * minuteMs ? "just now" : `${durationText(age - (age % minuteMs))} ago`;
}

const day = { day: "numeric", month: "short", year: "numeric" } as const;
const minute = { ...day, hour: "2-digit", minute: "2-digit", timeZoneName: "short" } as const;
const toMinute = new Intl.DateTimeFormat("en-GB", minute);
const toSecond = new Intl.DateTimeFormat("en-GB", { ...minute, second: "2-digit" });

/** Returns the zone of the reader: `Europe/Berlin`. */
export function readerZone(): string {
  return toMinute.resolvedOptions().timeZone;
}

/** Returns a time in the zone of the reader: `22 Nov 2026, 21:15 CET`. */
export function timeText(time: Timestamp): string {
  return toMinute.format(timestampMs(time));
}

/** The same with seconds. */
export function secondText(time: Timestamp): string {
  return toSecond.format(timestampMs(time));
}

/** Returns the minute of a time in the zone of the reader, for axes: `21:15`. */
export const clockText = new Intl.DateTimeFormat("en-GB", { timeStyle: "short" }).format;

/** Returns a day of UTC: `22 Nov`. */
export const utcDayText = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  timeZone: "UTC",
}).format;

/** Returns a time in UTC: `2026-11-22 20:15:09 UTC`. */
export function utcText(time: Timestamp): string {
  return `${new Date(timestampMs(time)).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
