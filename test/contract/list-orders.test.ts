import { describe, expect, it } from "vitest";
import { OrderStatus } from "../../gen/store/v1/store_pb.ts";
import { placed } from "../support/stock.ts";
import { storeKinds } from "../support/stores.ts";
import { describeBareCases, describeCommonCases } from "./common-cases.ts";
import { bearer, ownAccount, useContract } from "./support.ts";

const line = "GET /v1/store/orders";

describe.each(storeKinds)(`${line} in $name`, (kind) => {
  const contract = useContract(kind);

  /** Places an order of the test's own account, and tells its id. */
  async function place(petId: bigint, quantity: number): Promise<bigint> {
    return (await placed(contract.server.stores.orders, ownAccount, petId, quantity)).orderId;
  }

  it("200 with an empty array when there are no orders", async () => {
    const reply = await contract.send(line);
    expect(reply).toMatchObject({ status: 200, body: "[]" });
    expect(reply.headers["content-type"]).toBe("application/json");
  });

  it("200 with the orders, newest first", async () => {
    const { clock } = contract.server;
    const first = await place(1n, 3);
    clock.now += 1_600;
    const second = await place(9_007_199_254_740_993n, 1);
    expect(second > first).toBe(true);
    expect((await contract.send(line)).body).toBe(
      `[{"orderId":${second},"petId":9007199254740993,"quantity":1,"status":"placed",` +
        '"placedAt":"2026-07-15T10:20:32Z"},' +
        `{"orderId":${first},"petId":1,"quantity":3,"status":"placed",` +
        '"placedAt":"2026-07-15T10:20:30.400Z"}]',
    );
  });

  it("200 with each status as a word", async () => {
    const { orders } = contract.server.stores;
    await place(1n, 1);
    await orders.advance(ownAccount, await place(1n, 1), OrderStatus.APPROVED);
    await orders.advance(ownAccount, await place(1n, 1), OrderStatus.DELIVERED);
    await orders.cancel(ownAccount, await place(1n, 1));
    const { body } = await contract.send(line);
    const words = [...body.matchAll(/"status":"(\w+)"/g)].map(([, word]) => word);
    expect(words).toEqual(["cancelled", "delivered", "approved", "placed"]);
  });

  it("200 with all of many orders", async () => {
    await contract.server.stores.inventory.setQuantity(1n, 1_200);
    for (let batch = 0; batch < 12; batch++) {
      await Promise.all(Array.from({ length: 100 }, () => place(1n, 1)));
    }
    const { body } = await contract.send(line);
    const ids = [...body.matchAll(/"orderId":(\d+)/g)].map(([, id]) => Number(id));
    expect(ids).toHaveLength(1_200);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => b - a));
  });

  it("200 with the orders of the calling account alone, whichever its key", async () => {
    const stranger = await contract.newAccount("bbbbbbbbbbbb", { plan: "free" });
    const colleague = await contract.newKey();
    const orderId = await place(1n, 3);
    const strange = await contract.send(line, { authorization: bearer(stranger) });
    expect(strange).toMatchObject({ status: 200, body: "[]" });
    const { body } = await contract.send(line, { authorization: bearer(colleague) });
    expect(body).toContain(`"orderId":${orderId},`);
  });

  it("200 with the order of a pet that was removed", async () => {
    const orderId = await place(1n, 3);
    await contract.server.stores.inventory.remove(1n);
    expect((await contract.send(line)).body).toContain(`{"orderId":${orderId},"petId":1,`);
  });

  describeBareCases(contract, line);

  describeCommonCases(contract, {
    line,
    scope: "store:read",
    allow: ["GET", "HEAD", "OPTIONS"],
    refused: ["POST", "PUT", "PATCH", "DELETE"],
    nowhere: ["/v1/store/orders/", "/v1/store/orders/1", "/v1/store", "/v1/orders"],
  });
});
