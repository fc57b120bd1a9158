import { type Attack, createFindings } from "./attack.ts";
import { redisUse } from "./redis.ts";
import { call } from "./rpc.ts";
import { ask, bearer, http1 } from "./wire.ts";

const batchMethod = "inventory.v1.InventoryService/BatchUpdateInventory";
const batchPath = "/v1/inventory:batchUpdate";

function batch(expectedVersion?: number): string {
  const updates = Array.from({ length: 1_000 }, (_, n) => ({
    petId: n + 1,
    quantity: 50_000,
    ...(expectedVersion !== undefined && { expectedVersion }),
  }));
  return JSON.stringify({ updates });
}

/** One free key cannot fill the bounded history with its own changes. */
export const batchFlood: Attack = {
  name: "large batches with one free key",
  sends: "20 batches of 1,000 items, over REST and Connect",
  seconds: 6,
  async run(target) {
    let admitted = 0;
    const headers = { ...bearer(target.keys.free), "content-type": "application/json" };
    for (let n = 0; n < 10; n++) {
      const rest = await ask(target, http1("POST", batchPath, headers, batch()));
      const connect = await ask(target, http1("POST", `/${batchMethod}`, headers, batch()));
      admitted += [rest, connect].filter(({ status }) => status === 200).length;
    }
    // The plan admits 60 requests a minute. A batch of 1,000 items counts as 50.
    return admitted > 2 ? [`${admitted} batches of 1,000 items were admitted`] : [];
  },
};

const refusals = 60;
const bytesOfRefusal = 10_000;

/** The stored response to a refused batch takes few bytes. */
export const storedRefusals: Attack = {
  name: "refused batches with idempotency keys",
  sends: `${refusals} refused batches of 1,000 items, each with a new idempotency key`,
  seconds: 6,
  async run(target) {
    const found = createFindings();
    const before = await redisUse(target);
    for (let n = 0; n < refusals; n++) {
      const { status } = await ask(
        target,
        http1(
          "POST",
          batchPath,
          {
            ...bearer(target.keys.rich),
            "content-type": "application/json",
            "idempotency-key": `"abuse-${n}"`,
          },
          batch(999_999_999),
        ),
      );
      found.expect(status >= 400 && status < 500, `a refused batch: status ${status}`);
    }
    const each = ((await redisUse(target)).bytes - before.bytes) / refusals;
    found.expect(each < bytesOfRefusal, `Redis stores ${Math.round(each)} bytes for each batch`);
    return found.list;
  },
};

/** An account cannot read the private data of another one, or use reasons that are reserved for the service. */
export const others: Attack = {
  name: "forged reasons and another account's data",
  sends: "changes with reserved reasons, and reads of another account's changes",
  seconds: 4,
  async run(target) {
    const found = createFindings();
    const method = "inventory.v1.InventoryService/AdjustInventory";
    const change = { petId: 7, delta: 1, note: "a private note", reference: "private-1" };
    await call(target, method, change, "rich");
    for (const reason of ["CHANGE_REASON_ORDER", "CHANGE_REASON_IMPORT"]) {
      const { status } = await call(target, method, { ...change, reason }, "rich");
      found.expect(status === 400, `an adjustment with ${reason}: status ${status}`);
    }
    const rest = await ask(
      target,
      http1(
        "POST",
        "/v1/inventory/7:adjust",
        { ...bearer(target.keys.rich), "content-type": "application/json" },
        '{"delta":1,"reason":"order"}',
      ),
    );
    found.expect(rest.status === 400, `REST, an adjustment with order: status ${rest.status}`);

    const service = "inventory.v1.InventoryService";
    const seen = [
      await call(target, `${service}/ListItemChanges`, { petId: 7 }, "other"),
      await call(target, `${service}/ListInventoryChanges`, { pageSize: 1000 }, "other"),
    ];
    for (const path of ["/v1/inventory/7/changes", "/v1/inventory/changes?pageSize=200"]) {
      const { status, text } = await ask(target, http1("GET", path, bearer(target.keys.other)));
      seen.push({ status, body: text });
    }
    for (const { status, body } of seen) {
      found.expect(status === 200, `reading changes: status ${status}`);
      found.expect(
        !/private|"(?:accountId|keyId|requestId)":"[^"]/.test(body),
        "the response shows another account's data",
      );
    }
    return found.list;
  },
};

const orders = 3_000;
const ordersAtOnce = 50;

/** A list of orders is bounded, however many orders an account has placed. */
export const manyOrders: Attack = {
  name: "many orders of one account",
  sends: `${orders} orders, then 50 lists of them`,
  seconds: 9,
  async run(target) {
    const found = createFindings();
    const placed = async () => {
      for (let n = 0; n < orders / ordersAtOnce; n++) {
        const order = { petId: 8, quantity: 1 };
        const { status } = await call(target, "store.v1.StoreService/PlaceOrder", order, "rich");
        found.expect(status === 200, `placing an order: status ${status}`);
      }
    };
    await Promise.all(Array.from({ length: ordersAtOnce }, placed));
    const lists = await Promise.all(
      Array.from({ length: 50 }, () =>
        ask(target, http1("GET", "/v1/store/orders", bearer(target.keys.rich))),
      ),
    );
    for (const { status, text } of lists) {
      found.expect(status === 200, `listing orders: status ${status}`);
      const count = text.split('"orderId"').length - 1;
      found.expect(count <= 1_000, `a list has ${count} orders`);
    }
    return found.list;
  },
};
