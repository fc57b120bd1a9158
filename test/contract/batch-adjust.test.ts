import { expect, test } from "vitest";
import { BadRequestSchema, ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { ChangeReason, InventoryService } from "../../gen/inventory/v1/inventory_pb.ts";
import { listed } from "../support/stock.ts";
import { nthVersion } from "../support/stores.ts";
import { describeApi, expectError, failure, stock } from "./support.ts";

const line = "POST /v1/inventory:batchAdjust";
const largeId = "9007199254740993";

describeApi("POST /v1/inventory:batchAdjust in $name", (contract) => {
  const sendBody = (body: string, headers = {}) => contract.send(line, { body, headers });
  const batch = (adjustments: readonly object[], more: object = {}, headers = {}) =>
    sendBody(JSON.stringify({ adjustments, ...more }), headers);
  const unchanged = async () =>
    expect(await listed(contract.server.stores.inventory)).toEqual(stock);

  test("200 with the pets and their versions, in the order of the adjustments", async () => {
    const reply = await sendBody(
      `{"adjustments":[{"petId":${largeId},"delta":-7,"expectedQuantity":7},` +
        `{"petId":1,"delta":2147483635,"expectedVersion":${nthVersion(1)}}],` +
        '"reason":"arrival","note":"Monday","reference":"PO-1"}',
    );
    expect(reply.status).toBe(200);
    expect(reply.body).toBe(
      `{"items":[{"item":{"petId":${largeId},"quantity":0,"status":"pending"},"version":${nthVersion(4)}},` +
        `{"item":{"petId":1,"quantity":2147483647,"status":"available"},"version":${nthVersion(5)}}]}`,
    );
    const page = await contract.server.stores.inventory.changes({ limit: 3 });
    const why = { reason: ChangeReason.ARRIVAL, note: "Monday", reference: "PO-1" };
    expect(page?.changes).toMatchObject([
      { petId: 1n, quantityBefore: 12, quantityAfter: 2_147_483_647, ...why },
      { petId: BigInt(largeId), quantityBefore: 7, quantityAfter: 0, ...why },
      { quantityBefore: undefined },
    ]);
  });

  test("200 for 1,000 adjustments, which count as 50 requests; a repetition changes nothing", async () => {
    const ids = Array.from({ length: 1_000 }, (_, index) => 10_001 + index);
    const { catalog, inventory } = contract.server.stores;
    await catalog.put(ids.map((id) => ({ petId: BigInt(id), quantity: 1, status: 1 })));
    const key = await contract.newAccount("bbbbbbbbbbbb", { plan: "pro" });
    const body = JSON.stringify({ adjustments: ids.map((petId) => ({ petId, delta: petId })) });
    const parts = {
      body,
      authorization: `Bearer ${key.secret}`,
      headers: { "idempotency-key": "delivery-17" },
    };
    const first = await contract.send(line, parts);
    expect(first.status).toBe(200);
    expect(first.headers["x-ratelimit-remaining"]).toBe("250");
    const { items } = await inventory.page(10_000n, 1_000);
    expect(items.every(({ petId, quantity }) => quantity === Number(petId) + 1)).toBe(true);
    const again = await contract.send(line, parts);
    expect(again.body).toBe(first.body);
    expect(again.headers["idempotency-replayed"]).toBe("true");
    expect((await inventory.page(10_000n, 1_000)).items).toEqual(items);
  });

  test.each([
    [409, "failed_precondition", "STOCK_TOO_SMALL", "delta", { delta: -13 }, "12"],
    [409, "failed_precondition", "STOCK_TOO_LARGE", "delta", { delta: 2_147_483_636 }, "12"],
    [404, "not_found", "PET_NOT_FOUND", "petId", { petId: 404, delta: 1 }, "no such pet"],
    [412, "aborted", "VERSION_MISMATCH", "expectedVersion", { delta: 1, expectedVersion: 9 }, ""],
    [
      409,
      "aborted",
      "QUANTITY_MISMATCH",
      "expectedQuantity",
      { delta: 1, expectedQuantity: 9 },
      "12",
    ],
  ])("%i %s %s names adjustments[1].%s and the other that fails", async (...row) => {
    const [status, code, reason, name, adjustment, text] = row;
    const large = `{"petId":${largeId},"delta":-7}`;
    const rest = [
      { petId: 1, ...adjustment },
      { petId: 2, delta: -1 },
    ].map((each) => JSON.stringify(each));
    const reply = await sendBody(`{"adjustments":[${[large, ...rest]}]}`);
    expectError(reply, status, code, `adjustments[1].${name}: `);
    expectError(reply, status, code, text);
    expectError(reply, status, code, "adjustments[2].delta: the quantity is 0");
    expect(reply.body).not.toContain("adjustments[0]");
    expect(reply.headers["x-error-reason"]).toBe(reason);
    await unchanged();
  });

  test("409 names the first 20 adjustments that fail and counts the others", async () => {
    const ids = Array.from({ length: 1_000 }, (_, at) => 10_000 + at);
    await contract.server.stores.catalog.put(
      ids.map((id) => ({ petId: BigInt(id), quantity: 5, status: 1 })),
    );
    const reply = await batch(ids.map((petId, at) => ({ petId, delta: at === 0 ? -5 : -6 })));
    expectError(reply, 409, "failed_precondition", "adjustments[1].delta");
    expectError(reply, 409, "failed_precondition", "adjustments[20].delta");
    expectError(reply, 409, "failed_precondition", "; adjustments: 979 more adjustments fail");
    expect(reply.body).not.toContain("adjustments[21]");
    expect(reply.body).not.toContain("adjustments[0]");
  });

  test("RPC errors name the adjustments in BadRequest", async () => {
    const client = contract.client(InventoryService, contract.own);
    const adjustments = [
      { petId: 1n, delta: -13 },
      { petId: 404n, delta: 1 },
    ];
    const error = await failure(client.batchAdjustInventory({ adjustments }));
    expect(error.findDetails(ErrorInfoSchema)[0]?.reason).toBe("STOCK_TOO_SMALL");
    const [{ fieldViolations } = { fieldViolations: [] }] = error.findDetails(BadRequestSchema);
    expect(fieldViolations.map(({ field }) => field)).toEqual([
      "adjustments[0].delta",
      "adjustments[1].pet_id",
    ]);
  });
});
