import { create } from "@bufbuild/protobuf";
import {
  type Duration,
  DurationSchema,
  type Timestamp,
  timestampFromMs,
} from "@bufbuild/protobuf/wkt";
import { longestGraceMs } from "../../../../../../src/access/key-grace.ts";
import { FieldError } from "../../shared/form-values.ts";

const hourSeconds = 3_600;

/** The largest `RotateKeyRequest.grace`, in hours. */
const longestGraceHours = longestGraceMs / 1_000 / hourSeconds;

/** What is wrong with a text that `graceOf` rejects. */
export const graceFault = `must be a number from 0 to ${longestGraceHours}`;

/** Reads a number of hours. Returns undefined if the text is not a number or out of bounds. */
export function graceOf(text: string): Duration | undefined {
  const hours = text.trim() === "" ? Number.NaN : Number(text);
  if (!(hours >= 0 && hours <= longestGraceHours)) return undefined;
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

/** What is wrong with a day that `expiryOf` rejects. */
export const expiryFault = "must be today or later";

/**
 * Returns the end of a day in the zone of the reader: the time when a key expires that is valid up to this day.
 *
 * @param day the value of an input of the type `date`
 * @returns undefined if the day is over
 */
export function expiryOf(day: string, nowMs: number): Timestamp | undefined {
  const ms = new Date(`${day}T23:59:59`).getTime();
  return ms <= nowMs ? undefined : timestampFromMs(ms);
}
