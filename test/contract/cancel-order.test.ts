import { beforeEach, expect, test } from "vitest";
import { OrderStatus, StoreService } from "../../gen/store/v1/store_pb.ts";
import { placed } from "../support/stock.ts";
import { bearer, describeApi, expectError, ownAccount } from "./support.ts";

describeApi("CancelOrder in $name", (contract) => {
  /** Orders 5 of the 12 of pet 1. */
  async function place(): Promise<bigint> {
    const { order } = await contract
      .client(StoreService, contract.own)
      .placeOrder({ petId: 1n, quantity: 5 });
    return order?.orderId ?? 0n;
  }

  const cancel = (orderId: bigint) =>
    contract.client(StoreService, contract.own).cancelOrder({ orderId });

  test("ok with the order; its quantity is back in stock", async () => {
    const orderId = await place();
    const { order } = await cancel(orderId);
    expect(order).toMatchObject({ orderId, petId: 1n, quantity: 5, status: OrderStatus.CANCELLED });
    expect(await contract.quantityOf(1n)).toBe(12);
    expect((await contract.send("GET /v1/store/orders")).body).toBe(
      `[{"orderId":${orderId},"petId":1,"quantity":5,"status":"cancelled",` +
        '"placedAt":"2026-07-15T10:20:30.400Z","reference":""}]',
    );
  });

  test("ok for a cancelled order, without a change", async () => {
    const orderId = await place();
    const first = await cancel(orderId);
    expect(await cancel(orderId)).toEqual(first);
    expect(await contract.quantityOf(1n)).toBe(12);
  });

  test("ok for an approved order", async () => {
    const orderId = await place();
    await contract.server.stores.orders.advance(ownAccount, orderId, OrderStatus.APPROVED);
    expect((await cancel(orderId)).order?.status).toBe(OrderStatus.CANCELLED);
    expect(await contract.quantityOf(1n)).toBe(12);
  });
});

describeApi("POST /v1/store/orders/{orderId}:cancel in $name", (contract) => {
  let orderId = 0n;
  const target = () => `/v1/store/orders/${orderId}:cancel`;
  const cancel = (parts = {}, query = "") => contract.send(`POST ${target()}${query}`, parts);

  beforeEach(async () => {
    ({ orderId } = await placed(contract.server.stores.orders, ownAccount, 1n, 5));
  });

  test.each([
    ["absent", {}],
    ["{}", { body: "{}" }],
    ["{} with white space", { body: " {\n} ", headers: { "content-type": "application/json" } }],
    ["{} in chunks", { body: "{}", chunked: true }],
  ])("200 with the bare order when the body is %s, as often as it is sent", async (_, parts) => {
    for (let time = 0; time < 2; time += 1) {
      const reply = await cancel(parts);
      expect(reply.status).toBe(200);
      expect(reply.body).toBe(
        `{"orderId":${orderId},"petId":1,"quantity":5,"status":"cancelled",` +
          '"placedAt":"2026-07-15T10:20:30.400Z","reference":""}',
      );
      expect(await contract.quantityOf(1n)).toBe(12);
    }
  });

  test.each([
    ["orderId", () => `{"orderId":${orderId}}`],
    ["orderId", () => '{"orderId":null}'],
    ["status", () => '{"status":"cancelled"}'],
    ["request body", () => "[]"],
    ["request body", () => "null"],
    ["request body", () => '""'],
    ["request body", () => "{"],
    ["request body", () => "{}{}"],
    ["request body", () => " "],
  ])("400 names %s when the body is another one", async (name, body) => {
    expectError(await cancel({ body: body() }), 400, "invalid_argument", name);
    expect(await contract.quantityOf(1n)).toBe(7);
  });

  test("404 for an unknown order, and for one of another account", async () => {
    const unknown = await contract.send("POST /v1/store/orders/987654:cancel");
    expectError(unknown, 404, "not_found", "987654");
    const stranger = await contract.newAccount("bbbbbbbbbbbb", { plan: "free" });
    const other = await cancel({ authorization: bearer(stranger) });
    expectError(other, 404, "not_found", String(orderId));
    expect(await contract.quantityOf(1n)).toBe(7);
  });

  test("409 for a delivered order", async () => {
    await contract.server.stores.orders.advance(ownAccount, orderId, OrderStatus.DELIVERED);
    const reply = await cancel();
    expectError(reply, 409, "failed_precondition", "delivered", "ORDER_STATUS");
    expect(await contract.quantityOf(1n)).toBe(7);
  });

  test("409 when the stock would exceed the largest quantity", async () => {
    await contract.send("PATCH /v1/inventory/1", { body: '{"quantity":2147483643}' });
    const reply = await cancel();
    expectError(reply, 409, "failed_precondition", "2147483647", "STOCK_TOO_LARGE");
    await contract.send("PATCH /v1/inventory/1", { body: '{"quantity":2147483642}' });
    expect((await cancel()).status).toBe(200);
  });
});
