import { describe, expect, test } from "vitest";
import { file_admin_v1_admin } from "../../../../gen/admin/v1/admin_pb.ts";
import { file_inventory_v1_inventory } from "../../../../gen/inventory/v1/inventory_pb.ts";
import { file_store_v1_store } from "../../../../gen/store/v1/store_pb.ts";
import { file_usage_v1_usage } from "../../../../gen/usage/v1/usage_pb.ts";
import { intents } from "../../src/reference/intents.ts";
import type { Call, Service } from "../../src/reference/model.ts";
import { searchMethods } from "../../src/reference/search-methods.ts";

const methods = [
  ["ListChanges", "/v1/changes", "Returns changes of the stock"],
  ["PlaceOrder", "/v1/store/orders", "Takes units out of stock"],
  ["GetStock", "/v1/items", "Returns all items"],
  ["Watch", "/v1/stock:watch", "Sends each change"],
] as const;

const responsesOf = (name: string) =>
  name === "PlaceOrder" ? [{ status: "409", reasons: ["STOCK_TOO_SMALL"] }] : [];

const services = [
  {
    name: "a.v1.A",
    methods: methods.map(([name, path, summary]) => ({
      name,
      calls: [{ path, summary, responses: responsesOf(name) } as unknown as Call],
    })),
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

  test("finds methods by what they are for, and by the codes of their errors", () => {
    expect(namesFor("buy")).toEqual(["PlaceOrder"]);
    expect(namesFor("409")).toEqual(["PlaceOrder"]);
    expect(namesFor("stock_too_small")).toEqual(["PlaceOrder"]);
    expect(namesFor("order 409")).toEqual(["PlaceOrder"]);
  });

  test("has intents of methods that exist", () => {
    const files = [
      file_inventory_v1_inventory,
      file_store_v1_store,
      file_usage_v1_usage,
      file_admin_v1_admin,
    ];
    const names = new Set(
      files.flatMap((file) =>
        file.services.flatMap(({ methods }) => methods.map(({ name }) => name)),
      ),
    );
    expect(Object.keys(intents).filter((name) => !names.has(name))).toEqual([]);
  });

  test("finds nothing for an empty text", () => {
    expect(namesFor("  ")).toEqual([]);
  });

  test("has the route of each method", () => {
    expect(searchMethods(services, "watch")[0]?.route).toBe("/a.v1.A/Watch");
  });
});
