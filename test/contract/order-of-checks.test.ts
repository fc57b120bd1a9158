import { expect, test } from "vitest";
import {
  bearer,
  type Contract,
  describeApi,
  expectError,
  type Parts,
  type Reply,
  unknownPet,
} from "./support.ts";

const text = { "content-type": "text/plain" };
const tooLarge = " ".repeat(65_537);
const five = '{"quantity":5}';

/** Valid and invalid callers. Each function returns the Authorization header of a request. */
const callers = {
  valid: async ({ own }: Contract) => bearer(own),
  absent: async () => null,
  unknown: async () => "Bearer nonsense",
  revoked: async ({ own, server }: Contract) => {
    await server.stores.accounts.revokeKey(own.keyId);
    return bearer(own);
  },
  /** The limit of its account is reached, too. */
  revokedAndLimited: async ({ own, server, spend }: Contract) => {
    await spend(60);
    await server.stores.accounts.revokeKey(own.keyId);
    return bearer(own);
  },
  revokedWhileBanned: async ({ own, server, spend }: Contract) => {
    await spend(121);
    await server.stores.accounts.revokeKey(own.keyId);
    return bearer(own);
  },
  limited: async ({ own, spend }: Contract) => {
    await spend(60);
    return bearer(own);
  },
  banned: async ({ own, spend }: Contract) => {
    await spend(121);
    return bearer(own);
  },
  /** Has no scope that an operation over HTTP needs. */
  unscoped: async ({ newKey }: Contract) => bearer(await newKey({ scopes: ["inventory:audit"] })),
  unscopedAndLimited: async ({ newKey, spend }: Contract) => {
    await spend(60);
    return bearer(await newKey({ scopes: ["inventory:audit"] }));
  },
} as const;

const codes = {
  400: "invalid_argument",
  401: "unauthenticated",
  403: "permission_denied",
  404: "not_found",
  405: "method_not_allowed",
  413: "payload_too_large",
  415: "unsupported_media_type",
  429: "resource_exhausted",
} as const;

type Row = readonly [keyof typeof codes, keyof typeof callers, line: string, parts?: Parts];

/** Requests that break several rules at once. The error is that of the first check. */
const rows: readonly Row[] = [
  // The key is checked before the limits.
  [401, "revokedAndLimited", "GET /v1/inventory"],
  [401, "revokedWhileBanned", "GET /v1/inventory"],
  // The key is checked before the rest of the request.
  [401, "absent", "OPTIONS /v1/nothing"],
  [401, "absent", "PATCH /v1/inventory/%zz?x=%zz", { body: "{" }],
  [401, "absent", "GET /v1/pets/1"],
  [401, "unknown", "GET /v1/nothing"],
  [401, "unknown", "POST /v1/inventory", { headers: text, body: tooLarge }],
  [401, "revoked", "PATCH /v1/inventory/0", { body: "{}" }],
  // Then the limits.
  [429, "limited", "PATCH /v1/inventory/%zz?x=%zz", { body: "{" }],
  [429, "limited", "GET /v1/pets/1"],
  [429, "unscopedAndLimited", "GET /v1/inventory"],
  [429, "banned", "GET /v1/nothing"],
  [429, "banned", "POST /v1/inventory", { headers: text, body: tooLarge }],
  // Then the path.
  [404, "valid", "DELETE /v1/nothing", { headers: text, body: tooLarge }],
  [404, "unscoped", "POST /v1/nothing?x=%zz", { headers: text, body: "{" }],
  [404, "valid", "OPTIONS /v1/nothing"],
  // Then the method.
  [405, "unscoped", "DELETE /v1/inventory"],
  [405, "valid", "POST /v1/inventory", { headers: text, body: tooLarge }],
  [405, "unscoped", "PUT /v1/inventory/0?x=1", { headers: text, body: "{" }],
  [405, "valid", `PUT /v1/inventory/${unknownPet}`],
  [405, "valid", "POST /v1/pets/1"],
  // Then the scope, before anything of the body.
  [403, "unscoped", "PATCH /v1/inventory/1", { headers: text, body: "x" }],
  [403, "unscoped", "PATCH /v1/inventory/1", { body: tooLarge }],
  [403, "unscoped", "PATCH /v1/inventory/1", { body: tooLarge, chunked: true }],
  [403, "unscoped", "PATCH /v1/inventory/zero?x=1", { body: "{" }],
  [403, "unscoped", `PATCH /v1/inventory/${unknownPet}`, { body: five }],
  [403, "unscoped", "GET /v1/inventory?x=1", { body: "{}" }],
  // Then the media type.
  [415, "valid", "PATCH /v1/inventory/1", { headers: text, body: tooLarge }],
  [415, "valid", "PATCH /v1/inventory/zero?x=1", { headers: text, body: "{" }],
  [415, "valid", `PATCH /v1/inventory/${unknownPet}`, { headers: text, body: five }],
  // Then the size.
  [413, "valid", "PATCH /v1/inventory/zero?x=1", { body: tooLarge }],
  [413, "valid", `PATCH /v1/inventory/${unknownPet}`, { body: tooLarge, chunked: true }],
  // Then the fields of the request, and last whether the pet exists.
  [400, "valid", `PATCH /v1/inventory/${unknownPet}`, { body: "{}" }],
  [400, "valid", `PATCH /v1/inventory/${unknownPet}?x=1`, { body: five }],
  [400, "valid", `GET /v1/pets/${unknownPet}?x=1`],
  [404, "valid", `PATCH /v1/inventory/${unknownPet}`, { body: five }],
];

const cases = rows.map(([status, caller, line, parts = {}]) => {
  return [status, codes[status], caller, line, parts] as const;
});

describeApi("order of checks in $name", (contract) => {
  test.each(cases)("%i %s: %s, %s (%#)", async (...row) => {
    const [status, code, caller, line, parts] = row;
    const authorization = await callers[caller](contract);
    expectError(await contract.send(line, { ...parts, authorization }), status, code);
  });
});

describeApi("order of checks on RPC in $name", (contract) => {
  const update = "inventory.v1.InventoryService/UpdateInventory";
  const wrong = { petId: "0", update: { quantity: -1 } };

  test.each([
    ["unauthenticated", "absent", wrong],
    ["unauthenticated", "revokedAndLimited", wrong],
    ["resource_exhausted", "unscopedAndLimited", wrong],
    ["resource_exhausted", "banned", wrong],
    ["permission_denied", "unscoped", wrong],
    ["permission_denied", "unscoped", { petId: String(unknownPet), update: { quantity: 5 } }],
    ["invalid_argument", "valid", { petId: String(unknownPet), update: {} }],
    ["not_found", "valid", { petId: String(unknownPet), update: { quantity: 5 } }],
  ] as const)("%s: %s, %j", async (code, caller, message) => {
    const authorization = await callers[caller](contract);
    const reply = await contract.call(update, message, { authorization });
    expect(JSON.parse(reply.body)).toMatchObject({ code });
  });

  test.each([
    ["unauthenticated", "absent"],
    ["resource_exhausted", "limited"],
  ] as const)(
    "%s: %s, and the message is too large, or no message at all",
    async (code, caller) => {
      const authorization = await callers[caller](contract);
      const headers = { "content-type": "application/json" };
      const replies: Reply[] = [];
      for (const body of [tooLarge, "{", "\0"]) {
        replies.push(await contract.send(`POST /${update}`, { authorization, headers, body }));
      }
      expect(replies.map(({ body }) => JSON.parse(body).code)).toEqual([code, code, code]);
    },
  );
});
