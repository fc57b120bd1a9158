import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import {
  PetStatus,
  WatchInventoryResponseSchema,
} from "../../../../gen/inventory/v1/inventory_pb.ts";
import { present } from "../../../../src/common/present.ts";
import { unreadNames } from "../../src/console/pets/names.ts";
import { readKeyText } from "../../src/console/shared/key-text.ts";
import { retryDelayMs } from "../../src/console/shared/retry-delay.ts";
import {
  type Filter,
  filterItems,
  filterOf,
  filterQuery,
  noFilter,
} from "../../src/console/stock/filter.ts";
import { rowTop, rowWindow } from "../../src/console/stock/row-window.ts";
import { createSilenceLimit } from "../../src/console/stock/silence-limit.ts";
import { sortItems, sortOf, sortText } from "../../src/console/stock/sort.ts";
import { createStockModel } from "../../src/console/stock/stock-model.ts";
import { timeIncrements, timeLabels } from "../../src/console/stock/time-axis.ts";

const status = PetStatus.AVAILABLE;

type EventInit = NonNullable<MessageInitShape<typeof WatchInventoryResponseSchema>["event"]>;

/** A stock whose watch has begun, and a short way to apply events to it. */
function newModel() {
  const model = createStockModel();
  model.begin();
  const apply = (event: EventInit) =>
    model.apply(create(WatchInventoryResponseSchema, { event }).event, 0);
  const snapshot = (quantities: Record<number, number>, removed: readonly number[] = []) =>
    apply({
      case: "snapshot",
      value: {
        items: Object.entries(quantities).map(([petId, quantity]) => ({
          petId: BigInt(petId),
          quantity,
          status,
        })),
        removedPetIds: removed.map(BigInt),
      },
    });
  const ready = () => apply({ case: "ready", value: { version: 1n } });
  const change = (petId: number, quantityAfter?: number) =>
    apply({
      case: "change",
      value: {
        petId: BigInt(petId),
        ...(quantityAfter !== undefined && { quantityAfter, status }),
      },
    });
  const quantities = () =>
    model.items().map(({ petId, quantity }) => [Number(petId), quantity] as const);
  return { model, snapshot, ready, change, quantities };
}

describe("the stock of a watch", () => {
  test("has the parts of a snapshot once it is complete, in the order of ids", () => {
    const { snapshot, ready, quantities } = newModel();
    expect(snapshot({ 3: 30, 2: 20 })).toBe(false);
    expect(snapshot({ 1: 10 }, [3])).toBe(false);
    expect(quantities()).toEqual([]);
    expect(ready()).toBe(true);
    expect(quantities()).toEqual([
      [1, 10],
      [2, 20],
    ]);
  });

  test("follows changes, additions and removals", () => {
    const { snapshot, ready, change, quantities } = newModel();
    snapshot({ 1: 10, 2: 20 });
    ready();
    change(1, 11);
    change(3, 30);
    change(2);
    expect(quantities()).toEqual([
      [1, 11],
      [3, 30],
    ]);
  });

  test("keeps its items when a watch resumes, and replaces them when a new snapshot is complete", () => {
    const { model, snapshot, ready, change, quantities } = newModel();
    snapshot({ 1: 10, 2: 20 });
    ready();
    model.begin();
    change(1, 11);
    ready();
    expect(quantities()).toEqual([
      [1, 11],
      [2, 20],
    ]);
    model.begin();
    snapshot({ 5: 50 });
    expect(quantities()).toHaveLength(2);
    ready();
    expect(quantities()).toEqual([[5, 50]]);
  });

  test("has the changes between the parts of a snapshot", () => {
    const { snapshot, ready, change, quantities } = newModel();
    snapshot({ 1: 10, 2: 20 });
    change(1, 11);
    change(2);
    change(3, 30);
    snapshot({ 4: 40 });
    expect(quantities()).toEqual([]);
    ready();
    expect(quantities()).toEqual([
      [1, 11],
      [3, 30],
      [4, 40],
    ]);
  });

  test("drops the parts of a snapshot that did not become complete", () => {
    const { model, snapshot, ready, quantities } = newModel();
    snapshot({ 1: 10 });
    model.begin();
    snapshot({ 2: 20 });
    ready();
    expect(quantities()).toEqual([[2, 20]]);
  });

  test("returns the same list while nothing changes", () => {
    const { model, snapshot, ready, change } = newModel();
    snapshot({ 1: 10 });
    ready();
    const list = model.items();
    expect(model.items()).toBe(list);
    change(1, 11);
    expect(model.items()).not.toBe(list);
  });
});

