import { describe, expect, it } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { maxQuantity } from "../../src/stores/inventory-store.ts";
import { listed } from "../support/stock.ts";
import { nthVersion, storeKinds } from "../support/stores.ts";

const { AVAILABLE, PENDING, SOLD } = PetStatus;

describe.each(storeKinds)("inventory store in $name", ({ use }) => {
  const under = use();

  it("lists nothing when it is empty", async () => {
    expect(await under.stores.inventory.list()).toEqual({ items: [], version: 0n });
  });

  it("lists items in ascending numeric order of pet id, over the whole int64 range", async () => {
    const ids = [9223372036854775807n, 10n, 9n, 9007199254740993n, 9007199254740992n, 1n];
    for (const petId of ids) {
      await under.stores.inventory.create({ petId, quantity: 1, status: AVAILABLE });
    }
    const { items } = await under.stores.inventory.list();
    expect(items.map(({ petId }) => petId)).toEqual([
      1n,
      9n,
      10n,
      9007199254740992n,
      9007199254740993n,
      9223372036854775807n,
    ]);
  });

  it.each([999, 1000, 1001, 2500])("lists all of %i items", async (count) => {
    const items = Array.from({ length: count }, (_, i) => ({
      petId: BigInt(i + 1),
      quantity: i,
      status: PENDING,
    }));
    await under.stores.inventory.put(items);
    expect(await under.stores.inventory.list()).toMatchObject({
      items,
      version: nthVersion(count),
    });
  });

  it("sets a quantity and leaves the status", async () => {
    const { inventory } = under.stores;
    await inventory.create({ petId: 5n, quantity: 1, status: SOLD });
    const changed = { petId: 5n, quantity: maxQuantity, status: SOLD };
    const item = { ...changed, version: nthVersion(2) };
    expect(await inventory.setQuantity(5n, maxQuantity)).toEqual({
      kind: "changed",
      item,
      replayed: false,
    });
    expect(await inventory.get(5n)).toEqual(item);
  });

  it("sets a status and leaves the quantity", async () => {
    const { inventory } = under.stores;
    await inventory.create({ petId: 5n, quantity: 7, status: SOLD });
    const changed = { petId: 5n, quantity: 7, status: PENDING, version: nthVersion(2) };
    expect(await inventory.setStatus(5n, PENDING)).toEqual(changed);
    expect(await inventory.get(5n)).toEqual(changed);
  });

  it("returns undefined for an unknown pet, and adds nothing", async () => {
    const { inventory } = under.stores;
    expect(await inventory.get(5n)).toBeUndefined();
    expect(await inventory.setQuantity(5n, 1)).toEqual({ kind: "no_pet", replayed: false });
    expect(await inventory.adjust(5n, 1)).toEqual({ kind: "no_pet", replayed: false });
    expect(await inventory.setStatus(5n, SOLD)).toBeUndefined();
    expect(await inventory.remove(5n)).toBeUndefined();
    expect(await listed(inventory)).toEqual([]);
  });

  it("does not create a pet twice", async () => {
    const { inventory } = under.stores;
    const first = { petId: 5n, quantity: 7, status: SOLD };
    expect(await inventory.create(first)).toBe(nthVersion(1));
    expect(await inventory.create({ petId: 5n, quantity: 8, status: PENDING })).toBeUndefined();
    expect(await listed(inventory)).toEqual([first]);
  });

  it("puts new items and replaces existing ones", async () => {
    const { inventory } = under.stores;
    await inventory.create({ petId: 2n, quantity: 7, status: SOLD });
    const items = [
      { petId: 1n, quantity: 0, status: AVAILABLE },
      { petId: 2n, quantity: 3, status: PENDING },
    ];
    expect(await inventory.put(items)).toMatchObject({ created: 1, updated: 1 });
    expect(await listed(inventory)).toEqual(items);
  });

  it("removes a pet and returns its last values", async () => {
    const { inventory } = under.stores;
    const item = { petId: 5n, quantity: 7, status: SOLD };
    await inventory.create(item);
    expect(await inventory.remove(5n)).toEqual({ ...item, version: nthVersion(1) });
    expect(await inventory.get(5n)).toBeUndefined();
    expect(await listed(inventory)).toEqual([]);
  });
});
