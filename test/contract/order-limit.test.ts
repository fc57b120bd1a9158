import { describe, expect, test } from "vitest";
import { dayMs } from "../../src/common/durations.ts";
import { storeKinds } from "../support/stores.ts";
import {
  expectConnectError,
  expectError,
  operator,
  ownAccount,
  type Reply,
  useContract,
} from "./support.ts";

const mostOpen = 2;

describe.each(storeKinds)("the limit of open orders in $name", (kind) => {
  const limits = { mostOpen, keptMs: undefined };
  const contract = useContract({ ...kind, use: () => kind.use(undefined, limits) });
  const json = { "content-type": "application/json" };
  const order = (headers = {}) =>
    contract.send("POST /v1/store/orders", {
      headers: { ...json, ...headers },
      body: '{"petId":1,"quantity":1}',
    });

  async function fill(): Promise<string> {
    const placed: Reply[] = [];
    for (let at = 0; at < mostOpen; at++) placed.push(await order());
    expect(placed.map(({ status }) => status)).toEqual([200, 200]);
    return String(JSON.parse(placed[0]?.body ?? "{}").orderId);
  }

  function expectRefused(reply: Reply): void {
    expectError(reply, 429, "resource_exhausted", "more than 2 open orders", "ORDER_LIMIT_REACHED");
    expect(reply.headers["retry-after"]).toBeUndefined();
  }

  test("429 without Retry-After for one order too many, until one is cancelled", async () => {
    const orderId = await fill();
    expectRefused(await order());
    expectRefused(await order({ "idempotency-key": "one" }));
    const cancelled = await contract.send(`POST /v1/store/orders/${orderId}:cancel`);
    expect(cancelled.status).toBe(200);
    expect((await order({ "idempotency-key": "one" })).status).toBe(200);
    expectRefused(await order());
  });

  test("RESOURCE_EXHAUSTED on RPC, without a time to retry", async () => {
    await fill();
    const reply = await contract.call("store.v1.StoreService/PlaceOrder", {
      petId: "1",
      quantity: 1,
    });
    expectConnectError(reply, "resource_exhausted", "more than 2 open orders");
    const { details } = JSON.parse(reply.body);
    const types = details.map(({ type }: { type: string }) => type);
    expect(types).toEqual(["google.rpc.ErrorInfo"]);
    expect(Buffer.from(details[0].value, "base64").toString()).toContain("ORDER_LIMIT_REACHED");
  });

  test("a confirmation that would place one order too many places none", async () => {
    await order();
    const items = [1, 9_007_199_254_740_993n].map((petId) => `{"petId":${petId},"quantity":1}`);
    const put = await contract.send("PUT /v1/store/holds/cart", {
      headers: json,
      body: `{"items":[${items.join()}]}`,
    });
    expect(put.status).toBe(200);
    expectRefused(await contract.send("POST /v1/store/holds/cart:confirm"));
    const hold = await contract.send("GET /v1/store/holds/cart");
    expect(JSON.parse(hold.body).state).toBe("active");
    expect(JSON.parse((await contract.send("GET /v1/store/orders")).body)).toHaveLength(1);
  });

  test("refusals count as requests, and never lead to a ban", async () => {
    await fill();
    const replies: Reply[] = [];
    for (let at = 0; at < 58; at++) replies.push(await order());
    for (const reply of replies) expectRefused(reply);
    contract.server.clock.now += 61_000;
    for (let at = 0; at < 60; at++) expectRefused(await order());
    contract.server.clock.now += 61_000;
    expect((await contract.send("GET /v1/store/orders")).status).toBe(200);
  });
});

describe.each(storeKinds)("a page token of an order that was removed in $name", (kind) => {
  const limits = { mostOpen, keptMs: dayMs };
  const contract = useContract({ ...kind, use: () => kind.use(undefined, limits) });

  test("shows the orders that follow", async () => {
    const { server } = contract;
    const { admin } = await operator(contract);
    const place = async () => {
      const body = '{"petId":1,"quantity":1}';
      const { orderId } = JSON.parse((await contract.send("POST /v1/store/orders", { body })).body);
      await contract.send(`POST /v1/store/orders/${orderId}:cancel`);
      server.clock.now += 1;
    };
    await place();
    await place();
    const first = await contract.send("GET /v1/store/orders?pageSize=1");
    const [, next = ""] = /<([^>]+)>; rel="next"/.exec(String(first.headers.link)) ?? [];
    const requests = ["", ownAccount].map((accountId) => ({ accountId, pageSize: 1 }));
    const pages = await Promise.all(requests.map((request) => admin.listOrders(request)));
    server.clock.now += dayMs;
    await server.stores.orders.removeEnded();
    expect(await server.stores.orders.count(ownAccount)).toBe(0);
    const after = await contract.send(`GET ${next}`);
    expect([after.status, after.body]).toEqual([200, "[]"]);
    for (const [at, { nextPageToken: pageToken }] of pages.entries()) {
      expect(pageToken).not.toBe("");
      expect(await admin.listOrders({ ...requests[at], pageToken })).toMatchObject({ orders: [] });
    }
  });
});
