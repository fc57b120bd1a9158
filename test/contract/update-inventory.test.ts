import { describe, expect, test } from "vitest";
import { listed } from "../support/stock.ts";
import { storeKinds } from "../support/stores.ts";
import { describeApi, expectError, stock, useContract } from "./support.ts";

const path = "/v1/inventory/1";
const line = `PATCH ${path}`;
const five = '{"quantity":5}';

describeApi(`PATCH /v1/inventory/{petId} in $name`, (contract) => {
  describe("200", () => {
    test("200 with the pet; its status does not change", async () => {
      const reply = await contract.send("PATCH /v1/inventory/2", { body: five });
      expect(reply.status).toBe(200);
      expect(reply.headers["content-type"]).toBe("application/json");
      expect(reply.body).toBe('{"petId":2,"quantity":5,"status":"sold"}');
      expect(await contract.quantityOf(2n)).toBe(5);
    });

    test("200 for a petId above 2^53; the next petId does not change", async () => {
      const [, , { petId, status }] = stock as readonly [object, object, (typeof stock)[0]];
      await contract.server.stores.catalog.put([{ petId: petId - 1n, quantity: 1, status }]);
      const reply = await contract.send(`PATCH /v1/inventory/${petId}`, { body: five });
      expect(reply.body).toBe('{"petId":9007199254740993,"quantity":5,"status":"pending"}');
      expect(await contract.quantityOf(petId - 1n)).toBe(1);
    });
  });

  test("200 when the media type is empty", async () => {
    const reply = await contract.send(line, { body: five, headers: { "content-type": "" } });
    expect(reply.status).toBe(200);
  });

  test.each(["?quantity=5", "?update.quantity=5"])("400 when the query is %s", async (query) => {
    const reply = await contract.send(`${line}${query}`, { body: five });
    expectError(reply, 400, "invalid_argument", "quantity");
    expect(await contract.quantityOf(1n)).toBe(12);
  });

  test("404 for a removed pet", async () => {
    await contract.server.stores.catalog.remove(1n);
    expectError(await contract.send(line, { body: five }), 404, "not_found", "1");
    expect(await listed(contract.server.stores.inventory)).toHaveLength(stock.length - 1);
  });

  test.each([
    [65_536, 200],
    [65_537, 413],
  ])("a body of %i bytes: %i", async (length, status) => {
    expect((await contract.send(line, { body: five.padEnd(length) })).status).toBe(status);
  });
});

describe.each(storeKinds)("PATCH /v1/inventory/{petId} in $name, MAX_BODY_BYTES set", (kind) => {
  const contract = useContract(kind, { MAX_BODY_BYTES: "2000" });

  test.each([
    [2000, 200],
    [2001, 413],
  ])("%i bytes: %i", async (length, status) => {
    const reply = await contract.send(line, { body: five.padEnd(length) });
    expect(reply.status).toBe(status);
  });
});
