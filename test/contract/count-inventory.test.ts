import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { BadRequestSchema, ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { ChangeReason, InventoryService } from "../../gen/inventory/v1/inventory_pb.ts";
import { listed } from "../support/stock.ts";
import { nthVersion } from "../support/stores.ts";
import { bearer, describeApi, expectError, failure, ownAccount, stock } from "./support.ts";
import { codeWord, rpcTransports } from "./unary-protocols.ts";

const line = "POST /v1/inventory:count";
const largeId = "9007199254740993";

describeApi(`${line} in $name`, (contract) => {
  const count = (counts: readonly object[], more: object = {}, headers = {}) =>
    contract.send(line, { body: JSON.stringify({ counts, ...more }), headers });

  /** Holds units of pet 1. */
  async function hold(holdId: string, quantity: number, ttlMs = 60_000) {
    const items = [{ petId: 1n, quantity }];
    const outcome = await contract.server.stores.holds.put(ownAccount, holdId, { items, ttlMs });
    expect(outcome.kind).toBe("held");
  }
  const newest = async (limit: number) =>
    (await contract.server.stores.inventory.changes({ limit }))?.changes;
  const onHand = async () =>
    JSON.parse((await contract.send("GET /v1/inventory:levels?petIds=1")).body)[0].onHand;

  test("200: units that are on hold are not counted twice", async () => {
    await hold("cart-1", 4);
    const reply = await contract.send(line, {
      body: `{"counts":[{"petId":${largeId},"counted":9},{"petId":1,"counted":10,"expectedOnHand":12}],"note":"Annual count","reference":"C-1"}`,
    });
    expect(reply.status).toBe(200);
    expect(reply.body).toBe(
      `{"items":[{"item":{"petId":${largeId},"quantity":9,"status":"pending"},"version":${nthVersion(5)}},` +
        `{"item":{"petId":1,"quantity":6,"status":"available"},"version":${nthVersion(6)}}]}`,
    );
    expect(await onHand()).toBe(10);
    const why = { reason: ChangeReason.COUNT, note: "Annual count", reference: "C-1" };
    expect(await newest(2)).toMatchObject([
      { petId: 1n, quantityBefore: 8, quantityAfter: 6, accountId: ownAccount, ...why },
      { petId: BigInt(largeId), quantityBefore: 7, quantityAfter: 9, ...why },
    ]);
    await contract.server.stores.holds.release(ownAccount, "cart-1");
    expect((await contract.server.stores.inventory.get(1n))?.quantity).toBe(10);
  });

  test("200 where nothing changed, with a change in the history", async () => {
    expect((await count([{ petId: 1, counted: 12 }])).status).toBe(200);
    expect(await newest(1)).toMatchObject([
      { petId: 1n, quantityBefore: 12, quantityAfter: 12, reason: ChangeReason.COUNT },
    ]);
  });

  test("200: due holds end in the same step", async () => {
    await hold("due", 4, 1_000);
    await hold("active", 3);
    contract.server.clock.now += 1_000;
    expect((await count([{ petId: 1, counted: 5, expectedOnHand: 12 }])).status).toBe(200);
    expect(await newest(2)).toMatchObject([
      { quantityBefore: 9, quantityAfter: 2, reason: ChangeReason.COUNT },
      { quantityBefore: 5, quantityAfter: 9, reason: ChangeReason.HOLD_ENDED, reference: "due" },
    ]);
    expect(await onHand()).toBe(5);
  });

  test("200 for 1,000 counts, which are 50 requests; a repetition changes nothing", async () => {
    const ids = Array.from({ length: 1_000 }, (_, index) => 10_001 + index);
    const { catalog, inventory } = contract.server.stores;
    await catalog.put(ids.map((id) => ({ petId: BigInt(id), quantity: 1, status: 1 })));
    const key = await contract.newAccount("bbbbbbbbbbbb", { plan: "pro" });
    const parts = {
      body: JSON.stringify({ counts: ids.map((petId) => ({ petId, counted: petId })) }),
      authorization: bearer(key),
      headers: { "idempotency-key": "count-17" },
    };
    const first = await contract.send(line, parts);
    expect(first.status).toBe(200);
    expect(first.headers["x-ratelimit-remaining"]).toBe("250");
    const { items } = await inventory.page(10_000n, 1_000);
    expect(items.every(({ petId, quantity }) => quantity === Number(petId))).toBe(true);
    await inventory.change({ petId: 10_001n, delta: 5 });
    const again = await contract.send(line, parts);
    expect(again.body).toBe(first.body);
    expect(again.headers["idempotency-replayed"]).toBe("true");
    expect((await inventory.get(10_001n))?.quantity).toBe(10_006);
  });

  test.each([
    [409, "failed_precondition", "COUNT_BELOW_HELD", "counted", { counted: 3 }, "4 units are held"],
    [
      412,
      "aborted",
      "QUANTITY_MISMATCH",
      "expectedOnHand",
      { counted: 3, expectedOnHand: 8 },
      "12 units are on hand",
    ],
    [404, "not_found", "PET_NOT_FOUND", "petId", { petId: 404, counted: 1 }, "no such pet"],
  ])("%i %s %s, and nothing is changed", async (status, code, reason, name, row, text) => {
    await hold("cart-1", 4);
    const before = await listed(contract.server.stores.inventory);
    const reply = await count([
      { petId: 2, counted: 5 },
      { petId: 1, ...row },
    ]);
    expectError(reply, status, code, `counts[1].${name}: `);
    expectError(reply, status, code, text, reason);
    expect(await listed(contract.server.stores.inventory)).toEqual(before);
  });

  test("409 names the first 20 pets with too few counted units, and their held units", async () => {
    const { catalog, holds } = contract.server.stores;
    const ids = Array.from({ length: 30 }, (_, at) => 10_000 + at);
    await catalog.put(ids.map((id) => ({ petId: BigInt(id), quantity: 50, status: 1 })));
    const items = ids.map((id, at) => ({ petId: BigInt(id), quantity: at + 1 }));
    await holds.put(ownAccount, "cart-1", { items, ttlMs: 60_000 });
    const reply = await count(ids.map((petId) => ({ petId, counted: 0 })));
    expectError(reply, 409, "failed_precondition", "counts[0].counted: 1 units are held");
    expectError(reply, 409, "failed_precondition", "counts[19].counted: 20 units are held");
    expectError(reply, 409, "failed_precondition", "; counts: 10 more counts fail");
    expect(reply.body).not.toContain("counts[20]");
  });

  test("a strict account needs an idempotency key and no condition", async () => {
    await contract.server.stores.accounts.update(ownAccount, { policy: "strict" });
    const refused = await count([{ petId: 1, counted: 5 }]);
    expectError(refused, 428, "failed_precondition", "Idempotency-Key: is required");
    expect(refused.headers["x-error-reason"]).toBe("IDEMPOTENCY_KEY_REQUIRED");
    const keyed = await count([{ petId: 1, counted: 5 }], {}, { "idempotency-key": "count-1" });
    expect(keyed.status).toBe(200);
  });

  test.each([
    ['{"counts":[]}', "counts: is required"],
    ['{"counts":[{"petId":1}]}', "counts[0].counted: is required"],
    [
      '{"counts":[{"petId":1,"counted":-1}]}',
      "counts[0].counted: must be between 0 and 2147483647",
    ],
    ['{"counts":[{"petId":1,"counted":1},{"petId":1,"counted":1}]}', "counts[1].petId: "],
    ['{"counts":[{"petId":1,"counted":1}],"reason":"count"}', "reason: "],
  ])("400 for %s", async (body, message) => {
    expectError(await contract.send(line, { body }), 400, "invalid_argument", message);
    expect(await listed(contract.server.stores.inventory)).toEqual(stock);
  });

  test("400 for If-Match, because many pets have no version together", async () => {
    const reply = await count([{ petId: 1, counted: 5 }], {}, { "if-match": '"1"' });
    expectError(reply, 400, "invalid_argument", "If-Match");
  });

  test("every RPC protocol records a count, and names the row that fails", async () => {
    await hold("cart-1", 4);
    const headers = { authorization: bearer(contract.own) };
    for (const [name, makeTransport] of Object.entries(rpcTransports)) {
      const client = createClient(InventoryService, makeTransport(contract.server.url));
      const { items } = await client.countInventory(
        { counts: [{ petId: 1n, counted: 11 }] },
        { headers },
      );
      expect([name, items[0]?.item?.quantity]).toEqual([name, 7]);
      const counts = [
        { petId: 1n, counted: 3, expectedOnHand: 12 },
        { petId: 1n + 1n, counted: 3, expectedOnHand: 0 },
      ];
      const error = await failure(client.countInventory({ counts }, { headers }));
      expect([name, codeWord(error.code)]).toEqual([name, "aborted"]);
      expect(error.findDetails(ErrorInfoSchema)[0]?.reason).toBe("QUANTITY_MISMATCH");
      const [{ fieldViolations } = { fieldViolations: [] }] = error.findDetails(BadRequestSchema);
      expect(fieldViolations.map(({ field }) => field)).toEqual(["counts[0].expected_on_hand"]);
    }
  });
});
