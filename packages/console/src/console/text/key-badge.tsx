import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { ComponentChildren } from "preact";
import { type KeyStateName, type KeyTimes, keyState } from "./key-state.ts";
import { Time } from "./time.tsx";
import { durationText } from "./time-text.ts";

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
      <span class={`badge ${badges[state]}`}>{state}</span>
      <span class="detail">{detail(state, value, nowMs)}</span>
    </span>
  );
}

function detail(state: KeyStateName, key: KeyTimes, nowMs: number): ComponentChildren {
  if (state === "banned" && key.bannedUntil) {
    return `for ${durationText(timestampMs(key.bannedUntil) - nowMs)}`;
  }
  const time = key.revokedAt ?? key.expiresAt;
  if (!time) return "";
  return (
    <>
      {state === "valid" ? "until" : "since"} <Time at={time} />
    </>
  );
}
