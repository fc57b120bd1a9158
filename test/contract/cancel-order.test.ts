import { Code, ConnectError } from "@connectrpc/connect";
import { beforeEach, describe, expect, it } from "vitest";
import { OrderStatus, StoreService } from "../../gen/store/v1/store_pb.ts";
import { scopes } from "../../src/access/scopes.ts";
import { placed } from "../support/stock.ts";
import { storeKinds } from "../support/stores.ts";
import { describeCommonCases } from "./common-cases.ts";
import { bearer, expectConnectError, expectError, ownAccount, useContract } from "./support.ts";

const method = "store.v1.StoreService/CancelOrder";

describe.each(storeKinds)("CancelOrder in $name", (kind) => {
  const contract = useContract(kind);
  const quantityOf = async (petId: bigint) =>
    (await contract.server.stores.inventory.get(petId))?.quantity;

  /** Orders 5 of the 12 of pet 1. */
  async function place(): Promise<bigint> {
    const { order } = await contract
      .client(StoreService, contract.own)
      .placeOrder({ petId: 1n, quantity: 5 });
    return order?.orderId ?? 0n;
  }

  const cancel = (orderId: bigint) =>
    contract.client(StoreService, contract.own).cancelOrder({ orderId });

  it("ok with the order; its quantity is back in stock", async () => {
    const orderId = await place();
    const { order } = await cancel(orderId);
    expect(order).toMatchObject({ orderId, petId: 1n, quantity: 5, status: OrderStatus.CANCELLED });
    expect(await quantityOf(1n)).toBe(12);
    expect((await contract.send("GET /v1/store/orders")).body).toBe(
      `[{"orderId":${orderId},"petId":1,"quantity":5,"status":"cancelled",` +
        '"placedAt":"2026-07-15T10:20:30.400Z"}]',
    );
  });

  it("ok for a cancelled order, without a change", async () => {
    const orderId = await place();
    const first = await cancel(orderId);
    expect(await cancel(orderId)).toEqual(first);
    expect(await quantityOf(1n)).toBe(12);
  });

  it("concurrent requests put the quantity back once", async () => {
    const orderId = await place();
    const calls = Array.from({ length: 10 }, () => cancel(orderId));
    const words = (await Promise.all(calls)).map(({ order }) => order?.status);
    expect(new Set(words)).toEqual(new Set([OrderStatus.CANCELLED]));
    expect(await quantityOf(1n)).toBe(12);
  });

  it("ok for an approved order", async () => {
    const orderId = await place();
    await contract.server.stores.orders.advance(ownAccount, orderId, OrderStatus.APPROVED);
    expect((await cancel(orderId)).order?.status).toBe(OrderStatus.CANCELLED);
    expect(await quantityOf(1n)).toBe(12);
  });

  it("ok for a removed pet, which is not added again", async () => {
    const orderId = await place();
    await contract.server.stores.inventory.remove(1n);
    expect((await cancel(orderId)).order?.status).toBe(OrderStatus.CANCELLED);
    expect(await quantityOf(1n)).toBeUndefined();
  });

  it("failed_precondition for a delivered order", async () => {
    const orderId = await place();
    await contract.server.stores.orders.advance(ownAccount, orderId, OrderStatus.DELIVERED);
    const error = await cancel(orderId).catch(ConnectError.from);
    expect(error).toMatchObject({
      code: Code.FailedPrecondition,
      rawMessage: expect.stringContaining("delivered"),
    });
    expect(await quantityOf(1n)).toBe(7);
  });

  it("failed_precondition when the stock would exceed the largest quantity", async () => {
    const orderId = await place();
    await contract.send("PATCH /v1/inventory/1", { body: '{"quantity":2147483643}' });
    const error = await cancel(orderId).catch(ConnectError.from);
    expect(error).toMatchObject({ code: Code.FailedPrecondition });
    expect(await quantityOf(1n)).toBe(2_147_483_643);
    await contract.send("PATCH /v1/inventory/1", { body: '{"quantity":2147483642}' });
    expect((await cancel(orderId)).order?.status).toBe(OrderStatus.CANCELLED);
    expect(await quantityOf(1n)).toBe(2_147_483_647);
  });

  it("not_found for an unknown order", async () => {
    const reply = await contract.call(method, { orderId: "987654" });
    expect(reply.status).toBe(404);
    expectConnectError(reply, "not_found", "987654");
  });

  it("not_found for an order of another account", async () => {
    const stranger = await contract.newAccount("bbbbbbbbbbbb", { plan: "free" });
    const orderId = await place();
    const authorization = bearer(stranger);
    const reply = await contract.call(method, { orderId: String(orderId) }, { authorization });
    expectConnectError(reply, "not_found", String(orderId));
    expect(await quantityOf(1n)).toBe(7);
  });

  it.each([
    {},
    { orderId: "0" },
    { orderId: "-1" },
    { orderId: "9223372036854775808" },
    { orderId: "1.5" },
    { orderId: "one" },
  ])("invalid_argument names the order_id when the request is %j", async (message) => {
    const reply = await contract.call(method, message);
    expect(reply.status).toBe(400);
    expectConnectError(reply, "invalid_argument", "order_id");
  });

  it("permission_denied when the key lacks only the scope store:write", async () => {
    const orderId = await place();
    const key = await contract.newKey({
      scopes: scopes.filter((each) => each !== "store:write" && each !== "admin"),
    });
    const authorization = bearer(key);
    const reply = await contract.call(method, { orderId: String(orderId) }, { authorization });
    expect(reply.status).toBe(403);
    expectConnectError(reply, "permission_denied", "store:write");
    expect(await quantityOf(1n)).toBe(7);
  });

  it("unauthenticated when no key was sent", async () => {
    const reply = await contract.call(method, { orderId: "1" }, { authorization: null });
    expect(reply.status).toBe(401);
    expectConnectError(reply, "unauthenticated");
  });
});

