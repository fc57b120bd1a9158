import { beforeEach, describe, expect, test } from "vitest";
import { CatalogService } from "../../gen/catalog/v1/catalog_pb.ts";
import {
  ErrorInfoSchema,
  QuotaFailureSchema,
  RetryInfoSchema,
} from "../../gen/google/rpc/error_details_pb.ts";
import { reasonOf } from "../../src/contract/errors.ts";
import { itemsFrom, upload } from "../support/stock.ts";
import { storeKinds } from "../support/stores.ts";
import {
  bearer,
  expectError,
  failure,
  freeAfter,
  limitFields,
  limitFieldsOf,
  operator,
  unknownPet,
  useContract,
} from "./support.ts";
import { askAll, each, forAll, limitsOf } from "./unary-protocols.ts";

const pets = itemsFrom(10_001n, 1_000);

/** A batch that sets the quantities of the first pets. */
function updates(count: number, quantity = 5) {
  return pets.slice(0, count).map(({ petId }) => ({ petId, quantity }));
}

const body = (count: number, more: object = {}) =>
  JSON.stringify({
    updates: updates(count).map(({ petId, quantity }) => ({ petId: Number(petId), quantity })),
    ...more,
  });

const line = "POST /v1/inventory:batchUpdate";

describe.each(storeKinds)("the cost of a batch in $name", (kind) => {
  describe("on every protocol", () => {
    const contract = useContract(kind);
    beforeEach(() => contract.server.stores.catalog.put(pets));
    const own = () => bearer(contract.own);

    async function quantities(): Promise<Set<number>> {
      const { items } = await contract.server.stores.inventory.page(10_000n, 1_000);
      return new Set(items.map(({ quantity }) => quantity));
    }

    test("40 updates count as 2 requests in the limit headers", async () => {
      const outcomes = await askAll(contract, own(), { batch: updates(40) });
      expect(each(outcomes, ({ code, pets: changed }) => [code, changed?.length])).toEqual(
        forAll(() => ["ok", 40]),
      );
      expect(each(outcomes, limitsOf)).toEqual(
        forAll((index) => limitFields(freeAfter(2 * (index + 1)))),
      );
    });

    test("a batch over the limit changes nothing and counts nothing", async () => {
      await contract.spend(59);
      const outcomes = await askAll(contract, own(), { batch: updates(40) });
      expect(each(outcomes, ({ code }) => code)).toEqual(forAll(() => "resource_exhausted"));
      expect(each(outcomes, ({ fields }) => fields.get("retry-after"))).toEqual(forAll(() => "61"));
      expect(each(outcomes, limitsOf)).toEqual(forAll(() => limitFields(freeAfter(59))));
      for (const [name, { message, error }] of outcomes) {
        expect(message, name).toContain("counts as 2 requests");
        if (!error) continue;
        expect(error.findDetails(ErrorInfoSchema)[0]?.reason, name).toBe("RATE_LIMITED");
        expect(error.findDetails(RetryInfoSchema)[0]?.retryDelay?.seconds, name).toBe(61n);
      }
      expect(await quantities()).toEqual(new Set([1]));
      const last = await contract.send(line, { body: body(20) });
      expect(last.status).toBe(200);
      expect(limitFieldsOf(last)).toEqual(limitFields(freeAfter(60)));
    });

    test("a batch that may fit gets a time to retry when the limit is used up", async () => {
      await contract.limitTo(10);
      await contract.spend(10);
      // It counts as 8 requests. By its length in JSON it can count as 13.
      const batch = updates(150);
      const outcomes = await askAll(contract, own(), { batch });
      expect(each(outcomes, ({ code }) => code)).toEqual(forAll(() => "resource_exhausted"));
      expect(each(outcomes, ({ fields }) => fields.get("retry-after"))).toEqual(forAll(() => "61"));
      for (const [name, { error }] of outcomes) {
        if (!error) continue;
        expect(error.findDetails(RetryInfoSchema)[0]?.retryDelay?.seconds, name).toBe(61n);
        expect(error.findDetails(QuotaFailureSchema)[0]?.violations, name).toMatchObject([
          { quotaId: "minute" },
        ]);
      }
      expect(outcomes.get("JSON over HTTP/2")?.message).toContain(
        "a batch of up to 200 items fits",
      );
      contract.server.clock.now += 61_000;
      expect((await contract.send(line, { body: body(150) })).status).toBe(200);
    });

    test("an error after admission has the headers with the counted requests", async () => {
      const batch = [...updates(40), { petId: BigInt(unknownPet), quantity: 1 }];
      const outcomes = await askAll(contract, own(), { batch });
      expect(each(outcomes, ({ code }) => code)).toEqual(forAll(() => "not_found"));
      expect(each(outcomes, limitsOf)).toEqual(
        forAll((index) => limitFields(freeAfter(3 * (index + 1)))),
      );
      expect(await quantities()).toEqual(new Set([1]));
    });

    test.each([
      ["has a quantity out of bounds", { petId: 1n, quantity: -1 }],
      ["names a pet twice", { petId: 10_001n, quantity: 1 }],
    ])("a batch that %s counts as one request", async (_, wrong) => {
      const batch = [...updates(40), wrong];
      const outcomes = await askAll(contract, own(), { batch });
      expect(each(outcomes, ({ code }) => code)).toEqual(forAll(() => "invalid_argument"));
      expect(each(outcomes, limitsOf)).toEqual(
        forAll((index) => limitFields(freeAfter(index + 1))),
      );
    });

    test("a batch that can never fit fails with the advice to split it", async () => {
      await contract.limitTo(10);
      const outcomes = await askAll(contract, own(), { batch: updates(201) });
      expect(each(outcomes, ({ code }) => code)).toEqual(forAll(() => "resource_exhausted"));
      expect(each(outcomes, ({ fields }) => fields.get("retry-after"))).toEqual(forAll(() => null));
      expect(each(outcomes, ({ fields }) => fields.get("x-ratelimit-remaining"))).toEqual(
        forAll(() => "10"),
      );
      for (const [name, { message, error }] of outcomes) {
        expect(message, name).toContain("11 requests");
        expect(message, name).toContain("at most 200 items");
        if (!error) continue;
        expect(error.findDetails(ErrorInfoSchema)[0]?.reason, name).toBe("BATCH_OVER_LIMIT");
        expect(error.findDetails(RetryInfoSchema), name).toEqual([]);
      }
      expect(await quantities()).toEqual(new Set([1]));
      expect((await contract.send(line, { body: body(200) })).status).toBe(200);
    });
  });

  describe("over HTTP", () => {
    const contract = useContract(kind);
    beforeEach(() => contract.server.stores.catalog.put(pets));

    test.each([
      [1, 1],
      [20, 1],
      [21, 2],
      [40, 2],
      [41, 3],
      [1_000, 50],
    ])("%i updates count as %i requests", async (count, requests) => {
      const reply = await contract.send(line, { body: body(count) });
      expect(reply.status).toBe(200);
      expect(limitFieldsOf(reply)).toEqual(limitFields(freeAfter(requests)));
    });

    test.each([
      ["its length", {}, "31"],
      ["the largest batch, since its length is unknown", { chunked: true }, "61"],
    ])("a short batch beyond the limit waits for %s", async (_, parts, wait) => {
      await contract.spend(20);
      contract.server.clock.now += 30_000;
      await contract.spend(40);
      const refused = await contract.send(line, { body: body(40), ...parts });
      expectError(refused, 429, "resource_exhausted");
      expect(refused.headers["retry-after"]).toBe(wait);
      const single = await contract.send("GET /v1/inventory?pageSize=1");
      expect(single.headers["retry-after"]).toBe("31");
      contract.server.clock.now += Number(wait) * 1_000;
      expect((await contract.send(line, { body: body(40), ...parts })).status).toBe(200);
    });

    test("a batch whose length exceeds the limit gets no time to retry when it is used up", async () => {
      await contract.limitTo(10);
      await contract.spend(10);
      const reply = await contract.send(line, { body: body(1_000) });
      expectError(reply, 429, "resource_exhausted", "a batch of up to 200 items fits");
      expect(reply.headers).not.toHaveProperty("retry-after");
      expect(reply.headers).toMatchObject({
        "x-error-reason": "RATE_LIMITED",
        "x-ratelimit-remaining": "0",
      });
    });

    test("a batch that fits a limit of one request a minute gets a time to retry when it is used up", async () => {
      await contract.limitTo(1);
      await contract.spend(1);
      const reply = await contract.send(line, { body: body(20) });
      expectError(reply, 429, "resource_exhausted", "a batch of up to 20 items fits");
      expect(reply.headers["retry-after"]).toBe("61");
      contract.server.clock.now += 61_000;
      expect((await contract.send(line, { body: body(20) })).status).toBe(200);
    });

    test("a batch of exactly the limit gets a time to retry, and is not advised to be split", async () => {
      await contract.limitTo(50);
      for (const spent of [1, 49]) {
        await contract.spend(spent);
        // Any batch counts as at most 50 requests.
        const reply = await contract.send(line, { body: body(1_000), chunked: true });
        expectError(reply, 429, "resource_exhausted");
        expect(reply.headers).toMatchObject({
          "x-error-reason": "RATE_LIMITED",
          "retry-after": "61",
        });
        expect(reply.body).not.toContain("split");
      }
      contract.server.clock.now += 61_000;
      expect((await contract.send(line, { body: body(1_000) })).status).toBe(200);
    });

    test("a retry with the same idempotency key counts again", async () => {
      const parts = { body: body(40), headers: { "idempotency-key": "count-1" } };
      await contract.send(line, parts);
      const reply = await contract.send(line, parts);
      expect(reply.headers["idempotency-replayed"]).toBe("true");
      expect(limitFieldsOf(reply)).toEqual(limitFields(freeAfter(4)));
    });

    test("an import of an operator counts as one request", async () => {
      const { key, catalog } = await operator(contract);
      const message = { pets: pets.slice(0, 500) };
      await catalog.importPets(upload(message, message, message));
      const reply = await contract.call(
        "admin.v1.AdminService/ListAccounts",
        {},
        { authorization: bearer(key) },
      );
      expect(reply.headers["x-ratelimit-remaining"]).toBe("998");
    });

    test("an import of another key counts its messages, and ends at a limit", async () => {
      const key = await contract.newAccount("dddddddddddd", { plan: "free" }, ["catalog:write"]);
      const catalog = contract.client(CatalogService, key);
      const part = (count: number) => ({ pets: pets.slice(0, count) });
      // 30 pets count as two requests, of which the second one is half used.
      await catalog.importPets(upload(part(10), part(20)));
      await catalog.importPets(upload(part(20), part(1), part(19), part(1)));
      const sent = upload(part(500), part(500), part(500));
      const error = await failure(catalog.importPets(sent));
      expect(reasonOf(error)).toBe("RATE_LIMITED");
      expect(error.findDetails(ErrorInfoSchema)[0]?.metadata.appliedRows).toBe("1000");
      const reply = await contract.send("GET /v1/usage", { authorization: bearer(key) });
      // The call that was refused has used 49 for its first two messages.
      expect(reply.headers["x-ratelimit-remaining"]).toBe("5");
    });
  });
});
