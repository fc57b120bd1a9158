import { describe, expect, test } from "vitest";
import { defaultScopes, scopeMask, scopes, scopesOf } from "../../src/access/scopes.ts";

describe("scopes", () => {
  test("keep their bits, so that stored masks stay valid", () => {
    const bits = Object.fromEntries(scopes.map((scope) => [scope, scopeMask([scope])]));
    expect(bits).toEqual({
      "inventory:read": 1,
      "inventory:write": 2,
      "store:read": 4,
      "store:write": 8,
      admin: 16,
      "inventory:audit": 32,
      "catalog:write": 64,
    });
  });

  test("are restored from their mask", () => {
    expect(scopesOf(scopeMask(["inventory:audit", "store:read"]))).toEqual([
      "store:read",
      "inventory:audit",
    ]);
  });

  test("by default are all but inventory:audit, catalog:write and admin", () => {
    expect(defaultScopes).toEqual([
      "inventory:read",
      "inventory:write",
      "store:read",
      "store:write",
    ]);
  });
});
