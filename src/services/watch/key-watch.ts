import type { ConnectError } from "@connectrpc/connect";
import { accountDisabled, keyExpired, keyInvalid, keyRevoked } from "../../access/errors.ts";
import type { AdmissionStore, KeyState } from "../../stores/admission-store.ts";
import type { Watcher } from "./watcher.ts";

const errors: Readonly<Record<Exclude<KeyState, "valid">, () => ConnectError>> = {
  unknown: keyInvalid,
  revoked: keyRevoked,
  expired: keyExpired,
  disabled: accountDisabled,
};

/**
 * Ends the watches whose keys were revoked or have expired, or whose accounts were disabled. Checks each key once for all of its watches.
 *
 * @throws ConnectError unavailable when the store cannot be reached; no watch is ended then
 */
export async function endInvalidKeys(
  store: AdmissionStore,
  watchers: ReadonlySet<Watcher>,
): Promise<void> {
  const keyIds = [...new Set([...watchers].map(({ keyId }) => keyId))];
  const found = await store.keyStates(keyIds);
  const states = new Map(keyIds.map((keyId, index) => [keyId, found[index]]));
  for (const watcher of watchers) {
    // A key without a state belongs to a watch that was admitted during the check.
    const state = states.get(watcher.keyId) ?? "valid";
    if (state !== "valid") watcher.end(errors[state]());
  }
}
