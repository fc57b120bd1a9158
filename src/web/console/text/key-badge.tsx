import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type KeyStateName, type KeyTimes, keyState } from "./key-state.ts";
import { durationText, minuteText } from "./time-text.ts";

const badges: Readonly<Record<KeyStateName, string>> = {
  valid: "badge-success",
  banned: "badge-danger",
  expired: "badge-warning",
  revoked: "",
};

/** Shows the state of a key as a badge, and until when it lasts. */
export function KeyBadge({ value, nowMs }: { readonly value: KeyTimes; readonly nowMs: number }) {
  const state = keyState(value, nowMs);
  return (
    <span>
      <span class={`badge ${badges[state]}`}>{state}</span> {detail(state, value, nowMs)}
    </span>
  );
}

function detail(state: KeyStateName, key: KeyTimes, nowMs: number): string {
  if (state === "banned" && key.bannedUntil) {
    return `for ${durationText(timestampMs(key.bannedUntil) - nowMs)}`;
  }
  if (state === "revoked" && key.revokedAt) {
    return `since ${minuteText(key.revokedAt)}`;
  }
  if (state === "expired" && key.expiresAt) {
    return `since ${minuteText(key.expiresAt)}`;
  }
  return key.expiresAt ? `until ${minuteText(key.expiresAt)}` : "";
}
