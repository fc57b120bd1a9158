import { expect, test } from "vitest";
import { describeApi, expectError } from "./support.ts";

const line = "POST /v1/inventory/1:adjust";

describeApi("POST /v1/inventory/{petId}:adjust in $name", (contract) => {
  const adjust = (body: string) => contract.send(line, { body });

  test.each([
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

  test.each([
    ["-13", "12"],
    ["2147483636", "12"],
    ["-2147483648", "12"],
    ["2147483647", "12"],
  ])("409 with the current quantity when %s are added", async (delta, available) => {
    expectError(await adjust(`{"delta":${delta}}`), 409, "failed_precondition", available);
    expect(await contract.quantityOf(1n)).toBe(12);
  });
});
