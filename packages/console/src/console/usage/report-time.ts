import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { AccountUsage } from "../../../../../gen/usage/v1/usage_pb.ts";

/** A report and when it was received, by the clock that `useNow` shows, in milliseconds since the epoch. */
export interface ReceivedUsage {
  readonly usage: AccountUsage;
  readonly receivedMs: number;
}

/** Returns the time by the clock of the service. It is more exact than `useNow`, whose clock has whole seconds. */
export function nowByReport({ usage, receivedMs }: ReceivedUsage, localNowMs: number): number {
  const reportedMs = usage.reportedAt ? timestampMs(usage.reportedAt) : receivedMs;
  return reportedMs + Math.max(0, localNowMs - receivedMs);
}
