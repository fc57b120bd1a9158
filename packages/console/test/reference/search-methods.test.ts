import { describe, expect, test } from "vitest";
import type { Call, Service } from "../../src/reference/model.ts";
import { searchMethods } from "../../src/reference/search-methods.ts";

const methods = [
  ["ListChanges", "/v1/changes", "Returns changes of the stock"],
  ["PlaceOrder", "/v1/store/orders", "Takes units out of stock"],
  ["GetStock", "/v1/items", "Returns all items"],
  ["Watch", "/v1/stock:watch", "Sends each change"],
] as const;

const services = [
  {
    name: "a.v1.A",
    methods: methods.map(([name, path, summary]) => ({ name, calls: [{ path, summary } as Call] })),
  } as unknown as Service,
];

const namesFor = (text: string) => searchMethods(services, text).map(({ method }) => method.name);

describe("searchMethods", () => {
  test("lists matches in the name first, then in the path, then in the summary", () => {
    expect(namesFor("stock")).toEqual(["GetStock", "Watch", "ListChanges", "PlaceOrder"]);
  });

  test("needs every word, in any order and in any case", () => {
    expect(namesFor("ORDER place")).toEqual(["PlaceOrder"]);
    expect(namesFor("store units")).toEqual(["PlaceOrder"]);
    expect(namesFor("order changes")).toEqual([]);
  });

  test("finds nothing for an empty text", () => {
    expect(namesFor("  ")).toEqual([]);
  });

  test("has the route of each method", () => {
    expect(searchMethods(services, "watch")[0]?.route).toBe("/a.v1.A/Watch");
  });
});
