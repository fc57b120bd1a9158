import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { TopAccount } from "../../../../../../gen/admin/v1/admin_pb.ts";
import type { LimitWindow } from "../../../../../../gen/usage/v1/usage_pb.ts";
import { countText } from "../../text/number-text.ts";
import { durationText } from "../../text/time-text.ts";

/** A reason why requests of an account are refused now. */
export interface Refusing {
  readonly kind: "disabled" | "day" | "minute" | "banned";
  readonly text: string;
}

/** Returns the reasons why requests of an account are refused now, the longest lasting first. */
export function refusing(top: TopAccount, nowMs: number): Refusing[] {
  const found: Refusing[] = [];
  if (top.account?.disabledAt) found.push({ kind: "disabled", text: "disabled" });
  if (isUsedUp(top.day)) {
    found.push({ kind: "day", text: `day limit reached${moreText(top.day, nowMs)}` });
  }
  if (isUsedUp(top.minute)) {
    found.push({ kind: "minute", text: `minute limit reached${moreText(top.minute, nowMs)}` });
  }
  if (top.bannedKeys > 0) {
    found.push({ kind: "banned", text: countText(top.bannedKeys, "banned key") });
  }
  return found;
}

function isUsedUp(window: LimitWindow | undefined): window is LimitWindow {
  return window !== undefined && window.remaining <= 0n;
}

function moreText({ moreAt }: LimitWindow, nowMs: number): string {
  return moreAt ? `, more in ${durationText(timestampMs(moreAt) - nowMs)}` : "";
}
