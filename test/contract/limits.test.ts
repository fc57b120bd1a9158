import { describe, expect, test } from "vitest";
import { storeKinds } from "../support/stores.ts";
import {
  bearer,
  expectError,
  expectLimits,
  freeAfter,
  type Limits,
  limitFieldsOf,
  type Parts,
  unknownPet,
  useContract,
} from "./support.ts";

const list = "GET /v1/inventory";
const json = { "content-type": "application/json" };
const listMethod = "inventory.v1.InventoryService/ListInventory";
const updateMethod = "inventory.v1.InventoryService/UpdateInventory";

/** The default limits of an address without a valid key, after its first request. */
const firstAnonymous: Limits = {
  limit: 600,
  remaining: 599,
  reset: "2026-07-15T10:21:31Z",
  minute: [600, 599, 61],
  day: [10_000, 9_999, 24 * 3600 + 9 * 60 + 30],
};

/** The first request of an account, for each status of the response. */
const rows: readonly (readonly [number, string, Parts?])[] = [
  [200, list],
  [200, "HEAD /v1/inventory"],
  [200, "PATCH /v1/inventory/1", { body: '{"quantity":5}' }],
  [200, "GET /v1/store/orders"],
  [204, "OPTIONS /v1/inventory"],
  [400, "PATCH /v1/inventory/1", { body: "{}" }],
  [400, "PATCH /v1/inventory/zero", { body: '{"quantity":5}' }],
  [400, "GET /v1/inventory?limit=1"],
  [404, `PATCH /v1/inventory/${unknownPet}`, { body: '{"quantity":5}' }],
  [404, "GET /v1/nothing"],
  [404, "GET /nothing"],
  [405, "DELETE /v1/inventory"],
  [413, "PATCH /v1/inventory/1", { body: " ".repeat(65_537) }],
  [413, "PATCH /v1/inventory/1", { body: " ".repeat(65_537), chunked: true }],
  [415, "PATCH /v1/inventory/1", { body: "x", headers: { "content-type": "text/plain" } }],
  [200, `POST /${listMethod}`, { body: "{}", headers: json }],
  [200, `GET /${listMethod}?connect=v1&encoding=json&message=%7B%7D`],
  [400, `POST /${updateMethod}`, { body: '{"petId":"1"}', headers: json }],
  [400, `POST /${updateMethod}`, { body: "[", headers: json }],
  [404, `POST /${updateMethod}`, { body: '{"petId":"9","update":{"quantity":1}}', headers: json }],
  [405, `PUT /${updateMethod}`, { body: "{}", headers: json }],
  [415, `POST /${updateMethod}`, { body: "{}", headers: { "content-type": "text/plain" } }],
];
const firstRequests = rows.map(([status, line, parts]) => ({ status, line, parts }));

describe.each(storeKinds)("limit headers in $name", (kind) => {
  const contract = useContract(kind, { PETS_SUNSET: "2001-02-03" });
  const { send, spend } = contract;

  test.each(firstRequests)("$status to $line (%#)", async ({ status, line, parts }) => {
    const reply = await send(line, parts);
    expect(reply.status).toBe(status);
    expectLimits(reply, freeAfter(1));
  });

  test.each(firstRequests)(
    "401 in place of $status to $line, by the caller's address (%#)",
    async ({ line, parts }) => {
      const reply = await send(line, { ...parts, authorization: null });
      expect(reply.status).toBe(401);
      expectLimits(reply, firstAnonymous);
    },
  );

  test.each(firstRequests)("429 in place of $status to $line (%#)", async ({ line, parts }) => {
    await spend(60);
    const reply = await send(line, parts);
    expect(reply.status).toBe(429);
    expect(reply.headers["retry-after"]).toBe("61");
    expectLimits(reply, freeAfter(60));
  });

  test("403 and 410 count as the second and third request", async () => {
    const key = await contract.newKey({ scopes: ["store:read"] });
    await spend(1);
    const forbidden = await send(list, { authorization: bearer(key) });
    expect(forbidden.status).toBe(403);
    expectLimits(forbidden, freeAfter(2));
    const gone = await send("GET /v1/pets/1");
    expect(gone.status).toBe(410);
    expectLimits(gone, freeAfter(3));
  });

  test.each(["GET /livez", "GET /readyz"])(
    "%s has no limit headers and is not counted",
    async (line) => {
      const reply = await send(line, { authorization: null });
      expect(reply.status).toBe(200);
      expect(limitFieldsOf(reply)).toEqual({});
      await send(line);
      expectLimits(await send(list), freeAfter(1));
    },
  );

  test("the minute window has the time until it has more requests", async () => {
    await send(list);
    contract.server.clock.now += 2_000;
    // 10:20:32.4. The first request leaves at 10:21:31, in 58.6 s; the second at 10:21:33.
    const reply = await send(list);
    expectLimits(reply, {
      limit: 60,
      remaining: 58,
      reset: "2026-07-15T10:21:33Z",
      minute: [60, 58, 59],
      day: [1000, 998, 24 * 3600 + 9 * 60 + 28],
    });
  });

  describe("of the window with the fewest requests left", () => {
    test("429 for the day, if both limits are reached", async () => {
      await contract.limitTo(5, 5);
      await spend(5);
      const reply = await send(list);
      expectError(reply, 429, "resource_exhausted");
      // Until the 16th at 10:30.
      expect(reply.headers["retry-after"]).toBe(String(24 * 3600 + 9 * 60 + 30));
      expectLimits(reply, {
        limit: 5,
        remaining: 0,
        reset: "2026-07-16T10:30:00Z",
        minute: [5, 0, 61],
        day: [5, 0, 24 * 3600 + 9 * 60 + 30],
      });
    });

    test("429 during a ban, after the minute is free again", async () => {
      await spend(60);
      contract.server.clock.now += 20_000;
      await spend(61);
      contract.server.clock.now += 50_000;
      // 10:21:40.4: banned until 10:21:50.4; what was counted in 10:20:30 left at 10:21:31.
      const reply = await send(list);
      expectError(reply, 429, "resource_exhausted", "banned");
      expect(reply.headers["retry-after"]).toBe("10");
      expectLimits(reply, {
        limit: 60,
        remaining: 60,
        reset: "2026-07-15T10:21:41Z",
        minute: [60, 60, 0],
        day: [1000, 940, 24 * 3600 + 8 * 60 + 20],
      });
    });
  });
});
