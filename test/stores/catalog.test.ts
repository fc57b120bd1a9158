import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import type { CatalogEntry, CatalogStore, PutPet } from "../../src/stores/catalog-store.ts";
import { listed } from "../support/stock.ts";
import { storeKinds } from "../support/stores.ts";

const { AVAILABLE, PENDING, SOLD } = PetStatus;
const pet = (petId: bigint, names: Partial<CatalogEntry> = {}): PutPet => ({
  petId,
  quantity: 1,
  status: AVAILABLE,
  ...names,
});

describe.each(storeKinds)("the catalogue in $name", ({ use }) => {
  const under = use();
  const skusOf = async ({ list }: CatalogStore) =>
    (await list()).entries.map(({ petId, sku }) => [petId, sku]);

  test("an SKU belongs to one pet, and is free again when that pet loses it", async () => {
    const { catalog } = under.stores;
    await catalog.create(pet(1n, { name: "Rex", sku: "A" }));
    expect(await catalog.create(pet(2n, { sku: "A" }))).toEqual({ kind: "sku_taken", by: 1n });
    await catalog.create(pet(2n));
    expect(await catalog.update(2n, { sku: "A", status: SOLD })).toEqual({
      kind: "sku_taken",
      by: 1n,
    });
    expect((await catalog.find({ petIds: [2n] })).entries).toMatchObject([{ status: AVAILABLE }]);
    await catalog.update(1n, { sku: "" });
    expect(await catalog.update(2n, { sku: "A" })).toMatchObject({ sku: "A", status: AVAILABLE });
    await catalog.remove(2n);
    expect(await catalog.update(1n, { sku: "A" })).toMatchObject({ name: "Rex", sku: "A" });
  });

  test("a pet keeps its SKU when a change sends it again", async () => {
    const { catalog } = under.stores;
    await catalog.create(pet(1n, { sku: "A" }));
    const changed = { petId: 1n, name: "Rex", sku: "A" };
    expect(await catalog.update(1n, { name: "Rex", sku: "A" })).toMatchObject(changed);
    const put = await catalog.put([pet(1n, { name: "Mia", sku: "A" })]);
    expect(put).toMatchObject({ created: 0, updated: 1 });
    expect(await catalog.find({ skus: ["A"] })).toMatchObject({ entries: [{ name: "Mia" }] });
  });

  test("a pet whose holds are due can be removed", async () => {
    const { catalog, holds } = under.stores;
    await catalog.create(pet(1n));
    await holds.put("aaaaaaaaaaaa", "cart", { items: [{ petId: 1n, quantity: 1 }], ttlMs: 1 });
    expect(await catalog.remove(1n)).toBe("held");
    under.clock.now += 1;
    expect(await catalog.remove(1n)).toMatchObject({ petId: 1n });
    expect((await catalog.list()).entries).toEqual([]);
  });

  test("a removed pet that is added again has no name", async () => {
    const { catalog } = under.stores;
    await catalog.create(pet(1n, { name: "Rex", sku: "A" }));
    const removed = { petId: 1n, name: "Rex", sku: "A", status: AVAILABLE };
    expect(await catalog.remove(1n)).toMatchObject(removed);
    await catalog.create(pet(1n));
    expect((await catalog.list()).entries).toMatchObject([{ petId: 1n, name: "", sku: "" }]);
    expect((await catalog.find({ skus: ["A"] })).entries).toEqual([]);
  });

  test("pets of a put exchange their SKUs", async () => {
    const { catalog } = under.stores;
    await catalog.put([pet(1n, { sku: "A" }), pet(2n, { sku: "B" }), pet(3n, { sku: "C" })]);
    await catalog.put([pet(1n, { sku: "B" }), pet(2n, { sku: "C" }), pet(3n, { sku: "A" })]);
    expect(await skusOf(catalog)).toEqual([
      [1n, "B"],
      [2n, "C"],
      [3n, "A"],
    ]);
    const found = await catalog.find({ skus: ["C", "A", "none"] });
    expect(found.entries.map(({ petId }) => petId)).toEqual([2n, 3n]);
  });

  test("a put with SKUs that others keep changes nothing, and can be sent again later", async () => {
    const { catalog, inventory } = under.stores;
    await catalog.put([pet(1n, { sku: "A" }), pet(2n, { sku: "B" })]);
    const before = await listed(inventory);
    const { version } = await catalog.list();
    const pets = [pet(3n), pet(4n, { sku: "A" }), pet(2n, { sku: "C" }), pet(5n, { sku: "B" })];
    const idempotency = { key: "import", fingerprint: "x" };
    const send = () => catalog.put(pets, undefined, idempotency);
    expect(await send()).toEqual({
      ...{ kind: "sku_taken", replayed: false },
      items: [{ index: 1, by: 1n }],
    });
    expect(await listed(inventory)).toEqual(before);
    expect((await catalog.list()).version).toBe(version);
    await catalog.update(1n, { sku: "" });
    expect(await send()).toEqual({ created: 3, updated: 1, replayed: false });
    expect(await send()).toEqual({ created: 3, updated: 1, replayed: true });
    expect(await skusOf(catalog)).toEqual([
      [1n, ""],
      [2n, "C"],
      [3n, ""],
      [4n, "A"],
      [5n, "B"],
    ]);
  });

  test("of many pets whose SKUs are taken, a put reports the first 20", async () => {
    const { catalog } = under.stores;
    const skus = Array.from({ length: 25 }, (_, at) => `S${at}`);
    await catalog.put(skus.map((sku, at) => pet(BigInt(at + 1), { sku })));
    const outcome = await catalog.put(skus.map((sku, at) => pet(BigInt(at + 101), { sku })));
    expect(outcome).toMatchObject({ kind: "sku_taken" });
    const items = skus.slice(0, 20).map((_, index) => ({ index, by: BigInt(index + 1) }));
    expect(outcome).toHaveProperty("items", items);
  });

  test("its version changes with entries, and not with quantities", async () => {
    const { catalog, inventory } = under.stores;
    const version = async () => (await catalog.list()).version;
    const steps: [changes: boolean, () => Promise<unknown>][] = [
      [true, () => catalog.create(pet(1n))],
      [false, () => catalog.create(pet(1n))],
      [false, () => inventory.change({ petId: 1n, delta: 5 })],
      [true, () => catalog.update(1n, { name: "Rex" })],
      [false, () => catalog.update(1n, { name: "Rex" })],
      [false, () => catalog.update(1n, { status: AVAILABLE })],
      [true, () => catalog.update(1n, { status: PENDING })],
      [false, () => catalog.put([{ petId: 1n, quantity: 8, status: PENDING }])],
      [true, () => catalog.put([{ petId: 1n, quantity: 8, status: SOLD }])],
      [true, () => catalog.put([{ petId: 1n, quantity: 8, status: SOLD, sku: "A" }])],
      [false, () => catalog.update(2n, { name: "Rex" })],
      [true, () => catalog.remove(1n)],
      [false, () => catalog.remove(1n)],
    ];
    for (const [changes, step] of steps) {
      const before = await version();
      await step();
      expect([String(step), (await version()) > before]).toEqual([String(step), changes]);
    }
  });

  test("a change of names alone is not one of the stock", async () => {
    const { catalog, inventory } = under.stores;
    await catalog.create(pet(1n));
    const before = await inventory.list();
    await catalog.update(1n, { name: "Rex", sku: "A" });
    expect(await inventory.list()).toEqual(before);
    expect((await inventory.changes({ limit: 10 }))?.changes).toHaveLength(1);
  });

  const aPet = fc.constantFrom(1n, 2n, 3n, 4n);
  const names = {
    name: fc.option(fc.constantFrom("", "Rex", "Mia"), { nil: undefined }),
    sku: fc.option(fc.constantFrom("", "A", "B", "C"), { nil: undefined }),
  };
  const aChange = fc.oneof(
    fc.record({ kind: fc.constant("create" as const), petId: aPet, ...names }),
    fc.record({ kind: fc.constant("update" as const), petId: aPet, ...names }),
    fc.record({ kind: fc.constant("remove" as const), petId: aPet }),
    fc.record({
      kind: fc.constant("put" as const),
      pets: fc
        .uniqueArray(fc.record({ petId: aPet, ...names }), {
          minLength: 1,
          selector: ({ petId }) => petId,
        })
        .filter((pets) => {
          const skus = pets.flatMap(({ sku }) => sku || []);
          return new Set(skus).size === skus.length;
        }),
    }),
  );

  test("SKUs are unique, and every way to read agrees, after any changes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(aChange, { maxLength: 25, size: "max" }), async (changes) => {
        const { catalog, inventory } = under.stores;
        for (const petId of [1n, 2n, 3n, 4n]) await catalog.remove(petId);
        for (const change of changes) {
          const before = (await catalog.list()).entries;
          const result = await (change.kind === "remove"
            ? catalog.remove(change.petId)
            : change.kind === "put"
              ? catalog.put(change.pets.map((each) => pet(each.petId, each)))
              : change.kind === "create"
                ? catalog.create(pet(change.petId, change))
                : catalog.update(change.petId, change));
          const { entries, version } = await catalog.list();
          if (typeof result === "object" && "kind" in result) expect(entries).toEqual(before);
          const skus = entries.flatMap(({ sku }) => sku || []);
          expect(new Set(skus).size).toBe(skus.length);
          const items = await listed(inventory);
          expect(entries.map(({ petId }) => petId)).toEqual(items.map(({ petId }) => petId));
          expect(await catalog.page(undefined, 10)).toEqual({ entries, version, more: false });
          expect(await catalog.find({ petIds: [4n, 3n, 2n, 1n] })).toEqual({ entries, version });
          const withSku = entries.filter(({ sku }) => sku !== "");
          expect((await catalog.find({ skus: ["A", "B", "C"] })).entries).toEqual(withSku);
          for (const each of withSku) {
            const found = await catalog.find({ skus: [each.sku], petIds: [each.petId] });
            expect(found.entries).toEqual([each]);
          }
        }
      }),
      { numRuns: 40 },
    );
  });
});
