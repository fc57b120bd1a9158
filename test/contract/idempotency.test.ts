import { describe, expect, test, vi } from "vitest";
import { storeUnavailable } from "../../src/stores/errors.ts";
import { addSampleData, httpRequestOf, keyedMethods } from "../support/operations.ts";
import { nthVersion } from "../support/stores.ts";
import { describeApi, expectConnectError, expectError, ownAccount, unknownPet } from "./support.ts";

const adjust = "POST /v1/inventory/1:adjust";
const batchUpdate = "POST /v1/inventory:batchUpdate";
const patch = "PATCH /v1/inventory/1";
const adjustMethod = "inventory.v1.InventoryService/AdjustInventory";

describeApi("Idempotency-Key in $name", (contract) => {
  const keyed = (key: string, body: string, line = adjust) =>
    contract.send(line, { headers: { "idempotency-key": key }, body });

  test.each(keyedMethods)(
    "$name: a retry changes nothing and returns the first response, marked as replayed",
    async (method) => {
      const data = await addSampleData(contract.server.stores, method, undefined, ownAccount);
      const { line, body = "" } = httpRequestOf(method, data) ?? {};
      const first = await keyed("k-1", body, line);
      expect(first.status).toBe(200);
      expect(first.headers).not.toHaveProperty("idempotency-replayed");
      await contract.send(adjust, { body: '{"delta":100}' });
      const quantity = await contract.quantityOf(1n);
      const again = await keyed("k-1", body, line);
      expect(again).toMatchObject({ status: 200, body: first.body });
      expect(again.headers).toMatchObject({ "idempotency-replayed": "true" });
      expect(again.headers.etag).toBe(first.headers.etag);
      expect(await contract.quantityOf(1n)).toBe(quantity);
    },
  );

  test("a key is the same quoted or bare, in the header or the message", async () => {
    await keyed('"a\\"b"', '{"delta":1}');
    const again = [
      await keyed('a"b', '{"delta":1}'),
      await contract.call(adjustMethod, { petId: 1, delta: 1, idempotencyKey: 'a"b' }),
    ];
    for (const { headers } of again) expect(headers["idempotency-replayed"]).toBe("true");
    expect(await contract.quantityOf(1n)).toBe(13);
  });

  test.each([
    ["404", "PATCH /v1/inventory/404", '{"quantity":5}', 404],
    ["409", adjust, '{"delta":-13}', 409],
    ["412", batchUpdate, '{"updates":[{"petId":1,"quantity":5,"expectedVersion":9}]}', 412],
  ])("%s is replayed", async (_, line, body, status) => {
    const first = await keyed("k", body, line);
    expect(first.status).toBe(status);
    await contract.server.stores.catalog.put([
      { petId: BigInt(unknownPet), quantity: 1, status: 1 },
      { petId: 1n, quantity: 100, status: 1 },
    ]);
    const again = await keyed("k", body, line);
    expect(again).toMatchObject({ status, body: first.body });
    expect(again.headers["idempotency-replayed"]).toBe("true");
    expect((await keyed("k2", body, line)).headers).not.toHaveProperty("idempotency-replayed");
  });

  test("503 is not replayed: a retry is executed", async () => {
    const { inventory } = contract.server.stores;
    vi.spyOn(inventory, "change").mockRejectedValueOnce(storeUnavailable(undefined));
    expectError(await keyed("k", '{"delta":1}'), 503, "unavailable");
    const again = await keyed("k", '{"delta":1}');
    expect(again.status).toBe(200);
    expect(again.headers).not.toHaveProperty("idempotency-replayed");
    expect(await contract.quantityOf(1n)).toBe(13);
  });

  test("400 is not replayed: a corrected request can use the key", async () => {
    expectError(await keyed("k", '{"delta":0}'), 400, "invalid_argument", "delta");
    expect((await keyed("k", '{"delta":1}')).status).toBe(200);
  });

  test.each([
    ["another body", adjust, '{"delta":2}'],
    ["another note", adjust, '{"delta":1,"note":"late"}'],
    ["another pet", "POST /v1/inventory/2:adjust", '{"delta":1}'],
    ["another method", patch, '{"quantity":1}'],
  ])("422 without a change for the same key with %s", async (_, line, body) => {
    await keyed("k", '{"delta":1}');
    expectError(await keyed("k", body, line), 422, "failed_precondition", "k");
    expect(await contract.quantityOf(1n)).toBe(13);
    expect(await contract.quantityOf(2n)).toBe(0);
  });

  describe("requests that mean the same are one request, however they are written", () => {
    const version = String(nthVersion(1));
    const reusedTag = `"${version}"`;
    const key = { "idempotency-key": "k" };
    const update = "inventory.v1.InventoryService/UpdateInventory";
    const batchAdjust = "inventory.v1.InventoryService/BatchAdjustInventory";
    const row = { petId: 1, delta: 1 };
    type Form = readonly [target: string, message: object, headers?: Record<string, string>];

    async function send([target, message, headers]: Form) {
      const more = { headers: { ...key, ...headers } };
      return target.includes(" ")
        ? contract.send(target, { ...more, body: JSON.stringify(message) })
        : contract.call(target, message, more);
    }

    const written: Readonly<Record<string, readonly Form[]>> = {
      "the version in a header and in the message": [
        [adjust, { delta: 1 }, { "if-match": reusedTag }],
        [adjustMethod, { petId: 1, delta: 1, expectedVersion: version }],
        [adjustMethod, { petId: 1, delta: 1 }, { "if-match": reusedTag }],
        [adjust, { delta: 1 }, { "if-match": ` ${reusedTag} , W/"7", ${reusedTag}` }],
        [adjust, { delta: 1 }, { "if-match": reusedTag, "if-none-match": '"7"' }],
      ],
      "the version of an update": [
        [update, { petId: 1, update: { quantity: 5 }, expectedVersion: version }],
        [patch, { quantity: 5 }, { "if-match": reusedTag }],
        [`${patch}?reason=adjustment`, { quantity: 5 }, { "if-match": reusedTag }],
      ],
      "the default reason, and no condition": [
        [adjust, { delta: 1 }],
        [adjust, { delta: 1, reason: "adjustment", note: "", reference: "" }],
        [adjustMethod, { petId: 1, delta: 1, reason: "CHANGE_REASON_ADJUSTMENT" }],
        [adjustMethod, { petId: 1, delta: 1, reason: "CHANGE_REASON_UNSPECIFIED" }],
        [adjustMethod, { petId: 1, delta: 1, reason: 3, note: "" }],
        [adjust, { delta: 1 }, { "if-match": "*" }],
      ],
      "the default reason of a batch": [
        ["POST /v1/inventory:batchAdjust", { adjustments: [row] }],
        ["POST /v1/inventory:batchAdjust", { adjustments: [row], reason: "adjustment" }],
        [batchAdjust, { adjustments: [row], reason: "CHANGE_REASON_ADJUSTMENT" }],
      ],
      "an order": [
        ["POST /v1/store/orders", { petId: 1, quantity: 1 }],
        ["store.v1.StoreService/PlaceOrder", { petId: "1", quantity: 1 }],
        ["store.v1.StoreService/PlaceOrder", { pet_id: 1, quantity: "1", idempotencyKey: "k" }],
      ],
    };
    test.each(Object.entries(written))("%s", async (_, forms) => {
      const [first, ...others] = forms;
      expect((await send(first as Form)).headers).not.toHaveProperty("idempotency-replayed");
      const quantity = await contract.quantityOf(1n);
      expect(quantity).not.toBe(12);
      for (const form of others) {
        const reply = await send(form);
        expect(reply, JSON.stringify(form)).toMatchObject({
          status: 200,
          headers: { "idempotency-replayed": "true" },
        });
      }
      expect(await contract.quantityOf(1n)).toBe(quantity);
    });

    test.each<readonly [string, Form]>([
      ["no version", [adjust, { delta: 1 }]],
      ["another version", [adjust, { delta: 1 }, { "if-match": '"7"' }]],
      ["one more version", [adjust, { delta: 1 }, { "if-match": `${reusedTag}, "7"` }]],
      ["an excluded version", [adjust, { delta: 1 }, { "if-none-match": reusedTag }]],
      ["a quantity", [adjust, { delta: 1, expectedQuantity: 12 }, { "if-match": reusedTag }]],
      ["another reason", [adjust, { delta: 1, reason: "arrival" }, { "if-match": reusedTag }]],
    ])("but not one with %s", async (_, form) => {
      await send([adjust, { delta: 1 }, { "if-match": reusedTag }]);
      expectError(await send(form), 422, "failed_precondition");
      expect(await contract.quantityOf(1n)).toBe(13);
    });
  });

  test("failed_precondition on RPC for the same key with another request", async () => {
    await keyed("k", '{"delta":1}');
    const message = { petId: 1, delta: 2, idempotencyKey: "k" };
    const reply = await contract.call(adjustMethod, message);
    expectConnectError(reply, "failed_precondition", "idempotency key k");
  });

  test("409 while the first request is in progress, then its response", async () => {
    const { inventory } = contract.server.stores;
    const started = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const { change: original } = inventory;
    vi.spyOn(inventory, "change").mockImplementationOnce(async (...args) => {
      started.resolve();
      await release.promise;
      return original(...args);
    });
    const concurrent = async () => {
      await started.promise;
      const second = await keyed("k", '{"delta":1}');
      release.resolve();
      return second;
    };
    const [first, second] = await Promise.all([keyed("k", '{"delta":1}'), concurrent()]);
    expectError(second, 409, "aborted", "k");
    expect(first.status).toBe(200);
    const third = await keyed("k", '{"delta":1}');
    expect(third).toMatchObject({ status: 200, body: first.body });
    expect(third.headers["idempotency-replayed"]).toBe("true");
    expect(await contract.quantityOf(1n)).toBe(13);
  });

  test.each(["x".repeat(255), '"x"', "!~", '"\\\\"'])("200 when the key is %j", async (key) => {
    expect((await keyed(key, '{"delta":1}')).status).toBe(200);
  });

  test.each(["", '""', "x".repeat(256), "a b", '"a b"', '"a', '"a"b"', '"a\\b"', "\xe9", "a\tb"])(
    "400 when the key is %j, and nothing is changed",
    async (key) => {
      expectError(await keyed(key, '{"delta":1}'), 400, "invalid_argument", "Idempotency-Key");
      expect(await contract.quantityOf(1n)).toBe(12);
    },
  );

  test("invalid_argument on RPC when the header and the message have different keys", async () => {
    const message = { petId: 1, delta: 1, idempotencyKey: "b" };
    const headers = { "idempotency-key": "a" };
    const reply = await contract.call(adjustMethod, message, { headers });
    expectConnectError(reply, "invalid_argument", "Idempotency-Key");
  });

  test("invalid_argument on RPC when the key in the message is malformed", async () => {
    const message = { petId: 1, delta: 1, idempotencyKey: "a b" };
    const reply = await contract.call(adjustMethod, message);
    expectConnectError(reply, "invalid_argument", "idempotency_key");
  });

  const unknownKey = "idempotencyKey: unknown field";
  test.each([
    [adjust, '{"delta":1,"idempotencyKey":"k"}', unknownKey],
    [adjust, '{"delta":1,"expected_version":1}', "expected_version: unknown field"],
    [batchUpdate, '{"updates":[{"petId":1,"quantity":5}],"idempotencyKey":"k"}', unknownKey],
    [`${patch}?idempotencyKey=k`, '{"quantity":5}', "idempotencyKey: unknown query parameter"],
    [`${patch}?expected_version=1`, '{"quantity":5}', "expected_version: unknown query parameter"],
  ])("400 for a member or parameter instead of the header: %s %s", async (line, body, message) => {
    expectError(await contract.send(line, { body }), 400, "invalid_argument", message);
    expect(await contract.quantityOf(1n)).toBe(12);
  });

  test("a replayed response has its own request id; the history has that of the first", async () => {
    const send = (id: string) =>
      contract.send(adjust, {
        headers: { "idempotency-key": "k", "x-request-id": id },
        body: '{"delta":1}',
      });
    expect((await send("first")).headers["x-request-id"]).toBe("first");
    expect((await send("second")).headers["x-request-id"]).toBe("second");
    const page = await contract.server.stores.inventory.changes({ petId: 1n, limit: 10 });
    expect(page?.changes.map(({ requestId }) => requestId)).toEqual(["first", ""]);
    expect(page?.changes[0]).toMatchObject({ accountId: ownAccount, keyId: contract.own.keyId });
  });
});
