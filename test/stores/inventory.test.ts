import { describe, expect, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { nthVersion, storeKinds } from "../support/stores.ts";

const { AVAILABLE, PENDING } = PetStatus;

describe.each(storeKinds)("inventory store in $name", ({ use }) => {
  const under = use();

  test("lists items in ascending numeric order of pet id, over the whole int64 range", async () => {
    const ids = [9223372036854775807n, 10n, 9n, 9007199254740993n, 9007199254740992n, 1n];
    for (const petId of ids) {
      await under.stores.catalog.create({ petId, quantity: 1, status: AVAILABLE });
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

  test.each([999, 1000, 1001, 2500])("lists all of %i items", async (count) => {
    const items = Array.from({ length: count }, (_, i) => ({
      petId: BigInt(i + 1),
      quantity: i,
      status: PENDING,
    }));
    await under.stores.catalog.put(items);
    expect(await under.stores.inventory.list()).toMatchObject({
      items,
      version: nthVersion(count),
    });
  });
});
