import { create, type DescMessage, type Message, protoInt64 } from "@bufbuild/protobuf";
import { protoSnakeCase } from "@bufbuild/protobuf/reflect";
import { longestMask, maskTooLong, maxPaths, tooManyItems } from "../../call/list-limits.ts";
import { OutOfBounds } from "../invalid-input.ts";

/** The text form of a well-known type. */
export interface TextForm {
  /**
   * Returns undefined when the text is invalid.
   *
   * @throws OutOfBounds when the text is too long
   */
  readonly parse: (text: string, desc: DescMessage) => Message | undefined;
  /** Description of a valid text, for an error message. */
  readonly expected: string;
}

/** The well-known types whose JSON is a string in a format of its own. */
export const textForms: ReadonlyMap<string, TextForm> = new Map([
  [
    "google.protobuf.Timestamp",
    { parse: parseTimestamp, expected: "an RFC 3339 timestamp such as 2026-11-01T09:30:00Z" },
  ],
  [
    "google.protobuf.Duration",
    { parse: parseDuration, expected: "a duration in seconds such as 3.5s" },
  ],
  [
    "google.protobuf.FieldMask",
    { parse: parseFieldMask, expected: "field paths in lowerCamelCase, separated by commas" },
  ],
]);

const timestampPattern =
  /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z, in seconds since the epoch. */
const firstSecond = -62_135_596_800;
const lastSecond = 253_402_300_799;

function parseTimestamp(text: string, desc: DescMessage): Message | undefined {
  const match = timestampPattern.exec(text);
  if (!match) return undefined;
  const [, local = "", fraction = "", sign, hours, minutes] = match;
  const ms = Date.parse(`${local}Z`);
  // Date.parse reads February 30 as March 2, and 24:00:00 as the next day.
  if (Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(local)) return undefined;
  const offset = sign ? (Number(hours) * 3600 + Number(minutes) * 60) * (sign === "+" ? 1 : -1) : 0;
  const seconds = ms / 1000 - offset;
  if (seconds < firstSecond || seconds > lastSecond) return undefined;
  return withNanos(desc, seconds, Number(fraction.padEnd(9, "0")));
}

/** The maximum seconds of a Duration, about 10,000 years, not counting nanoseconds (duration.proto). */
const mostSeconds = 315_576_000_000;

function parseDuration(text: string, desc: DescMessage): Message | undefined {
  const match = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/.exec(text);
  if (!match) return undefined;
  const [, minus, whole, fraction = ""] = match;
  const sign = minus ? -1 : 1;
  const seconds = Number(whole);
  const nanos = Number(fraction.padEnd(9, "0"));
  if (seconds > mostSeconds) return undefined;
  // `+ 0` turns -0 into 0.
  return withNanos(desc, sign * seconds, sign * nanos + 0);
}

function withNanos(desc: DescMessage, seconds: number, nanos: number): Message {
  return Object.assign(create(desc), { seconds: protoInt64.parse(seconds), nanos });
}

/** @throws OutOfBounds when the mask is too long, or has too many paths */
function parseFieldMask(text: string, desc: DescMessage): Message | undefined {
  const mask = create(desc) as Message & { paths: string[] };
  if (text === "") return mask;
  if (text.length > longestMask) throw new OutOfBounds(maskTooLong);
  const paths = text.split(",", maxPaths + 1);
  if (paths.length > maxPaths) throw new OutOfBounds(tooManyItems(maxPaths));
  if (!paths.every((path) => /^[A-Za-z0-9]+(\.[A-Za-z0-9]+)*$/.test(path))) return undefined;
  mask.paths = paths.map(protoSnakeCase);
  return mask;
}