describe("the filter", () => {
  const items = [
    { petId: 1n, quantity: 0, status },
    { petId: 12n, quantity: 5, status: PetStatus.SOLD },
    { petId: 20n, quantity: 9, status },
  ];
  const ids = (filter: Partial<Filter>, always?: bigint) =>
    filterItems(items, { ...noFilter, ...filter }, unreadNames, always).map(({ petId }) => petId);

  test.each([
    [{}, [1n, 12n, 20n]],
    [{ search: "1" }, [1n, 12n]],
    [{ search: " 20 " }, [20n]],
    [{ status: PetStatus.SOLD }, [12n]],
    [{ atLeast: "", atMost: "5" }, [1n, 12n]],
    [{ atLeast: "", atMost: "0" }, [1n]],
    [{ search: "2", atLeast: "", atMost: "8" }, [12n]],
    [{ search: "dog" }, []],
    [{ atLeast: "", atMost: "-1" }, []],
  ])("%j", (filter, expected) => {
    expect(ids(filter)).toEqual(expected);
  });

  test("keeps the pet that is being edited", () => {
    expect(ids({ search: "20" }, 1n)).toEqual([20n, 1n]);
    expect(ids({ search: "dog" }, 1n)).toEqual([1n]);
  });

  test("has the pet with the id first, then ids that begin with it, then ids that contain it", () => {
    const many = [1n, 2n, 12n, 20n, 21n, 102n, 200n].map((petId) => ({
      petId,
      quantity: 1,
      status,
    }));
    const found = filterItems(many, { ...noFilter, search: "2" }, unreadNames).map(
      ({ petId }) => petId,
    );
    expect(found).toEqual([2n, 20n, 21n, 200n, 12n, 102n]);
  });

  test("is the same after it was written to the query of the route", () => {
    const filter = { search: "12", status: PetStatus.SOLD, atLeast: "", atMost: "7" };
    expect(filterOf(new URLSearchParams(filterQuery(filter)))).toEqual(filter);
    expect(filterOf(new URLSearchParams("status=lost"))).toEqual(noFilter);
  });
});

describe("the order of the list", () => {
  const highest = 2_147_483_647;
  const items = [
    { petId: 1n, quantity: 5, status: PetStatus.SOLD },
    { petId: 2n, quantity: highest, status },
    { petId: 3n, quantity: 0, status: PetStatus.PENDING },
    { petId: 4n, quantity: 5, status },
  ];
  const ids = (text: string, open?: (typeof items)[number]) => {
    const sort = present(sortOf(new URLSearchParams({ sort: text })), "an order");
    expect(sortText(sort)).toBe(text);
    return sortItems(items, sort, open).map(({ petId }) => Number(petId));
  };

  test.each([
    ["id", [1, 2, 3, 4]],
    ["-id", [4, 3, 2, 1]],
    ["quantity", [3, 1, 4, 2]],
    ["-quantity", [2, 1, 4, 3]],
    ["status", [2, 4, 3, 1]],
    ["-status", [1, 3, 2, 4]],
  ])("is by %s, and by id for equal pets", (text, expected) => {
    expect(ids(text)).toEqual(expected);
  });

  test("leaves a pet that is being edited in its place", () => {
    expect(ids("quantity", { petId: 2n, quantity: 1, status })).toEqual([3, 2, 1, 4]);
  });

  test.each(["", "price", "quantity-"])("is not '%s'", (text) => {
    expect(sortOf(new URLSearchParams({ sort: text }))).toBeUndefined();
  });
});

describe("the rows near the visible part", () => {
  const heights = { row: 45, view: 900, extra: 0 };

  test("are few, whatever the length of the list", () => {
    const { first, end } = rowWindow(1_000_000, 500_000 * heights.row, heights);
    expect(first).toBeLessThan(500_000);
    expect(end).toBeGreaterThan(500_020);
    expect(end - first).toBeLessThan(50);
  });

  test("end with the list", () => {
    expect(rowWindow(3, 0, heights)).toEqual({ first: 0, end: 3 });
    expect(rowWindow(3, 9_000, heights)).toEqual({ first: 3, end: 3 });
  });

  test("below an open editor move down by its height", () => {
    const withEditor = { ...heights, extra: 200 };
    expect(rowTop(4, 4, withEditor)).toBe(4 * heights.row);
    expect(rowTop(5, 4, withEditor)).toBe(5 * heights.row + 200);
    expect(rowTop(5, -1, withEditor)).toBe(5 * heights.row);
  });
});

