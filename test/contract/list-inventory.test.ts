import { expect, test } from "vitest";
import { describeApi, stock } from "./support.ts";

const line = "GET /v1/inventory";

describeApi(`${line} in $name`, (contract) => {
  test("200 with all pets in ascending order of petId, with exact integers", async () => {
    const reply = await contract.send(line);
    expect(reply.status).toBe(200);
    expect(reply.headers["content-type"]).toBe("application/json");
    expect(reply.body).toBe(
      '[{"petId":1,"quantity":12,"status":"available"},' +
        '{"petId":2,"quantity":0,"status":"sold"},' +
        '{"petId":9007199254740993,"quantity":7,"status":"pending"}]',
    );
  });

  test("200 with an empty array when there are no pets", async () => {
    for (const { petId } of stock) {
      await contract.server.stores.catalog.remove(petId);
    }
    expect(await contract.send(line)).toMatchObject({ status: 200, body: "[]" });
  });

  test("200 includes every acknowledged update", async () => {
    await contract.send("PATCH /v1/inventory/2", { body: '{"quantity":41}' });
    expect((await contract.send(line)).body).toContain('{"petId":2,"quantity":41,"status":"sold"}');
  });
});
