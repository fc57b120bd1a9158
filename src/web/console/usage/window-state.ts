import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import type { LimitWindow } from "../../../../gen/usage/v1/usage_pb.ts";

/** What a gauge shows of one limit. */
export interface WindowState {
  readonly limit: number;
  readonly remaining: number;
  /** The used part of the limit, from 0 to 1. */
  readonly used: number;
  /** How near the limit is: `low` above three quarters, `none` when nothing is left. */
  readonly level: "enough" | "low" | "none";
  /** Milliseconds until more is left; undefined if nothing is used up. */
  readonly moreInMs: number | undefined;
  /** Milliseconds until the whole limit is left; undefined if nothing is used up. */
  readonly resetInMs: number | undefined;
}

/** The used part of a limit above which little is left. */
export const lowAbove = 0.75;

/** Returns the state of a limit at `nowMs`, by the clock of the service, in milliseconds since the epoch. */
export function windowState(window: LimitWindow, nowMs: number): WindowState {
  const limit = Number(window.limit);
  const remaining = Number(window.remaining);
  const used = limit > 0 ? Math.min(1, Math.max(0, (limit - remaining) / limit)) : 1;
  return {
    limit,
    remaining,
    used,
    level: remaining <= 0 ? "none" : used > lowAbove ? "low" : "enough",
    moreInMs: until(window.moreAt, nowMs),
    resetInMs: until(window.resetAt, nowMs),
  };
}

function until(time: Timestamp | undefined, nowMs: number): number | undefined {
  return time && Math.max(0, timestampMs(time) - nowMs);
}
