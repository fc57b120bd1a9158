import type {
  CatalogStore,
  EntryQuery,
  ListedEntry,
  PetNames,
  PutCounts,
  PutPet,
  PutSkusTaken,
  PutTooLarge,
} from "../catalog-store.ts";
import { listedEntry } from "../entry-message.ts";
import { maxQuantity, mostRefusalsReported } from "../inventory-store.ts";
import { unknownOrigin } from "../stock-change.ts";
import { endDueHolds, heldUnits } from "./holds.ts";
import {
  asOneRequest,
  decideOnce,
  nextVersion,
  removeItem,
  type Stock,
  writeItem,
  writeItems,
} from "./stock.ts";

const noNames: PetNames = { name: "", sku: "" };

export function createMemoryCatalogStore(stock: Stock): CatalogStore {
  const { items, catalog } = stock;

  function entries(petIds: Iterable<bigint>): ListedEntry[] {
    return [...petIds]
      .sort((a, b) => (a < b ? -1 : 1))
      .flatMap((petId) => entryOf(stock, petId) ?? []);
  }

  return {
    async list() {
      return { entries: entries(items.keys()), version: catalog.version };
    },
    async page(after = 0n, limit) {
      const rest = entries(items.keys()).filter(({ petId }) => petId > after);
      const more = rest.length > limit;
      return { entries: rest.slice(0, limit), more, version: catalog.version };
    },
    async find(query) {
      return { entries: entries(petsOf(stock, query)), version: catalog.version };
    },
    async create(pet, origin = unknownOrigin) {
      if (items.has(pet.petId)) return undefined;
      const by = otherWith(stock, pet);
      if (by !== undefined) return { kind: "sku_taken", by };
      const { version } = writeItem(stock, pet, origin);
      setNames(stock, [pet]);
      endChange(stock);
      return version;
    },
    async update(petId, change, origin = unknownOrigin) {
      const item = items.get(petId);
      if (!item) return undefined;
      const by = otherWith(stock, { petId, ...change });
      if (by !== undefined) return { kind: "sku_taken", by };
      const before = entryOf(stock, petId);
      if (change.status !== undefined) writeItem(stock, { ...item, status: change.status }, origin);
      setNames(stock, [{ petId, ...change }]);
      const after = entryOf(stock, petId);
      if (!isSame(before, after)) endChange(stock);
      return after;
    },
    async put(pets, origin = unknownOrigin, idempotency, context) {
      // An import can fail long after this part of it.
      if (context?.record) context.record.changesSent += 1;
      const decide = (): PutCounts | PutTooLarge | PutSkusTaken => {
        const tooLarge = pets.flatMap(({ petId, quantity }, index) => {
          const held = heldUnits(stock, petId);
          return quantity + held > maxQuantity ? [{ index, held, petId }] : [];
        });
        if (tooLarge.some(({ petId }) => endDueHolds(stock, petId))) return decide();
        if (tooLarge.length > 0) {
          const found = tooLarge.slice(0, mostRefusalsReported);
          return { kind: "too_large", items: found.map(({ index, held }) => ({ index, held })) };
        }
        const taken = takenSkus(stock, pets);
        if (taken.length > 0) return { kind: "sku_taken", items: taken };
        const before = items.size;
        const old = pets.map(({ petId }) => entryOf(stock, petId));
        writeItems(stock, pets, origin);
        setNames(stock, pets);
        const changed = pets.filter(({ petId }, at) => !isSame(old[at], entryOf(stock, petId)));
        for (let at = 0; at < changed.length; at += petsInChange) endChange(stock);
        const created = items.size - before;
        return { created, updated: pets.length - created };
      };
      const request = { accountId: origin.accountId, idempotency };
      return decideOnce(stock, request, decide, (outcome) => "kind" in outcome);
    },
    async remove(petId, origin = unknownOrigin) {
      return asOneRequest(stock, () => {
        if (heldUnits(stock, petId) > 0) endDueHolds(stock, petId);
        const entry = entryOf(stock, petId);
        if (entry && heldUnits(stock, petId) > 0) return "held";
        if (entry) {
          removeItem(stock, petId, origin);
          setNames(stock, [{ petId, ...noNames }]);
          endChange(stock);
        }
        return entry;
      });
    },
  };
}

function namesOf({ catalog }: Stock, petId: bigint): PetNames {
  return catalog.names.get(petId) ?? noNames;
}

function entryOf(stock: Stock, petId: bigint): ListedEntry | undefined {
  const item = stock.items.get(petId);
  return item && listedEntry({ petId, status: item.status, ...namesOf(stock, petId) });
}

function isSame(before: ListedEntry | undefined, after: ListedEntry | undefined): boolean {
  return (
    before?.status === after?.status && before?.name === after?.name && before?.sku === after?.sku
  );
}

function petsOf({ catalog }: Stock, { petIds, skus }: EntryQuery): readonly bigint[] {
  if (!skus) return petIds ?? [];
  const found = skus.flatMap((sku) => catalog.skus.get(sku) ?? []);
  return petIds ? found.filter((petId) => petIds.includes(petId)) : found;
}

type NamedPet = Partial<PetNames> & { readonly petId: bigint };

/** Returns the other pet that has the SKU of a pet; undefined when there is none. */
function otherWith({ catalog }: Stock, { petId, sku = "" }: NamedPet): bigint | undefined {
  const owner = catalog.skus.get(sku);
  return owner === petId ? undefined : owner;
}

/** Returns the pets whose SKUs belong to pets that keep them. */
function takenSkus(stock: Stock, pets: readonly PutPet[]): PutSkusTaken["items"] {
  const given = new Map(pets.map(({ petId, sku }) => [petId, sku]));
  return pets
    .flatMap((pet, index) => {
      const by = otherWith(stock, pet);
      if (by === undefined || (given.get(by) ?? pet.sku) !== pet.sku) return [];
      return [{ index, by }];
    })
    .slice(0, mostRefusalsReported);
}

function setNames(stock: Stock, pets: readonly NamedPet[]): void {
  const { names, skus } = stock.catalog;
  const changed = pets.map(({ petId, name, sku }) => {
    const old = namesOf(stock, petId);
    return { petId, old: old.sku, name: name ?? old.name, sku: sku ?? old.sku };
  });
  for (const { old } of changed) skus.delete(old);
  for (const { petId, name, sku } of changed) {
    if (sku !== "") skus.set(sku, petId);
    if (name === "" && sku === "") names.delete(petId);
    else names.set(petId, { name, sku });
  }
}

/** The most pets that share a version of the catalogue. */
const petsInChange = 100;

/** Gives the catalogue its next version, as in catalog.lua. */
function endChange(stock: Stock): void {
  const { catalog } = stock;
  const next = nextVersion(stock);
  catalog.version = catalog.version < next ? next : catalog.version + 1n;
}
