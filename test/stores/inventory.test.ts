import { describe, expect, it } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { maxQuantity } from "../../src/stores/inventory-store.ts";
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
});
