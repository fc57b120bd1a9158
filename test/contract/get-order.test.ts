import { expect, test } from "vitest";
import { placed } from "../support/stock.ts";
import { bearer, describeApi, expectConnectError, expectError, ownAccount } from "./support.ts";

describeApi("GET /v1/store/orders/{orderId} in $name", (contract) => {
  async function place(petId: bigint, quantity: number): Promise<bigint> {
    return (await placed(contract.server.stores.orders, ownAccount, petId, quantity)).orderId;
  }

  test("200 with the order", async () => {
    await place(1n, 1);
    const orderId = await place(9_007_199_254_740_993n, 2);
    expect(await contract.send(`GET /v1/store/orders/${orderId}`)).toMatchObject({
      status: 200,
      body:
        `{"orderId":${orderId},"petId":9007199254740993,"quantity":2,"status":"placed",` +
        '"placedAt":"2026-07-15T10:20:30.400Z","reference":""}',
    });
  });

  test("200 with the status of a cancelled order", async () => {
    const orderId = await place(1n, 1);
    await contract.server.stores.orders.cancel(ownAccount, orderId);
    const { body } = await contract.send(`GET /v1/store/orders/${orderId}`);
    expect(body).toContain('"status":"cancelled"');
  });

  test("404 for an order of another account, the same as for an unknown one", async () => {
    const orderId = await place(1n, 1);
    const stranger = await contract.newAccount("bbbbbbbbbbbb", { plan: "free" });
    const reply = await contract.send(`GET /v1/store/orders/${orderId}`, {
      authorization: bearer(stranger),
    });
    expectError(reply, 404, "not_found", String(orderId));
  });

  test("RPC returns the same order, and not_found for an unknown one", async () => {
    const orderId = await place(1n, 1);
    const method = "store.v1.StoreService/GetOrder";
    const reply = await contract.call(method, { orderId: String(orderId) });
    expect(JSON.parse(reply.body)).toMatchObject({
      order: { orderId: String(orderId), status: "ORDER_STATUS_PLACED" },
    });
    expectConnectError(await contract.call(method, { orderId: "404" }), "not_found", "404");
  });
});
