import { expect, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { OrderStatus, StoreService } from "../../gen/store/v1/store_pb.ts";
import { describeApi, expectError, ownAccount, unknownPet } from "./support.ts";

const method = "store.v1.StoreService/PlaceOrder";

describeApi("PlaceOrder in $name", (contract) => {
  test("ok with the order; its quantity is taken out of stock", async () => {
    const store = contract.client(StoreService, contract.own);
    const { order } = await store.placeOrder({ petId: 1n, quantity: 5 });
    expect(order).toMatchObject({ petId: 1n, quantity: 5, status: OrderStatus.PLACED });
    expect(order?.placedAt).toMatchObject({
      seconds: BigInt(Date.UTC(2026, 6, 15, 10, 20, 30) / 1000),
      nanos: 400_000_000,
    });
    expect(await contract.server.stores.inventory.get(1n)).toMatchObject({
      quantity: 7,
      status: PetStatus.AVAILABLE,
    });
    expect((await contract.send("GET /v1/store/orders")).body).toBe(
      `[{"orderId":${order?.orderId},"petId":1,"quantity":5,"status":"placed",` +
        '"placedAt":"2026-07-15T10:20:30.400Z","reference":""}]',
    );
  });
});

describeApi("POST /v1/store/orders in $name", (contract) => {
  const line = "POST /v1/store/orders";
  const place = (body: string, headers = {}) => contract.send(line, { body, headers });

  test("200 with the bare order; its quantity is taken out of stock", async () => {
    const reply = await place(
      '{"petId":9007199254740993,"quantity":5,"reference":"Korb 7, ä\\n 5"}',
    );
    const [order] = (await contract.server.stores.orders.list({ accountId: ownAccount, limit: 2 }))
      .orders;
    expect(reply.status).toBe(200);
    expect(reply.body).toBe(
      `{"orderId":${order?.orderId},"petId":9007199254740993,"quantity":5,"status":"placed",` +
        '"placedAt":"2026-07-15T10:20:30.400Z","reference":"Korb 7, ä\\n 5"}',
    );
    expect(await contract.quantityOf(9_007_199_254_740_993n)).toBe(2);
  });

  test("200 places one order for each idempotency key, over HTTP and RPC", async () => {
    const headers = { "idempotency-key": "cart-1" };
    const first = await place('{"petId":1,"quantity":5}', headers);
    const again = await place('{"quantity":5,"petId":1}', headers);
    expect(again.body).toBe(first.body);
    expect(again.headers["idempotency-replayed"]).toBe("true");
    const overRpc = await contract.call(method, {
      petId: 1,
      quantity: 5,
      idempotencyKey: "cart-1",
    });
    expect(overRpc.headers["idempotency-replayed"]).toBe("true");
    expect(await contract.quantityOf(1n)).toBe(7);
    expectError(
      await place('{"petId":1,"quantity":6}', headers),
      422,
      "failed_precondition",
      "cart-1",
    );
  });

  test("409 with the current quantity when the stock is too small", async () => {
    const reply = await place('{"petId":1,"quantity":13}');
    expectError(reply, 409, "failed_precondition", "12", "STOCK_TOO_SMALL");
    expect(await contract.quantityOf(1n)).toBe(12);
  });

  test("404 for an unknown pet", async () => {
    const reply = await place(`{"petId":${unknownPet},"quantity":1}`);
    expectError(reply, 404, "not_found", String(unknownPet));
  });

  test.each([
    ["a query parameter is not known", `${line}?quantity=1`, {}, "quantity"],
    ["the reference is too long", line, {}, "reference", `"${"🐈".repeat(101)}"`],
    ["the idempotency key is not one", line, { "idempotency-key": "a b" }, "Idempotency-Key"],
  ])("400 when %s", async (_, at, headers, name, reference = '""') => {
    const body = `{"petId":1,"quantity":1,"reference":${reference}}`;
    const reply = await contract.send(at, { body, headers });
    expectError(reply, 400, "invalid_argument", name);
    expect(await contract.quantityOf(1n)).toBe(12);
  });
});
