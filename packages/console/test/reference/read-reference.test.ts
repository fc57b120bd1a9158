import { describe, expect, test } from "vitest";
import { describeRpc } from "../../../../packaging/generate/rpc-reference.ts";
import { documentText, operations } from "../../../../test/api-docs/support/document.ts";
import { readJson } from "../../src/reference/exact-json.ts";
import type { OpenApi } from "../../src/reference/openapi.ts";
import { createReference } from "../../src/reference/read-reference.ts";

const reference = createReference(readJson(documentText) as OpenApi, describeRpc());
const methods = reference.services.flatMap(({ methods }) => methods);

describe("createReference", () => {
  test("has every operation of the document as a call of its method", () => {
    const calls = methods.flatMap(({ calls }) => calls);
    const http = calls.filter(({ protocol }) => protocol === "http");
    expect(http).toHaveLength(operations.length);
    expect(calls.filter(({ protocol }) => protocol === "rpc")).toHaveLength(methods.length);
  });

  test("has the limit headers once, and not at the responses", () => {
    const names = reference.commonHeaders.map(({ name }) => name);
    expect(names).toEqual([
      "X-RateLimit-Limit",
      "X-RateLimit-Remaining",
      "X-RateLimit-Reset",
      "RateLimit-Policy",
      "RateLimit",
      "X-Request-Id",
    ]);
    const ofResponses = methods.flatMap(({ calls }) =>
      calls.flatMap(({ responses }) =>
        responses.flatMap(({ headers }) => headers.map(({ name }) => name)),
      ),
    );
    expect(ofResponses).toContain("Retry-After");
    expect(ofResponses.filter((name) => names.includes(name))).toEqual([]);
  });

  test("describes every header", () => {
    const ofResponses = methods.flatMap(({ calls }) =>
      calls.flatMap(({ responses }) => responses.flatMap(({ headers }) => headers)),
    );
    for (const { name, description } of [...reference.commonHeaders, ...ofResponses]) {
      expect(description, name).toMatch(/\w/);
    }
  });

  test("keeps all digits of bounds", () => {
    const get = methods.find(({ name }) => name === "GetInventoryItem")?.calls[0];
    expect(get?.parameters[0]).toMatchObject({
      name: "petId",
      bounds: "1 to 9223372036854775807",
      maximum: 9_223_372_036_854_775_807n,
    });
  });

  test("says why the page cannot call a method with a stream over RPC", () => {
    const reasons = methods.flatMap(({ name, calls }) =>
      calls.flatMap(({ notCallable }) => (notCallable ? [name] : [])),
    );
    expect(reasons).toEqual(["WatchInventory", "ImportPets"]);
  });
});
