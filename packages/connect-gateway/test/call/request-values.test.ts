import { createContextKey, createContextValues } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { requestKey, requestOf } from "../../src/call/request-info.ts";
import { RequestValues } from "../../src/call/request-values.ts";

const caller = createContextKey("nobody");
const plan = createContextKey<string | undefined>("free");
const role = createContextKey<string | undefined>(undefined);
const request = { ...requestKey.defaultValue, id: "r" };

describe.each([
  ["Connect", () => createContextValues().set(caller, "Ann")],
  ["a request", () => new RequestValues().set(caller, "Ann")],
])("the values of %s", (_, make) => {
  test("have defaults", () => {
    const values = make();
    expect([values.get(caller), values.get(plan)]).toEqual(["Ann", "free"]);
    expect(requestOf({ values }).id).toBe("");
    expect(requestOf({ values }).end(new Error())).toBeUndefined();
  });

  test("can be set and deleted, each by its key", () => {
    const values = make();
    expect(values.set(caller, "Ben").set(plan, undefined).set(requestKey, request)).toBe(values);
    expect([values.get(caller), values.get(plan)]).toEqual(["Ben", undefined]);
    expect(requestOf({ values })).toBe(request);
    values.delete(caller).delete(plan).delete(requestKey);
    expect([values.get(caller), values.get(plan)]).toEqual(["nobody", "free"]);
    expect(requestOf({ values }).id).toBe("");
  });

  test("keep what several keys have", () => {
    const values = make().set(plan, "pro").set(role, "till").set(caller, "Ben");
    values.delete(caller);
    expect([plan, role, caller].map((key) => values.get(key))).toEqual(["pro", "till", "nobody"]);
  });
});
