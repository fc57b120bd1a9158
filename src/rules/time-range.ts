import type { Message } from "@bufbuild/protobuf";

/** A google.protobuf.Timestamp or Duration. */
type Time = Message & { readonly seconds: bigint; readonly nanos: number };

/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z, in seconds since the epoch. */
const firstSecond = -62_135_596_800n;
const lastSecond = 253_402_300_799n;

/** 10,000 years, in seconds. */
const longestDuration = 315_576_000_000n;

const maxNanos = 999_999_999;

/**
 * The ranges that google/protobuf/timestamp.proto and duration.proto state, by type name. The binary form
 * can exceed them; ProtoJSON cannot, so a server could not send back what it accepted.
 *
 * @returns what is wrong with a value; undefined when nothing is
 */
export const timeFaults: ReadonlyMap<string, (value: Message) => string | undefined> = new Map([
  ["google.protobuf.Timestamp", timestampFault],
  ["google.protobuf.Duration", durationFault],
]);

function timestampFault(value: Message): string | undefined {
  const { seconds, nanos } = value as Time;
  if (seconds < firstSecond || seconds > lastSecond) {
    return "must be from 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z";
  }
  return nanos < 0 || nanos > maxNanos ? `must have nanos from 0 to ${maxNanos}` : undefined;
}

function durationFault(value: Message): string | undefined {
  const { seconds, nanos } = value as Time;
  if (seconds < -longestDuration || seconds > longestDuration) {
    return `must have seconds from -${longestDuration} to ${longestDuration}`;
  }
  if (nanos < -maxNanos || nanos > maxNanos) {
    return `must have nanos from -${maxNanos} to ${maxNanos}`;
  }
  const isMixed = (seconds > 0n && nanos < 0) || (seconds < 0n && nanos > 0);
  return isMixed ? "must have seconds and nanos of the same sign" : undefined;
}
