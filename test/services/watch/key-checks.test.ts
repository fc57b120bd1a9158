import { setImmediate as nextTick } from "node:timers/promises";
import { expect, test } from "vitest";
import { createKeyCheck } from "../../../src/services/watch/key-watch.ts";
import { createWatcher } from "../../../src/services/watch/watcher.ts";
import type { KeyState } from "../../../src/stores/admission-store.ts";
import { createMemoryStores } from "../../../src/stores/memory/stores.ts";

test("a check of a key that begins while another waits for its reply checks the key, too", async () => {
  const revoked = new Set<string>();
  const gates: PromiseWithResolvers<void>[] = [];
  const { admission } = createMemoryStores();
  const check = createKeyCheck({
    ...admission,
    async keyStates(keyIds) {
      const states = keyIds.map(
        (keyId): KeyState => ({
          state: revoked.has(keyId) ? "revoked" : "valid",
          expiresAt: undefined,
        }),
      );
      const gate = Promise.withResolvers<void>();
      gates.push(gate);
      await gate.promise;
      return states;
    },
  });
  const ended: string[] = [];
  const watcher = (keyId: string) => createWatcher(keyId, () => void ended.push(keyId));
  const keyIds = ["a", "b", "c"];
  const checks: Promise<void>[] = [];
  for (const keyId of keyIds) {
    revoked.add(keyId);
    checks.push(check(watcher(keyId)));
    // The store has decided on the key, or on others.
    await nextTick();
    await nextTick();
  }
  for (let at = 0; at < gates.length; at += 1) {
    gates[at]?.resolve();
    await nextTick();
  }
  await Promise.all(checks);
  expect(ended).toEqual(keyIds);
});
