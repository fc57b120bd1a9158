import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";

/** The times of a key that decide whether it is valid. */
export interface KeyTimes {
  readonly expiresAt?: Timestamp | undefined;
  readonly revokedAt?: Timestamp | undefined;
  readonly bannedUntil?: Timestamp | undefined;
}

export type KeyStateName = "valid" | "banned" | "expired" | "revoked";

/** Returns the state of a key. A revoked or expired key stays so, whatever its ban. */
export function keyState(key: KeyTimes, nowMs: number): KeyStateName {
  if (key.revokedAt) return "revoked";
  if (key.expiresAt && timestampMs(key.expiresAt) <= nowMs) return "expired";
  if (key.bannedUntil && timestampMs(key.bannedUntil) > nowMs) return "banned";
  return "valid";
}
