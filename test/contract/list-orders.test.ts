import { describe, expect, test } from "vitest";
import { OrderStatus } from "../../gen/store/v1/store_pb.ts";
import { placed } from "../support/stock.ts";
import { storeKinds } from "../support/stores.ts";
import { bearer, ownAccount, type Reply, useContract } from "./support.ts";

const line = "GET /v1/store/orders";

describe.each(storeKinds)(`${line} in $name`, (kind) => {
  const contract = useContract(kind);

  async function place(petId: bigint, quantity: number): Promise<bigint> {
    return (await placed(contract.server.stores.orders, ownAccount, petId, quantity)).orderId;
  }

  test("200 with an empty array when there are no orders", async () => {
    const reply = await contract.send(line);
    expect(reply).toMatchObject({ status: 200, body: "[]" });
    expect(reply.headers["content-type"]).toBe("application/json");
  });

  test("200 with the orders, newest first", async () => {
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

  test("200 with each status in lower case", async () => {
    const { orders } = contract.server.stores;
    await place(1n, 1);
    await orders.advance(ownAccount, await place(1n, 1), OrderStatus.APPROVED);
    await orders.advance(ownAccount, await place(1n, 1), OrderStatus.DELIVERED);
    await orders.cancel(ownAccount, await place(1n, 1));
    const { body } = await contract.send(line);
    const words = [...body.matchAll(/"status":"(\w+)"/g)].map(([, word]) => word);
    expect(words).toEqual(["cancelled", "delivered", "approved", "placed"]);
  });

  test("200 with the newest 100 orders and a link to the next page", async () => {
    await contract.server.stores.inventory.setQuantity(1n, 101);
    const ids = await Promise.all(Array.from({ length: 101 }, () => place(1n, 1)));
    const first = await contract.send(line);
    expect(idsOf(first)).toEqual(
      ids
        .map(Number)
        .sort((a, b) => b - a)
        .slice(0, 100),
    );
    expect(idsOf(await contract.send(`GET ${nextTarget(first)}`))).toHaveLength(1);
  });

  test("the Link header repeats the page size", async () => {
    const ids: number[] = [];
    for (let order = 0; order < 3; order++) ids.unshift(Number(await place(1n, 1)));
    const first = await contract.send(`${line}?pageSize=2`);
    expect(first.headers.link).toMatch(
      /^<\/v1\/store\/orders\?pageSize=2&pageToken=[\w-]+>; rel="next"$/,
    );
    const second = await contract.send(`GET ${nextTarget(first)}`);
    expect([...idsOf(first), ...idsOf(second)]).toEqual(ids);
    expect(second.headers).not.toHaveProperty("link");
  });

  test("pages on RPC have next_page_token", async () => {
    const ids: string[] = [];
    for (let order = 0; order < 3; order++) ids.unshift(String(await place(1n, 1)));
    const list = "store.v1.StoreService/ListOrders";
    const first = JSON.parse((await contract.call(list, { pageSize: 2 })).body);
    expect(first).toMatchObject({ orders: [{ orderId: ids[0] }, { orderId: ids[1] }] });
    const { nextPageToken: pageToken } = first;
    const second = JSON.parse((await contract.call(list, { pageToken })).body);
    expect(second).toMatchObject({ orders: [{ orderId: ids[2] }] });
    expect(second).not.toHaveProperty("nextPageToken");
  });

  test("200 with only the orders of the calling account, for any of its keys", async () => {
    const stranger = await contract.newAccount("bbbbbbbbbbbb", { plan: "free" });
    const colleague = await contract.newKey();
    const orderId = await place(1n, 3);
    const strange = await contract.send(line, { authorization: bearer(stranger) });
    expect(strange).toMatchObject({ status: 200, body: "[]" });
    const { body } = await contract.send(line, { authorization: bearer(colleague) });
    expect(body).toContain(`"orderId":${orderId},`);
  });

  test("200 with an order of a removed pet", async () => {
    const orderId = await place(1n, 3);
    await contract.server.stores.inventory.remove(1n);
    expect((await contract.send(line)).body).toContain(`{"orderId":${orderId},"petId":1,`);
  });
});

function idsOf({ body }: Reply): number[] {
  return [...body.matchAll(/"orderId":(\d+)/g)].map(([, id]) => Number(id));
}

/** Returns the target of the link to the next page; undefined on the last page. */
function nextTarget({ headers }: Reply): string | undefined {
  return /^<(.*)>; rel="next"$/.exec(String(headers.link))?.[1];
}