describe("the time before the next attempt", () => {
  test("doubles up to 8 s, and its random part is half of it", () => {
    expect([0, 1, 2, 10].map((count) => retryDelayMs({ count, isCounted: false }, 1))).toEqual([
      500, 1_000, 2_000, 8_000,
    ]);
    expect(retryDelayMs({ count: 1, isCounted: false }, 0)).toBe(500);
  });

  test("is never shorter than the server has asked for", () => {
    expect(retryDelayMs({ count: 0, isCounted: true, atLeastMs: 30_000 }, 0.5)).toBe(30_000);
  });

  test("leaves most of the limits of the smallest plan when each attempt counts", () => {
    let requests = 0;
    for (let ms = 0; ms < 86_400_000; requests += 1) {
      ms += retryDelayMs({ count: requests, isCounted: true }, 0.5);
    }
    // A free account has 1,000 requests per day.
    expect(requests).toBeLessThan(500);
  });
});

describe("the time without events after which a connection is lost", () => {
  test("is 40 s with heartbeats every 15 s", () => {
    const limit = createSilenceLimit();
    expect(limit.ms()).toBe(40_000);
    limit.heartbeat(15_000);
    limit.heartbeat(30_000);
    expect(limit.ms()).toBe(40_000);
  });

  test("becomes longer than the time between rare heartbeats, and short again with frequent ones", () => {
    const limit = createSilenceLimit();
    let reconnects = 0;
    for (; limit.ms() <= 300_000 && reconnects < 5; reconnects += 1) limit.passed();
    expect(reconnects).toBeLessThan(5);
    limit.begin();
    limit.heartbeat(0);
    limit.heartbeat(300_000);
    expect(limit.ms()).toBeGreaterThan(300_000);
    // The time without a connection is not the time between two heartbeats.
    limit.begin();
    limit.heartbeat(9_000_000);
    limit.heartbeat(9_015_000);
    expect(limit.ms()).toBe(40_000);
    limit.begin();
    limit.heartbeat(9_900_000);
    expect(limit.ms()).toBe(40_000);
  });
});

describe("the labels of a time axis", () => {
  const at = (text: string) => Date.parse(text) / 1_000;

  test("have 24 hours, the zone of the reader, and each day once", () => {
    const starts = ["2026-11-22T20:00Z", "2026-11-22T22:00Z", "2026-11-23T00:00Z"].map(at);
    expect(timeLabels(starts, 7_200, "Europe/Berlin")).toEqual([
      "21:00\n22 Nov 2026",
      "23:00",
      "01:00\n23 Nov 2026",
    ]);
  });

  test("have seconds when they are near each other, and only days when they are not", () => {
    const start = at("2026-11-22T21:44:05Z");
    expect(timeLabels([start], 5, "UTC")).toEqual(["21:44:05\n22 Nov 2026"]);
    expect(timeLabels([start], 86_400, "UTC")).toEqual(["22 Nov 2026"]);
    expect(Math.min(...timeIncrements)).toBe(1);
  });
});

describe("a pasted key", () => {
  const key = `inv_${"0123456789".repeat(4)}abcde`;

  test.each([
    key,
    ` ${key}\n`,
    `Bearer ${key}`,
    `bearer  ${key}`,
    `Authorization: Bearer ${key}`,
    `"${key}"`,
    `'Authorization: Bearer ${key}'`,
  ])("is read from %j", (text) => {
    expect(readKeyText(text)).toEqual({ key });
  });

  test.each([
    ["", "Paste an API key."],
    ["Bearer", "An API key begins with inv_."],
    ["0123456789ab", "That is the id of a key or account."],
    ["0123456789abcdefghij", "That is the id of a key or account."],
    [key.slice(1), "An API key begins with inv_."],
    [`${key}0`, "An API key has 49 characters; this text has 50."],
    [key.toUpperCase(), "An API key begins with inv_."],
  ])("is refused: %j", (text, fault) => {
    expect(readKeyText(text)).toEqual({ fault: expect.stringContaining(fault) });
  });
});