describe.each(storeKinds)("POST /v1/store/orders/{orderId}:cancel in $name", (kind) => {
  const contract = useContract(kind);
  const quantityOf = async (petId: bigint) =>
    (await contract.server.stores.inventory.get(petId))?.quantity;
  let orderId = 0n;
  const target = () => `/v1/store/orders/${orderId}:cancel`;
  const cancel = (parts = {}, query = "") => contract.send(`POST ${target()}${query}`, parts);

  beforeEach(async () => {
    ({ orderId } = await placed(contract.server.stores.orders, ownAccount, 1n, 5));
  });

  it.each([
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
          '"placedAt":"2026-07-15T10:20:30.400Z"}',
      );
      expect(await quantityOf(1n)).toBe(12);
    }
  });

  it.each([
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
    expect(await quantityOf(1n)).toBe(7);
  });

  it("400 when a query parameter is not known", async () => {
    expectError(await cancel({}, "?force=true"), 400, "invalid_argument", "force");
  });

  it.each(["0", "01", "-1", "one", "1.5", "9223372036854775808"])(
    "400 names the orderId when it is %s",
    async (id) => {
      const reply = await contract.send(`POST /v1/store/orders/${id}:cancel`);
      expectError(reply, 400, "invalid_argument", "orderId");
    },
  );

  it("404 for an unknown order, and for one of another account", async () => {
    const unknown = await contract.send("POST /v1/store/orders/987654:cancel");
    expectError(unknown, 404, "not_found", "987654");
    const stranger = await contract.newAccount("bbbbbbbbbbbb", { plan: "free" });
    const other = await cancel({ authorization: bearer(stranger) });
    expectError(other, 404, "not_found", String(orderId));
    expect(await quantityOf(1n)).toBe(7);
  });

  it("409 for a delivered order", async () => {
    await contract.server.stores.orders.advance(ownAccount, orderId, OrderStatus.DELIVERED);
    const reply = await cancel();
    expectError(reply, 409, "failed_precondition", "delivered");
    expect(reply.headers["x-error-reason"]).toBe("ORDER_STATUS");
    expect(await quantityOf(1n)).toBe(7);
  });

  it("409 when the stock would exceed the largest quantity", async () => {
    await contract.send("PATCH /v1/inventory/1", { body: '{"quantity":2147483643}' });
    const reply = await cancel();
    expectError(reply, 409, "failed_precondition", "2147483647");
    expect(reply.headers["x-error-reason"]).toBe("STOCK_TOO_LARGE");
  });

  describeCommonCases(contract, {
    line: "POST /v1/store/orders/{orderId}:cancel",
    target,
    scope: "store:write",
    allow: ["OPTIONS", "POST"],
    refused: ["GET", "HEAD", "PUT", "PATCH", "DELETE"],
    nowhere: ["/v1/store/orders:cancel", "/v1/store/orders/1/cancel"],
  });
});
