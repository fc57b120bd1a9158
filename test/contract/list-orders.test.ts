import { expect, test, vi } from "vitest";
import { placed } from "../support/stock.ts";
import { bearer, describeApi, expectError, nextLine, ownAccount, type Reply } from "./support.ts";

const line = "GET /v1/store/orders";

describeApi(`${line} in $name`, (contract) => {
  async function place(petId: bigint, quantity: number, reference?: string): Promise<bigint> {
    const { orders } = contract.server.stores;
    return (await placed(orders, ownAccount, petId, quantity, {}, reference)).orderId;
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
        '"placedAt":"2026-07-15T10:20:32Z","reference":""},' +
        `{"orderId":${first},"petId":1,"quantity":3,"status":"placed",` +
        '"placedAt":"2026-07-15T10:20:30.400Z","reference":""}]',
    );
  });

  test("200 with the newest 100 orders and a link to the next page", async () => {
    await contract.server.stores.inventory.change({ petId: 1n, quantity: 101 });
    const ids = await Promise.all(Array.from({ length: 101 }, () => place(1n, 1)));
    const first = await contract.send(line);
    expect(idsOf(first)).toEqual(
      ids
        .map(Number)
        .sort((a, b) => b - a)
        .slice(0, 100),
    );
    expect(idsOf(await contract.send(nextLine(first) ?? ""))).toHaveLength(1);
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

  test("200 with only the orders of a reference, in pages that belong to it", async () => {
    const ids: number[] = [];
    for (const reference of ["cart 7", "7", "", "cart 7", "art 7", "cart 7", "7"]) {
      ids.unshift(Number(await place(1n, 1, reference)));
    }
    const first = await contract.send(`${line}?pageSize=2&reference=cart%207`);
    expect(idsOf(first)).toEqual([ids[1], ids[3]]);
    const next = nextLine(first) ?? "";
    expect(idsOf(await contract.send(next))).toEqual([ids[6]]);
    for (const other of ["reference=7", ""]) {
      const reply = await contract.send(next.replace("reference=cart%207", other));
      expectError(reply, 400, "invalid_argument", "pageToken");
    }
  });

  test("a page of a reference ends after 1,000 orders, and is followed by others", async () => {
    const { orders } = contract.server.stores;
    const page = vi.spyOn(orders, "list");
    const first = await place(1n, 1, "cart 7");
    await place(1n, 1);
    const last = await orders.list({ accountId: ownAccount, limit: 1 });
    page.mockResolvedValueOnce({ ...last, next: last.orders[0]?.orderId });
    const empty = await contract.send(`${line}?pageSize=2&reference=cart%207`);
    expect(empty.body).toBe("[]");
    expect(page.mock.lastCall?.[0]).toEqual({ accountId: ownAccount, limit: 1_000 });
    page.mockRestore();
    expect(idsOf(await contract.send(nextLine(empty) ?? ""))).toEqual([Number(first)]);
  });

  test("200 with an order of a removed pet", async () => {
    const orderId = await place(1n, 3);
    await contract.server.stores.catalog.remove(1n);
    expect((await contract.send(line)).body).toContain(`{"orderId":${orderId},"petId":1,`);
  });
});

function idsOf({ body }: Reply): number[] {
  return [...body.matchAll(/"orderId":(\d+)/g)].map(([, id]) => Number(id));
}
