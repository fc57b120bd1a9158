import { create } from "@bufbuild/protobuf";
import {
  type Duration,
  DurationSchema,
  type Timestamp,
  timestampFromMs,
} from "@bufbuild/protobuf/wkt";
import { longestGraceMs } from "../../../../access/key-grace.ts";
import { FieldError } from "../../shared/form-values.ts";
import { utcDay } from "../../text/utc-day.ts";

const hourSeconds = 3_600;
const daySeconds = 24 * hourSeconds;

/** The largest `RotateKeyRequest.grace`, in hours. */
const longestGraceHours = longestGraceMs / 1_000 / hourSeconds;

/** What is wrong with a text that `graceOf` rejects. */
export const graceFault = `must be a number from 0 to ${longestGraceHours}`;

/** Reads a number of hours. Returns undefined if the text is not a number or out of bounds. */
export function graceOf(text: string): Duration | undefined {
  const hours = text.trim() === "" ? Number.NaN : Number(text);
  if (!(hours >= 0 && hours <= longestGraceHours)) {
    return undefined;
  }
  return create(DurationSchema, { seconds: BigInt(Math.round(hours * hourSeconds)) });
}

/** Reads addresses and networks. The service checks their form. @throws FieldError if there are too many, or one is too long */
export function addressesOf(text: string): string[] {
  const addresses = text.split(/[\s,]+/).filter((each) => each !== "");
  if (addresses.length > 20 || addresses.some(({ length }) => length > 43)) {
    throw new FieldError("allowed_addresses", "must be at most 20 addresses or networks");
  }
  return addresses;
}

/** What is wrong with a text that `expiryOf` rejects. */
export const expiryFault = "must be today or later, such as 2027-01-31";

/**
 * Returns the end of a day in UTC: the time when a key expires that is valid up to this day.
 *
 * @returns undefined if the text is not a day, or if the day is over
 */
export function expiryOf(day: string, nowMs: number): Timestamp | undefined {
  const start = utcDay(day);
  if (start === undefined) return undefined;
  const ms = start + (daySeconds - 1) * 1_000;
  return ms <= nowMs ? undefined : timestampFromMs(ms);
}
