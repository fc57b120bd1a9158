import { Code } from "@connectrpc/connect";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { AdmissionStore } from "../../../src/stores/admission-store.ts";
import { storeUnavailable } from "../../../src/stores/errors.ts";
import type { StockChange } from "../../../src/stores/stock-change.ts";
import { addKey } from "../../support/accounts.ts";
import { itemsFrom } from "../../support/stock.ts";
import { nextKind, readerOf, startWatches, upTo } from "./support.ts";

/** Starts watches whose reader of changes first fails some times, and then stops before the first change. */
const withStoppedReader = (failures = 0) =>
  startWatches(() => {
    const failed = Array.from({ length: failures }, () =>
      Promise.reject(storeUnavailable(undefined)),
    );
    for (const each of failed) each.catch(() => {});
    return { readChanges: readerOf(...failed, Promise.resolve([])) };
  });

const manyPets = (quantity: number) => itemsFrom(1n, 600, quantity);

const revoked = { code: Code.Unauthenticated, message: expect.stringContaining("revoked") };

describe("a watch that begins", () => {
  test.each([
    ["for a second", 4, 1_000],
    ["also if the process stops for as long", 2, 5_000],
  ])("waits until the reader of changes is ready, %s", async (_, failures, nowMs) => {
    const { watch } = await withStoppedReader(failures);
    const now = vi.spyOn(performance, "now").mockReturnValueOnce(0).mockReturnValue(nowMs);
    onTestFinished(() => now.mockRestore());
    expect(await nextKind(watch())).toBe("snapshot");
  });

  test("sends nothing if its key was revoked after the request was admitted", async () => {
    const { stores, key, watch } = await withStoppedReader();
    await stores.accounts.revokeKey(key.keyId);
    await expect(watch().next()).rejects.toMatchObject(revoked);
  });

  test("sends no later page of the stock", async () => {
    const { stores, key, watch } = await withStoppedReader();
    await stores.catalog.put(manyPets(1));
    const messages = watch();
    expect(await nextKind(messages)).toBe("snapshot");
    await stores.accounts.revokeKey(key.keyId);
    await stores.inventory.change({ petId: 600n, quantity: 2 });
    await expect(messages.next()).rejects.toMatchObject(revoked);
  });

  test("sends no missed change that was made afterwards", async () => {
    const { stores, key, watch } = await withStoppedReader();
    const { version } = await stores.inventory.page(undefined, 1);
    await stores.inventory.change({ petId: 1n, quantity: 2 });
    const read = watch(String(version)).next();
    await stores.accounts.revokeKey(key.keyId);
    await stores.inventory.change({ petId: 1n, quantity: 3 });
    await expect(read).rejects.toMatchObject(revoked);
  });

  test("sends no later part of the missed changes, of which it reads 500 at once", async () => {
    const { stores, key, watch } = await withStoppedReader();
    const { version } = await stores.inventory.page(undefined, 1);
    await stores.catalog.put(manyPets(9));
    const messages = watch(String(version));
    expect(await nextKind(messages)).toBe("change");
    await stores.accounts.revokeKey(key.keyId);
    await stores.inventory.change({ petId: 1n, quantity: 3 });
    for (let sent = 1; sent < 500; sent += 1) expect(await nextKind(messages)).toBe("change");
    await expect(messages.next()).rejects.toMatchObject(revoked);
  });
});

test("a watch whose reader was interrupted ends if its key was revoked in the meantime, before it sends a change", async () => {
  const interrupted = Promise.withResolvers<never>();
  const found = Promise.withResolvers<readonly StockChange[]>();
  const { stores, accountId, key, watch } = await startWatches(() => ({
    readChanges: readerOf(Promise.resolve([]), interrupted.promise, found.promise),
  }));
  const { keyId: validKey } = await addKey(stores, accountId);
  const [revokedWatch, validWatch] = [watch(), watch("", validKey)];
  for (const each of [revokedWatch, validWatch]) await upTo("ready", each);
  const [ended, change] = [upTo("change", revokedWatch), upTo("change", validWatch)];
  interrupted.reject(storeUnavailable(undefined));
  await stores.accounts.revokeKey(key.keyId);
  const { version } = await stores.inventory.page(undefined, 1);
  await stores.inventory.change({ petId: 1n, quantity: 3 });
  found.resolve((await stores.inventory.changesSince(version, 1))?.changes ?? []);
  await expect(ended).rejects.toMatchObject(revoked);
  expect((await change).event.value).toMatchObject({ quantityAfter: 3 });
});

test("a watch goes on after checks of its key that failed singly, and ends after two in a row", async () => {
  let checks = 0;
  const { watch } = await startWatches(
    ({ admission }) => {
      const keyStates: AdmissionStore["keyStates"] = async (keyIds) => {
        checks += 1;
        // The first one is that of the beginning of the watch. The 10th and the 11th are the first two in a row that fail.
        if (checks % 2 === 0 || checks > 9) throw storeUnavailable(undefined);
        return admission.keyStates(keyIds);
      };
      return { admission: { ...admission, keyStates } };
    },
    { heartbeatMs: 10 },
  );
  const messages = watch();
  await upTo("ready", messages);
  await expect(upTo("change", messages)).rejects.toMatchObject({ code: Code.Unavailable });
  expect(checks).toBe(11);
});

describe("a watch whose key expires", () => {
  const expiresAt = 2_000_000;
  const isExpired = { code: Code.Unauthenticated, message: expect.stringContaining("expired") };

  /** When changes are made that one read returns, in milliseconds after the expiry. */
  const reads: readonly { readonly times: readonly number[] }[] = [
    { times: [-2, -1] },
    { times: [-1, 0] },
    { times: [-1, 60_000] },
    { times: [-1, 0, 1] },
    { times: [0, 1] },
  ];
  test.each(reads)(
    "sends no change that was made from then on, also one that is read with earlier ones: $times",
    async ({ times }) => {
      const clock = { now: expiresAt - 60_000 };
      const found = Promise.withResolvers<readonly StockChange[]>();
      const { stores, watch } = await startWatches(
        () => ({ readChanges: readerOf(Promise.resolve([]), found.promise) }),
        { now: () => clock.now, expiresAt },
      );
      const { version } = await stores.inventory.page(undefined, 1);
      const messages = watch();
      await upTo("ready", messages);
      for (const [quantity, time] of times.entries()) {
        clock.now = expiresAt + time;
        await stores.inventory.change({ petId: 1n, quantity });
      }
      found.resolve((await stores.inventory.changesSince(version, 10))?.changes ?? []);
      if (times.every((time) => time < 0)) {
        for (const _ of times) expect(await nextKind(messages)).toBe("change");
      } else {
        await expect(messages.next()).rejects.toMatchObject(isExpired);
      }
    },
  );
});
