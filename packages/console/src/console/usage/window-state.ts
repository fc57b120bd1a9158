import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import type { LimitWindow } from "../../../../../gen/usage/v1/usage_pb.ts";

/** What a gauge shows of one limit. */
export interface WindowState {
  readonly limit: number;
  readonly remaining: number;
  /** The part of the limit that is left, from 0 to 1. */
  readonly left: number;
  /** How near the limit is: `low` below a quarter, `none` when nothing is left. */
  readonly level: "enough" | "low" | "none";
  /** Milliseconds until more is left; undefined if nothing is used up. */
  readonly moreInMs: number | undefined;
  /** Milliseconds until the whole limit is left; undefined if nothing is used up. */
  readonly resetInMs: number | undefined;
}

/** The part of a limit below which little is left. */
export const lowBelow = 0.25;

/** Returns the state of a limit at `nowMs`, by the clock of the service, in milliseconds since the epoch. */
export function windowState(window: LimitWindow, nowMs: number): WindowState {
  const limit = Number(window.limit);
  const remaining = Number(window.remaining);
  const left = limit > 0 ? Math.min(1, Math.max(0, remaining / limit)) : 0;
  return {
    limit,
    remaining,
    left,
    level: remaining <= 0 ? "none" : left < lowBelow ? "low" : "enough",
    moreInMs: until(window.moreAt, nowMs),
    resetInMs: until(window.resetAt, nowMs),
  };
}

function until(time: Timestamp | undefined, nowMs: number): number | undefined {
  return time && Math.max(0, timestampMs(time) - nowMs);
}
