import { afterEach, describe, expect, test } from "vitest";
import { PetStatus } from "../../../../gen/inventory/v1/inventory_pb.ts";
import {
  names,
  namesOf,
  petFilter,
  petOfCode,
  petParts,
  petSubject,
  petText,
  unreadNames,
} from "../../src/console/pets/names.ts";
import { petsText } from "../../src/console/stock/changes/pets-text.ts";
import { filterItems, noFilter } from "../../src/console/stock/filter.ts";

const known = namesOf([
  { petId: 1n, name: "Guinea pig", sku: "SM-101" },
  { petId: 2n, name: "", sku: "31" },
  { petId: 3n, name: "Trex", sku: "RE-31" },
  { petId: 31n, name: "", sku: "" },
  { petId: 40n, name: "Rex", sku: "DO-401" },
  { petId: 41n, name: "Labrador puppy Rex", sku: "" },
]);

afterEach(() => names.set(unreadNames));

test.each([
  [1n, "Guinea pig", "SM-101 · pet 1"],
  [2n, "31", "pet 2"],
  [41n, "Labrador puppy Rex", "pet 41"],
  [31n, "31", ""],
])("pet %i is shown by its name, else its SKU, else its id", (petId, title, detail) => {
  expect(petParts(petId, known)).toEqual({ title, detail });
});

test("sentences have the name or SKU, and the id", () => {
  names.set(known);
  expect([1n, 2n, 31n].map(petText)).toEqual(["Guinea pig (pet 1)", "31 (pet 2)", "pet 31"]);
  expect([1n, 31n].map(petSubject)).toEqual(["Guinea pig (pet 1)", "Pet 31"]);
  expect(petsText([41n])).toBe("Labrador puppy Rex (pet 41)");
  expect(petsText([41n, 31n])).toBe("pets Labrador puppy Rex and 31");
});

describe("a code", () => {
  test.each([
    ["SM-101", 1n],
    ["31", 2n],
    ["40", 40n],
    ["77", 77n],
    ["sm-101", undefined],
    ["040", undefined],
    ["", undefined],
  ])("%j is the pet with this SKU, else the one with this id", (code, petId) => {
    expect(petOfCode(known, code)).toBe(petId);
  });
});

describe("a search", () => {
  const items = [1n, 2n, 3n, 31n, 40n, 41n].map((petId) => ({
    petId,
    quantity: 1,
    status: PetStatus.AVAILABLE,
  }));

  test.each([
    ["31", [2n, 31n, 3n]],
    ["rex", [40n, 41n, 3n]],
    ["REX", [40n, 41n, 3n]],
    ["do-401", [40n]],
    ["guinea pig", [1n]],
    ["pig", [1n]],
    ["-", [1n, 3n, 40n]],
    ["dog", []],
  ])(
    "for %j has exact SKUs first, then exact ids and names, beginnings of words, and others",
    (search, expected) => {
      const found = filterItems(items, { ...noFilter, search }, known);
      expect(found.map(({ petId }) => petId)).toEqual(expected);
    },
  );

  test.each([
    ["31", [2n]],
    ["3", [3n]],
    ["rex", [3n, 40n, 41n]],
    ["RE-31", [3n]],
    ["REX", [3n, 40n, 41n]],
    ["cat", []],
  ])(
    "for the changes of %j finds one pet by its code, else those that contain it",
    (text, expected) => {
      const ids = items.map(({ petId }) => petId);
      expect(ids.filter(petFilter(known, text))).toEqual(expected);
    },
  );
});
