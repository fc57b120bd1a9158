import { describe, expect, it } from "vitest";
import { storeKinds } from "../support/stores.ts";
import { describeCommonCases } from "./common-cases.ts";
import { expectError, unknownPet, useContract } from "./support.ts";

const line = "POST /v1/inventory/1:adjust";

describe.each(storeKinds)("POST /v1/inventory/{petId}:adjust in $name", (kind) => {
  const contract = useContract(kind);
  const adjust = (body: string, target = line) => contract.send(target, { body });
  const quantityOf = async (petId: bigint) =>
    (await contract.server.stores.inventory.get(petId))?.quantity;

  it.each([
    [3, 15],
    [-12, 0],
    [2_147_483_635, 2_147_483_647],
  ])("200 with the pet when %i are added", async (delta, quantity) => {
    const reply = await adjust(JSON.stringify({ delta }));
    expect(reply).toMatchObject({
      status: 200,
      body: `{"petId":1,"quantity":${quantity},"status":"available"}`,
    });
  });

  it.each([
    ["-13", "12"],
    ["2147483636", "12"],
    ["-2147483648", "12"],
    ["2147483647", "12"],
  ])("409 with the current quantity when %s are added", async (delta, available) => {
    expectError(await adjust(`{"delta":${delta}}`), 409, "failed_precondition", available);
    expect(await quantityOf(1n)).toBe(12);
  });

  it.each(["{}", '{"delta":0}', '{"delta":1.5}', '{"delta":"1"}', '{"delta":2147483648}', ""])(
    "400 names the delta when the body is %j",
    async (body) => {
      expectError(await adjust(body), 400, "invalid_argument", "delta");
    },
  );

  it.each([
    ["reason", '{"delta":1,"reason":"theft"}'],
    ["reason", '{"delta":1,"reason":"unspecified"}'],
    ["note", JSON.stringify({ delta: 1, note: "x".repeat(501) })],
    ["reference", JSON.stringify({ delta: 1, reference: "x".repeat(101) })],
    ["expectedQuantity", '{"delta":1,"expectedQuantity":-1}'],
    ["petId", '{"delta":1,"petId":2}'],
    ["quantity", '{"delta":1,"quantity":2}'],
  ])("400 names %s when it is invalid", async (name, body) => {
    expectError(await adjust(body), 400, "invalid_argument", name);
    expect(await quantityOf(1n)).toBe(12);
  });

  it("404 for an unknown pet", async () => {
    const reply = await adjust('{"delta":1}', `POST /v1/inventory/${unknownPet}:adjust`);
    expectError(reply, 404, "not_found", String(unknownPet));
  });

  describeCommonCases(contract, {
    line,
    parts: { body: '{"delta":1}' },
    scope: "inventory:write",
    allow: ["OPTIONS", "POST"],
    refused: ["GET", "HEAD", "PUT", "PATCH", "DELETE"],
    nowhere: ["/v1/inventory/1/:adjust", "/v1/inventory/1:adjust/", "/v1/inventory/:adjust/1"],
  });
});
