import { setImmediate } from "node:timers/promises";
import type { ConnectError } from "@connectrpc/connect";
import { accountDisabled, keyExpired, keyInvalid, keyRevoked } from "../../access/errors.ts";
import type { AdmissionStore, KeyState } from "../../stores/admission-store.ts";
import type { Watcher } from "./watcher.ts";

const errors: Readonly<Record<Exclude<KeyState["state"], "valid">, () => ConnectError>> = {
  unknown: keyInvalid,
  revoked: keyRevoked,
  expired: keyExpired,
  disabled: accountDisabled,
};

/**
 * Ends the watches whose keys were revoked or have expired, or whose accounts were disabled, and notes when the other keys
 * expire. Checks each key once for all of its watches.
 *
 * @throws ConnectError unavailable when the store cannot be reached; no watch is ended then
 */
export async function endInvalid(
  store: AdmissionStore,
  watchers: ReadonlySet<Watcher>,
): Promise<void> {
  const keyIds = [...new Set([...watchers].map(({ keyId }) => keyId))];
  const all = await store.keyStates(keyIds);
  const states = new Map(keyIds.map((keyId, index) => [keyId, all[index]]));
  for (const watcher of watchers) {
    const found = states.get(watcher.keyId);
    // A key without a state belongs to a watch that was admitted during the check.
    if (!found) continue;
    watcher.expiresAt = found.expiresAt;
    if (found.state !== "valid") watcher.end(errors[found.state]());
  }
}

/** Ends the watches whose keys expire at a time of the store's clock, or before. */
export function endExpired(watchers: ReadonlySet<Watcher>, now: number): void {
  for (const watcher of watchers) {
    if (watcher.expiresAt !== undefined && watcher.expiresAt <= now) watcher.end(keyExpired());
  }
}

/** Makes a function that checks the key of one watch like {@link endInvalid}. Calls of one event-loop tick share a check. */
export function createKeyCheck(store: AdmissionStore): (watcher: Watcher) => Promise<void> {
  let watchers: Set<Watcher> | undefined;
  let checked: Promise<void> = Promise.resolve();

  async function checkSoon(due: ReadonlySet<Watcher>): Promise<void> {
    await setImmediate();
    watchers = undefined;
    await endInvalid(store, due);
  }

  return (watcher) => {
    if (!watchers) {
      watchers = new Set();
      checked = checkSoon(watchers);
    }
    watchers.add(watcher);
    return checked;
  };
}
