import { present } from "../../common/present.ts";
import {
  type AllChanged,
  type BatchRefused,
  batchRefused,
  type Changed,
  type CountedPet,
  type InventoryStore,
  type Item,
  maxQuantity,
  type QuantityChange,
  type VersionedItem,
} from "../inventory-store.ts";
import { listedItem } from "../item-message.ts";
import {
  type ChangeRequest,
  type CountRefusal,
  type Outcome,
  type Refusal,
  unknownOrigin,
} from "../stock-change.ts";
import { changesBefore, changesSince } from "./history.ts";
import { dueUnits, endDueHolds, heldUnits } from "./holds.ts";
import { decideOnce, type Stock, writeItems } from "./stock.ts";

export function createMemoryInventoryStore(stock: Stock): InventoryStore {
  const { items } = stock;

  function sorted(): Item[] {
    return [...items.values()]
      .sort((a, b) => (a.petId < b.petId ? -1 : 1))
      .map(({ petId, quantity, status }) => ({ petId, quantity, status }));
  }

  return {
    async list() {
      return { items: sorted().map(listedItem), version: stock.version };
    },
    prefetchList() {},

    async page(after = 0n, limit) {
      const rest = sorted().filter(({ petId }) => petId > after);
      return { items: rest.slice(0, limit), version: stock.version, more: rest.length > limit };
    },
    async levels({ petIds = [], after = 0n, limit }) {
      const isPage = petIds.length === 0;
      const some = isPage ? sorted() : petIds.flatMap((petId) => items.get(petId) ?? []);
      const rest = some.filter(({ petId }) => petId > after);
      const due = dueUnits(stock);
      const levels = rest.slice(0, isPage ? limit : undefined).map(({ petId, quantity }) => {
        const ended = due.get(petId) ?? 0;
        const held = heldUnits(stock, petId) - ended;
        return { petId, quantity: Math.min(quantity + ended, maxQuantity), held };
      });
      return { levels, more: rest.length > levels.length };
    },
    async get(petId) {
      return items.get(petId);
    },
    async change(change, request = {}) {
      const outcome = changeAll(stock, [change], request, changed);
      const { replayed } = outcome;
      switch (outcome.kind) {
        case "changed":
          return { kind: "changed", item: present(outcome.items[0], "the item"), replayed };
        case "refused":
          return { ...present(outcome.refusals[0], "the refusal").refusal, replayed };
        default:
          return outcome;
      }
    },
    async changeAll(changes: readonly QuantityChange[], request = {}) {
      return changeAll(stock, changes, request, changed);
    },
    async count(counts, request = {}) {
      return changeAll(stock, counts, request, countedItem);
    },
    async changes(query) {
      return changesBefore(stock, query);
    },
    async historyStart() {
      return stock.changes.start() ?? stock.version;
    },
    async changesSince(version, limit) {
      return changesSince(stock, version, limit);
    },
  };
}

/** Returns an item after its change, or why conditions or bounds do not allow it. */
function changed(stock: Stock, change: QuantityChange): Changed | Refusal {
  const { petId, expectedVersions, excludedVersions, expectedQuantity } = change;
  const item = stock.items.get(petId);
  if (!item) return { kind: "no_pet" };
  const { version, quantity } = item;
  const isAccepted = expectedVersions?.includes(version) ?? !excludedVersions?.includes(version);
  if (!isAccepted) return { kind: "version_mismatch", version, quantity };
  if ((expectedQuantity ?? quantity) !== quantity) {
    return { kind: "quantity_mismatch", version, quantity };
  }
  const after = "delta" in change ? quantity + change.delta : change.quantity;
  const held = heldUnits(stock, petId);
  if (after < 0) return { kind: "too_small", quantity };
  if (after > quantity && after + held > maxQuantity) return { kind: "too_large", quantity, held };
  return { kind: "changed", item: { ...item, quantity: after } };
}

/** Changes the quantities of several items, all or none. @param decideOn returns an item after its change, or a refusal */
function changeAll<T extends { readonly petId: bigint }, R extends Refusal | CountRefusal>(
  stock: Stock,
  changes: readonly T[],
  { origin = unknownOrigin, idempotency }: ChangeRequest,
  decideOn: (stock: Stock, change: T) => Changed | R,
): Outcome<AllChanged | BatchRefused<R>> {
  const decide = (): BatchRefused<R> | AllChanged => {
    const after: VersionedItem[] = [];
    const refusals: BatchRefused<R>["refusals"][number][] = [];
    for (const [index, change] of changes.entries()) {
      const decision = decideOn(stock, change);
      if (decision.kind === "changed") after.push(decision.item);
      else refusals.push({ index, refusal: decision });
    }
    const ended = refusals.filter(
      ({ index, refusal: { kind } }) =>
        (kind === "too_small" || kind === "too_large") && endDueHolds(stock, changes[index]?.petId),
    );
    // They can have units of pets that were fine before.
    if (ended.length > 0) return decide();
    if (refusals.length > 0) return batchRefused(refusals);
    const first = writeItems(stock, after, origin);
    const items = after.map((item, at) => ({ ...item, version: first + BigInt(at) }));
    return { kind: "changed", items };
  };
  return decideOnce(stock, { accountId: origin.accountId, idempotency }, decide);
}

/** Returns an item with the quantity that it and its held units are the counted units, after the due holds have ended. */
function countedItem(
  stock: Stock,
  { petId, counted, expectedOnHand }: CountedPet,
): Changed | CountRefusal {
  if (heldUnits(stock, petId) > 0) endDueHolds(stock, petId);
  const item = stock.items.get(petId);
  if (!item) return { kind: "no_pet" };
  const held = heldUnits(stock, petId);
  const onHand = item.quantity + held;
  if ((expectedOnHand ?? onHand) !== onHand) return { kind: "on_hand_mismatch", onHand };
  if (counted < held) return { kind: "below_held", held };
  return { kind: "changed", item: { ...item, quantity: counted - held } };
}
