import type { Protocol } from "./clients.ts";
import {
  type ImportMessage,
  type Item,
  type Operation,
  type Order,
  type Outcome,
  pets,
  type Update,
} from "./history.ts";
import type { Random } from "./random.ts";

/** The knowledge of a client about the stock, on which its operations are based. */
export interface Known {
  readonly items: Map<number, Item>;
  /** Orders of all clients, oldest first. */
  readonly orders: Order[];
  readonly holds: { latest: number };
  /** True if the stock has more than {@link pets}. */
  readonly hasOthers: boolean;
}

/** Clients cancel only this many of the latest orders, so that several cancel the same order concurrently. */
const recentOrders = 6;

/** Operations on holds. Holds do not expire in a history, because the checker has no clock. */
const holdOps = ["hold", "hold", "confirm", "release", "look"] as const;

/** Operations of all protocols. */
const common = [
  "list",
  "get",
  "set",
  "adjust",
  "adjust",
  "batch",
  "transfer",
  "count",
  ...holdOps,
] as const;

/** Chooses a random operation that a protocol supports. */
export function someOperation(random: Random, known: Known, protocol: Protocol): Operation {
  const pet = random.pick(pets);
  const choices =
    protocol === "rest" ? common : ([...common, "import", "place", "cancel"] as const);
  const op = random.pick(choices);
  switch (op) {
    case "list":
      return { op, pet: 0 };
    case "get":
      return { op, pet };
    case "set":
      return { op, ...someUpdate(random, pet), ...someConditions(random, known, pet) };
    case "batch":
      return { op, pet: 0, updates: someUpdates(random).map(sometimesConditional) };
    case "transfer":
      return { op, pet: 0, updates: someMoves(random).map(sometimesConditional) };
    case "count":
      return { op, pet: 0, updates: someUpdates(random).map(sometimesExpected) };
    case "hold":
    case "confirm":
    case "release":
    case "look":
      return {
        op,
        pet: 0,
        hold: someHold(random, known, op),
        ...(op === "hold" && someItems(random)),
      };
    case "import":
      return { op, pet: 0, messages: someMessages(random, known) };
    case "place":
      return { op, pet, quantity: random.between(1, 30) };
    case "cancel": {
      const [first, ...others] = known.orders.slice(-recentOrders);
      return first === undefined
        ? { op: "place", pet, quantity: 1 }
        : { op, ...random.pick([first, ...others]) };
    }
    case "adjust": {
      // More is taken than added, so that the stock is sometimes too small.
      const delta = random.oneIn(3) ? random.between(1, 50) : -random.between(1, 40);
      return { op, pet, delta, ...someConditions(random, known, pet) };
    }
  }

  /** The known quantity is what is on hand, if no units are held. */
  function sometimesExpected(update: Update): Update {
    const expectedQuantity = known.items.get(update.pet)?.quantity ?? 0;
    return { ...update, ...(random.oneIn(4) && { expectedQuantity }) };
  }

  function sometimesConditional(update: Update): Update {
    return { ...update, ...(random.oneIn(2) && someConditions(random, known, update.pet)) };
  }
}

export function note({ items, orders }: Known, { pet, updates }: Operation, outcome: Outcome) {
  switch (outcome.kind) {
    case "item":
      items.set(pet, outcome);
      break;
    case "version_mismatch":
      items.set(pet, { quantity: 0, version: outcome.version });
      break;
    case "items":
      for (const [index, item] of outcome.items.entries()) {
        items.set(updates?.[index]?.pet ?? 0, item);
      }
      break;
    case "placed":
      orders.push(outcome);
      break;
  }
}

function someUpdate(random: Random, pet: number): Update {
  return { pet, quantity: random.between(0, 99) };
}

/** A batch for two or three pets, in random order. */
function someUpdates(random: Random): readonly Update[] {
  const first = random.between(0, 2);
  const step = random.between(1, 2);
  return Array.from({ length: random.between(2, 3) }, (_, index) =>
    someUpdate(random, pets[(first + index * step) % pets.length] ?? pets[0]),
  );
}

/** Units that move from the first of two or three pets to the others. */
function someMoves(random: Random): readonly Update[] {
  const [from, ...to] = someUpdates(random).map(({ pet }) => ({
    pet,
    quantity: random.between(1, 20),
  }));
  const moved = to.reduce((sum, { quantity }) => sum + quantity, 0);
  return from ? [{ ...from, quantity: -moved }, ...to] : to;
}

function someConditions(random: Random, { items }: Known, pet: number) {
  const last = items.get(pet);
  switch (random.pick(["version", "quantity", "either", "either"])) {
    case "version":
      return { expectedVersion: last?.version ?? 1 };
    case "quantity":
      return { expectedQuantity: last?.quantity ?? 0 };
    default:
      return {};
  }
}

/** One of the latest holds, so that several clients use the same one concurrently; sometimes a new one. */
function someHold(random: Random, { holds }: Known, op: Operation["op"]): number {
  if (op === "hold" && random.oneIn(6)) holds.latest += 1;
  return Math.max(1, holds.latest - random.between(0, 2));
}

/** The items of a hold, in random order. */
function someItems(random: Random) {
  const first = random.between(0, 2);
  const step = random.between(1, 2);
  return {
    updates: Array.from({ length: random.between(1, 3) }, (_, index) => ({
      pet: pets[(first + index * step) % pets.length] ?? pets[0],
      quantity: random.between(1, 20),
    })),
  };
}

function someMessages(random: Random, { hasOthers }: Known): readonly ImportMessage[] {
  return Array.from({ length: random.between(1, 2) }, () => ({
    updates: someUpdates(random),
    ...(hasOthers && random.oneIn(5) && { others: random.between(1, 1_000_000) }),
  }));
}
