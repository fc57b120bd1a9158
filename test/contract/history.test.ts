import { expect, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { itemsFrom } from "../support/stock.ts";
import { nthVersion } from "../support/stores.ts";
import { describeApi, nextLine, ownAccount, type Reply } from "./support.ts";

const all = "GET /v1/inventory/changes";
const ofOne = "GET /v1/inventory/1/changes";

interface Change {
  readonly version: number;
  readonly petId: number;
}

function changesOf({ body }: Reply): Change[] {
  return JSON.parse(body).changes;
}

describeApi("the history in $name", (contract) => {
  const adjust = (petId: number, more: object = {}, headers = {}) =>
    contract.send(`POST /v1/inventory/${petId}:adjust`, {
      headers,
      body: JSON.stringify({ delta: 1, ...more }),
    });

  test("200 with all fields of a change", async () => {
    contract.server.clock.now += 1_250;
    const why = { reason: "return", note: "“as new”", reference: "RMA 7" };
    const headers = { "x-request-id": "till-3:0042" };
    const changed = await adjust(2, why, headers);
    expect(changed.headers["x-request-id"]).toBe("till-3:0042");
    const reply = await contract.send("GET /v1/inventory/2/changes");
    expect(reply.status).toBe(200);
    expect(JSON.parse(reply.body)).toEqual({
      changes: [
        {
          version: Number(nthVersion(1)) + 1_250_000,
          petId: 2,
          quantityBefore: 0,
          quantityAfter: 1,
          status: "sold",
          changedAt: "2026-07-15T10:20:31.650Z",
          ...why,
          accountId: ownAccount,
          keyId: contract.own.keyId,
          requestId: "till-3:0042",
        },
        expect.objectContaining({ version: Number(nthVersion(2)), petId: 2, quantityAfter: 0 }),
      ],
      nextPageToken: "",
    });
  });

  test.each([
    ["PATCH /v1/inventory/1?reason=arrival&note=by+van&reference=7", '{"quantity":5}', "arrival"],
    ["PATCH /v1/inventory/1?note=by%20van&reference=7", '{"quantity":5}', "adjustment"],
  ])("PATCH takes the reason from the query: %s", async (line, body, reason) => {
    await contract.send(line, { body });
    const [change] = changesOf(await contract.send(`${ofOne}?pageSize=1`));
    expect(change).toMatchObject({ reason, note: "by van", reference: "7" });
  });

  test("changes by orders have the order id and the account", async () => {
    const method = "store.v1.StoreService/PlaceOrder";
    const { order } = JSON.parse((await contract.call(method, { petId: 1, quantity: 2 })).body);
    await contract.call("store.v1.StoreService/CancelOrder", { orderId: order.orderId });
    const why = { reason: "order", reference: order.orderId, accountId: ownAccount };
    expect(changesOf(await contract.send(`${ofOne}?pageSize=2`))).toMatchObject([
      { quantityBefore: 10, quantityAfter: 12, ...why },
      { quantityBefore: 12, quantityAfter: 10, ...why },
    ]);
  });

  test("has the id that replaced an invalid one", async () => {
    const reply = await adjust(1, {}, { "x-request-id": "a b" });
    const [change] = changesOf(await contract.send(`${ofOne}?pageSize=1`));
    expect(change).toMatchObject({ requestId: reply.headers["x-request-id"] });
  });

  test("the links lead through all changes of one pet, newest first", async () => {
    for (let times = 0; times < 5; times++) {
      await adjust(1);
      await adjust(2);
    }
    for (const [line, versions] of [
      [`${all}?pageSize=6`, [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]],
      [`${ofOne}?pageSize=2`, [12, 10, 8, 6, 4, 1]],
    ] as const) {
      const versionsRead: number[] = [];
      for (let at: string | undefined = line; at !== undefined; ) {
        const reply: Reply = await contract.send(at);
        versionsRead.push(...changesOf(reply).map(({ version }) => version));
        at = nextLine(reply);
      }
      expect(versionsRead).toEqual(versions.map((n) => Number(nthVersion(n))));
    }
  });

  test("a page has 100 changes by default", async () => {
    const items = itemsFrom(1_000n, 150, 1, PetStatus.SOLD);
    await contract.server.stores.catalog.put(items);
    expect(changesOf(await contract.send(all))).toHaveLength(100);
  });
});
