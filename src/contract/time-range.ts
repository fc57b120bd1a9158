import type { Message } from "@bufbuild/protobuf";
import { rangeText } from "connect-gateway/call";

/** A google.protobuf.Timestamp or Duration. */
type Time = Message & { readonly seconds: bigint; readonly nanos: number };

/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z, in seconds since the epoch. */
const firstSecond = -62_135_596_800n;
const lastSecond = 253_402_300_799n;

/** 10,000 years, in seconds. */
const longestDuration = 315_576_000_000n;

const maxNanos = 999_999_999;

/**
 * Checks of the ranges in google/protobuf/timestamp.proto and duration.proto, by type name. The binary format can exceed
 * them, but ProtoJSON cannot. A check returns what the value must be, or undefined if it is valid.
 */
export const timeFaults: ReadonlyMap<string, (value: Message) => string | undefined> = new Map([
  ["google.protobuf.Timestamp", timestampFault],
  ["google.protobuf.Duration", durationFault],
]);

function timestampFault(value: Message): string | undefined {
  const { seconds, nanos } = value as Time;
  if (seconds < firstSecond || seconds > lastSecond) {
    return "must be between 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z";
  }
  return nanos < 0 || nanos > maxNanos
    ? `must have nanos ${rangeText({ min: 0, max: maxNanos })}`
    : undefined;
}

function durationFault(value: Message): string | undefined {
  const { seconds, nanos } = value as Time;
  if (seconds < -longestDuration || seconds > longestDuration) {
    return `must have seconds ${rangeText({ min: -longestDuration, max: longestDuration })}`;
  }
  if (nanos < -maxNanos || nanos > maxNanos) {
    return `must have nanos ${rangeText({ min: -maxNanos, max: maxNanos })}`;
  }
  const isMixed = (seconds > 0n && nanos < 0) || (seconds < 0n && nanos > 0);
  return isMixed ? "must have seconds and nanos with the same sign" : undefined;
}
