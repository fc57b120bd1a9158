import type { Key } from "../../../../../../gen/admin/v1/admin_pb.ts";
import { keyState } from "../../text/key-state.ts";

/** What an operator can do with a key. */
export type KeyAction = "rotate" | "revoke" | "unban";

/** Returns the actions that the service accepts for a key. */
export function keyActions(key: Key, nowMs: number): readonly KeyAction[] {
  switch (keyState(key, nowMs)) {
    case "valid":
      return ["rotate", "revoke"];
    case "banned":
      return ["rotate", "revoke", "unban"];
    case "expired":
      return ["revoke"];
    case "revoked":
      return [];
  }
}
