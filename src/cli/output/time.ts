import { dayMs, hourMs, minuteMs } from "../../common/durations.ts";
import { parseUtcTime } from "../../common/utc-time.ts";

const form =
  /^(\d{4}-\d\d-\d\d)(?:[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))?)?$/;

/** 0001-01-01T00:00:00Z and the last millisecond of the year 9999: the range of a google.protobuf.Timestamp. */
const firstMs = -62_135_596_800_000;
const lastMs = 253_402_300_799_999;

/** Examples of what {@link parseTime} accepts, for help and errors. */
export const timeForms = "2026-07-15T10:20:00Z or 2026-07-15";

/** Parses a date, or date and time (RFC 3339; UTC by default), to milliseconds since the epoch; undefined if malformed. */
export function parseTime(text: string): number | undefined {
  const [, date, clock = "00:00:00", fraction = "", sign, hours, minutes] = form.exec(text) ?? [];
  const local = parseUtcTime(`${date}T${clock}`);
  if (local === undefined) return undefined;
  const offset = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * (sign === "-" ? -1 : 1);
  const ms = local + Number(fraction.slice(0, 3).padEnd(3, "0")) - offset * minuteMs;
  return ms >= firstMs && ms <= lastMs ? ms : undefined;
}

const unitMs = { s: 1_000, m: minuteMs, h: hourMs, d: dayMs };

/** 100 years. A longer duration is a mistake, and could exceed the range of timestamps. */
const longestMs = 36_500 * dayMs;

/** Examples of what {@link parseDuration} accepts, for help and errors. */
export const durationForms = "30d, 24h, 15m, 90s or 0";

/** Parses a whole number with the unit d, h, m or s, or `0`, to milliseconds; undefined if malformed, or over 100 years. */
export function parseDuration(text: string): number | undefined {
  if (text === "0") return 0;
  const [, count, unit] = /^(\d+)([smhd])$/.exec(text) ?? [];
  if (count === undefined || unit === undefined) return undefined;
  const ms = Number(count) * unitMs[unit as keyof typeof unitMs];
  return ms <= longestMs ? ms : undefined;
}
