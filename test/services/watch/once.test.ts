import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { reasonOf } from "../../../src/contract/errors.ts";
import { nextKind, startWatches } from "./support.ts";

/** More than one read of the history returns. */
const missed = 1_200;

test("reads without a reader of changes, and leaves nothing behind", async () => {
  const readers: unknown[] = [];
  const { service, call, key } = await startWatches((stores) => ({
    readChanges(onRevoked) {
      readers.push(onRevoked);
      return stores.readChanges(onRevoked);
    },
  }));
  const { messages, controller } = call("", key.keyId, true);
  expect(await nextKind(messages)).toBe("snapshot");
  expect(service.status()).toEqual({ watches: 1, lag: 0 });
  expect(await nextKind(messages)).toBe("ready");
  expect((await messages.next()).done).toBe(true);
  expect(service.status()).toEqual({ watches: 0, lag: 0 });
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  expect(readers).toEqual([]);
});

test("a snapshot of many pages is the stock at the version of ready, although it changes meanwhile", async () => {
  const { stores, call, key } = await startWatches();
  const { catalog, inventory } = stores;
  for (let from = 2n; from < 2_000n; from += 500n) {
    const items = Array.from({ length: 500 }, (_, index) => ({
      petId: from + BigInt(index),
      quantity: 1,
      status: PetStatus.AVAILABLE,
    }));
    await catalog.put(items);
  }
  const copy = new Map<bigint, number | undefined>();
  let ready = 0n;
  let petId = 1n;
  for await (const { event } of call("", key.keyId, true).messages) {
    if (event.case === "ready") ready = event.value.version;
    if (event.case !== "snapshot") continue;
    for (const item of event.value.items) copy.set(item.petId, item.quantity);
    for (const removed of event.value.removedPetIds) copy.delete(removed);
    // One change of a pet that was sent, and one of a pet that was not.
    await inventory.change({ petId, quantity: 7 });
    await catalog.remove(2_001n - petId);
    petId += 1n;
  }
  const since = await inventory.changesSince(ready, 1_000);
  for (const { petId, quantityAfter } of since?.changes ?? []) {
    if (quantityAfter === undefined) copy.delete(petId);
    else copy.set(petId, quantityAfter);
  }
  const { items } = await inventory.list();
  expect(copy).toEqual(new Map(items.map((item) => [item.petId, item.quantity])));
});

test("ends at the newest change of its first read, although changes go on", async () => {
  const { stores, call, key } = await startWatches();
  const { version: start } = await stores.inventory.list();
  for (let quantity = 0; quantity < missed; quantity += 1)
    await stores.inventory.change({ petId: 1n, quantity });
  const { version } = await stores.inventory.list();
  const versions: bigint[] = [];
  for await (const { event, resumeToken } of call(String(start), key.keyId, true).messages) {
    if (event.case === "change") versions.push(event.value.version);
    else expect(resumeToken).toBe(String(version));
    await stores.inventory.change({ petId: 1n, quantity: 1 });
  }
  expect(versions).toHaveLength(missed);
  expect(versions.at(-1)).toBe(version);
});

test("sends nothing after the key was revoked", async () => {
  const { stores, call, key } = await startWatches();
  const { version: start } = await stores.inventory.list();
  for (let quantity = 0; quantity < missed; quantity += 1)
    await stores.inventory.change({ petId: 1n, quantity });
  const { messages } = call(String(start), key.keyId, true);
  expect(await nextKind(messages)).toBe("change");
  await stores.accounts.revokeKey(key.keyId);
  let sent = 1;
  const rest = async () => {
    for await (const _ of messages) sent += 1;
  };
  await expect(rest()).rejects.toSatisfy((error) => reasonOf(error as never) === "KEY_REVOKED");
  // The part that was allowed before.
  expect(sent).toBe(500);
});
