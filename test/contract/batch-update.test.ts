import { expect, test } from "vitest";
import { ChangeReason } from "../../gen/inventory/v1/inventory_pb.ts";
import { listed } from "../support/stock.ts";
import { nthVersion } from "../support/stores.ts";
import { bearer, describeApi, expectConnectError, expectError, stock } from "./support.ts";

const line = "POST /v1/inventory:batchUpdate";

/** The largest valid batch: every field has its maximum length. */
const largestBatch = (petIds: readonly bigint[], emoji = "\\ud83d\\udc22") => {
  const last = 9_223_372_036_854_775_807n;
  const updates = petIds.map((petId) => ({
    petId: JSON.rawJSON(`${petId}`),
    quantity: 2_147_483_647,
    expectedVersion: JSON.rawJSON(`${last}`),
    expectedQuantity: 2_147_483_647,
  }));
  const texts = `"reason":"adjustment","note":"${emoji.repeat(500)}","reference":"${emoji.repeat(100)}"`;
  return `{"updates":${JSON.stringify(updates)},${texts}}`;
};

describeApi("POST /v1/inventory:batchUpdate in $name", (contract) => {
  const batch = (updates: readonly object[], more: object = {}) =>
    contract.send(line, { body: JSON.stringify({ updates, ...more }) });

  test("accepts the largest batch on every protocol", async () => {
    const petIds = Array.from({ length: 1000 }, (_, at) => 9_223_372_036_854_775_807n - BigInt(at));
    await contract.server.stores.catalog.put(
      petIds.map((petId) => ({ petId, quantity: 1, status: 1 })),
    );
    const body = largestBatch(petIds);
    expect(body.length).toBeGreaterThan(120_000);
    const reply = await contract.send(line, { body });
    expectError(reply, 412, "aborted", "980 more");
    const rpc = "inventory.v1.InventoryService/BatchUpdateInventory";
    const message = JSON.parse(body.replaceAll(/\d{19}/g, '"$&"').replace('"adjustment"', "3"));
    const authorization = bearer(await contract.newAccount("bbbbbbbbbbbb", { plan: "pro" }));
    expectConnectError(await contract.call(rpc, message, { authorization }), "aborted");
  });

  test("200 with the pets and their versions, in the order of the updates", async () => {
    const reply = await batch(
      [
        { petId: 2, quantity: 20, expectedQuantity: 0 },
        { petId: 1, quantity: 10, expectedVersion: Number(nthVersion(1)) },
      ],
      { reason: "arrival", note: "Monday", reference: "PO-1" },
    );
    expect(reply.status).toBe(200);
    expect(reply.body).toBe(
      `{"items":[{"item":{"petId":2,"quantity":20,"status":"sold"},"version":${nthVersion(4)}},` +
        `{"item":{"petId":1,"quantity":10,"status":"available"},"version":${nthVersion(5)}}]}`,
    );
    const page = await contract.server.stores.inventory.changes({ limit: 2 });
    const why = { reason: ChangeReason.ARRIVAL, note: "Monday", reference: "PO-1" };
    expect(page?.changes).toMatchObject([why, why]);
  });

  test.each([
    [
      404,
      "not_found",
      [
        { petId: 404, quantity: 1 },
        { petId: 2, quantity: 1, expectedVersion: 9 },
      ],
    ],
    [
      412,
      "aborted",
      [
        { petId: 2, quantity: 1, expectedVersion: 9 },
        { petId: 404, quantity: 1 },
      ],
    ],
    [
      409,
      "aborted",
      [
        { petId: 2, quantity: 1, expectedQuantity: 9 },
        { petId: 404, quantity: 1 },
      ],
    ],
  ])(
    "%i is the status of the first update that fails; the error names all",
    async (status, code, rows) => {
      const reply = await batch([{ petId: 1, quantity: 1 }, ...rows]);
      expectError(reply, status, code, "updates[1].");
      expectError(reply, status, code, "updates[2].");
      expect(reply.body).not.toContain("updates[0]");
      expect(await listed(contract.server.stores.inventory)).toEqual(stock);
    },
  );

  test("400 names the first 20 invalid values and counts the others", async () => {
    const rows = Array.from({ length: 1_000 }, (_, at) => ({ petId: at + 1, quantity: -1 }));
    const reply = await batch(rows);
    expectError(reply, 400, "invalid_argument", "updates[19].quantity");
    expectError(reply, 400, "invalid_argument", "; updates: 980 more values are not valid");
    expect(reply.body).not.toContain("updates[20]");
  });
});
