import { expect, test } from "vitest";
import { BadRequestSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { bearer, describeApi, expectError } from "./support.ts";
import { askAll } from "./unary-protocols.ts";

const update = "inventory.v1.InventoryService/UpdateInventory";
const quantities = "between 0 and 2147483647";
const ids = "between 1 and 9223372036854775807";

describeApi("bounds in messages in $name", (contract) => {
  test("a quantity below its bound fails on every protocol", async () => {
    const ask = { petId: 1n, update: { quantity: -1 } };
    const outcomes = await askAll(contract, bearer(contract.own), ask);
    for (const [name, { code, message }] of outcomes) {
      expect
        .soft([code, message], name)
        .toEqual([
          "invalid_argument",
          expect.stringMatching(new RegExp(`quantity: must be ${quantities}$`)),
        ]);
    }
  });

  test("a petId below its bound fails on every protocol", async () => {
    const ask = { petId: 0n, update: { quantity: 1 } };
    const outcomes = await askAll(contract, bearer(contract.own), ask);
    for (const [name, { message }] of outcomes) {
      expect.soft(message, name).toMatch(new RegExp(`(petId|pet_id): must be ${ids}$`));
    }
  });

  test.each([
    ["update.quantity", quantities, { petId: 1, update: { quantity: 2_147_483_648 } }],
    ["update.quantity", quantities, { petId: 1, update: { quantity: "1.5" } }],
    ["update.quantity", quantities, { petId: 1, update: { quantity: true } }],
    ["pet_id", ids, { petId: "9223372036854775808", update: { quantity: 1 } }],
    ["pet_id", ids, { petId: "x", update: { quantity: 1 } }],
  ])("%s out of the range of its type in JSON on RPC: %s", async (field, range, message) => {
    const reply = await contract.call(update, message);
    const { code, message: text, details } = JSON.parse(reply.body);
    expect(code).toBe("invalid_argument");
    expect(text).toBe(`${field}: must be an integer ${range}`);
    const { debug } = details.find(
      ({ type }: { type: string }) => type === BadRequestSchema.typeName,
    );
    expect(debug?.fieldViolations ?? []).toEqual([
      { field, description: `must be an integer ${range}` },
    ]);
  });

  test.each([
    [`quantity: must be a JSON integer ${quantities}`, "/1", '{"quantity":2147483648}'],
    [`quantity: must be a JSON integer ${quantities}`, "/1", '{"quantity":1.5}'],
    [`petId: must be an integer ${ids}`, "/9223372036854775808", '{"quantity":1}'],
    [`petId: must be ${ids}`, "/0", '{"quantity":1}'],
    [
      `expectedQuantity: must be an integer ${quantities}`,
      "/1?expectedQuantity=2147483648",
      '{"quantity":1}',
    ],
  ])("%s over HTTP", async (message, target, body) => {
    const reply = await contract.send(`PATCH /v1/inventory${target}`, { body });
    expectError(reply, 400, "invalid_argument", message);
  });

  test.each(["pageSize=0", "pageSize=1001", "pageSize=x", "pageSize=99999999999"])(
    "a page size out of bounds in the query: %s",
    async (query) => {
      const reply = await contract.send(`GET /v1/inventory?${query}`);
      expectError(reply, 400, "invalid_argument", "between 1 and 1000");
    },
  );

  test.each(["/v1/inventory/changes", "/v1/inventory/1/changes", "/v1/store/holds"])(
    "a page of more than 200 entries of %s",
    async (path) => {
      expect((await contract.send(`GET ${path}?pageSize=200`)).status).toBe(200);
      const reply = await contract.send(`GET ${path}?pageSize=201`);
      expectError(reply, 400, "invalid_argument", "pageSize: must be between 1 and 200");
    },
  );
});
