import type { ConnectError } from "@connectrpc/connect";
import type { AdmissionStore, KeyState } from "../access/admission-store.ts";
import { keyExpired, keyInvalid, keyRevoked } from "../errors.ts";
import type { Watcher } from "./watcher.ts";

const errors: Readonly<Record<Exclude<KeyState, "valid">, () => ConnectError>> = {
  unknown: keyInvalid,
  revoked: keyRevoked,
  expired: keyExpired,
};

/**
 * Ends the watches whose keys have ended. Each key is looked at once, however many watch with it.
 *
 * @throws ConnectError unavailable when the store can't be reached: no watch was ended then
 */
export async function endWithKeys(
  store: AdmissionStore,
  watchers: ReadonlySet<Watcher>,
): Promise<void> {
  const keyIds = [...new Set([...watchers].map(({ keyId }) => keyId))];
  const found = await store.keyStates(keyIds);
  const states = new Map(keyIds.map((keyId, index) => [keyId, found[index]]));
  for (const watcher of watchers) {
    // One that came meanwhile was admitted meanwhile.
    const state = states.get(watcher.keyId) ?? "valid";
    if (state !== "valid") watcher.end(errors[state]());
  }
}
