import { minuteMs } from "../../call/durations.ts";
import { parseUtcTime } from "../../call/utc-time.ts";

const form =
  /^(\d{4}-\d\d-\d\d)(?:[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))?)?$/;

/** 0001-01-01T00:00:00Z and the last millisecond of the year 9999: the range of a google.protobuf.Timestamp. */
const firstMs = -62_135_596_800_000;
const lastMs = 253_402_300_799_999;

/** Examples of what {@link parseTime} accepts, for help and errors. */
export const timeForms = "2026-07-15T10:20:00Z or 2026-07-15";

/**
 * Parses a date, or a date and a time (RFC 3339). The zone is UTC if there is none.
 *
 * @returns milliseconds since the epoch; undefined if the text is malformed or means no time
 */
export function parseTime(text: string): number | undefined {
  const [, date, clock = "00:00:00", fraction = "", sign, hours, minutes] = form.exec(text) ?? [];
  const local = parseUtcTime(`${date}T${clock}`);
  if (local === undefined) return undefined;
  const offset = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * (sign === "-" ? -1 : 1);
  const ms = local + Number(fraction.slice(0, 3).padEnd(3, "0")) - offset * minuteMs;
  return ms >= firstMs && ms <= lastMs ? ms : undefined;
}
