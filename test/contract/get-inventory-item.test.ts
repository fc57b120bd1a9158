import { expect, test } from "vitest";
import { nthVersion } from "../support/stores.ts";
import { describeApi } from "./support.ts";

const line = "GET /v1/inventory/1";

describeApi("GET /v1/inventory/{petId} in $name", (contract) => {
  test("200 with the pet and its version as the entity tag", async () => {
    const reply = await contract.send("GET /v1/inventory/2");
    expect(reply).toMatchObject({ status: 200, body: '{"petId":2,"quantity":0,"status":"sold"}' });
    // One import wrote the stock of the test, so the second pet is the second change.
    expect(reply.headers.etag).toBe(`"${nthVersion(2)}"`);
  });

  test("304 until the pet changes, even if other pets change", async () => {
    const { headers } = await contract.send(line);
    const known = { headers: { "if-none-match": headers.etag } };
    await contract.send("PATCH /v1/inventory/2", { body: '{"quantity":1}' });
    expect(await contract.send(line, known)).toMatchObject({ status: 304, body: "" });
    await contract.send("PATCH /v1/inventory/1", { body: '{"quantity":1}' });
    const changed = await contract.send(line, known);
    expect(changed).toMatchObject({ status: 200, body: expect.stringContaining('"quantity":1') });
    expect(changed.headers.etag).not.toBe(headers.etag);
  });

  test("RPC responses have the version", async () => {
    const reply = await contract.call("inventory.v1.InventoryService/GetInventoryItem", {
      petId: 1,
    });
    expect(JSON.parse(reply.body)).toMatchObject({
      item: { petId: "1" },
      version: String(nthVersion(1)),
    });
  });
});
