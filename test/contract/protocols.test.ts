import type { ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  QuotaFailureSchema,
  RetryInfoSchema,
} from "../../gen/google/rpc/error_details_pb.ts";
import { bearer, describeApi, freeAfter, limitFields, unknownPet } from "./support.ts";
import { type Ask, askAll, each, forAll, limitsOf, protocolNames } from "./unary-protocols.ts";

describeApi("the same call on every protocol in $name", (contract) => {
  const own = () => bearer(contract.own);

  describe("ok", () => {
    test("the list", async () => {
      const outcomes = await askAll(contract, own(), { list: true });
      expect(each(outcomes, ({ code, pets }) => [code, pets])).toEqual(
        forAll(() => ["ok", ["1 12 available", "2 0 sold", "9007199254740993 7 pending"]]),
      );
    });

    test.each([
      ["1", 5, "1 5 available"],
      ["2", 0, "2 0 sold"],
      ["9007199254740993", 2_147_483_647, "9007199254740993 2147483647 pending"],
    ])("an update of pet %s to %i", async (petId, quantity, pet) => {
      const ask = { petId: BigInt(petId), update: { quantity } };
      const outcomes = await askAll(contract, own(), ask);
      expect(each(outcomes, ({ code, pets }) => [code, pets])).toEqual(forAll(() => ["ok", [pet]]));
    });

    test("all calls count against the same quota and return limit headers", async () => {
      const outcomes = await askAll(contract, own(), { list: true });
      expect(each(outcomes, limitsOf)).toEqual(
        forAll((index) => limitFields(freeAfter(index + 1))),
      );
    });
  });

  describe("errors", () => {
    const update = { quantity: 5 };
    const largest = 9_223_372_036_854_775_807n;

    test.each<[string, Ask, string, string]>([
      ["an unknown pet", { petId: BigInt(unknownPet), update }, "not_found", "404"],
      ["the largest petId", { petId: largest, update }, "not_found", String(largest)],
      ["no quantity", { petId: 1n, update: {} }, "invalid_argument", "quantity"],
    ])("%s", async (_, ask, code, text) => {
      const outcomes = await askAll(contract, own(), ask);
      expect(each(outcomes, (outcome) => outcome.code)).toEqual(forAll(() => code));
      for (const [name, { message }] of outcomes) {
        expect(message, name).toContain(text);
      }
      expect(each(outcomes, limitsOf)).toEqual(
        forAll((index) => limitFields(freeAfter(index + 1))),
      );
      expect(await contract.server.stores.inventory.get(1n)).toMatchObject({ quantity: 12 });
    });

    test("a missing scope", async () => {
      const key = await contract.newKey({ scopes: ["store:read"] });
      const outcomes = await askAll(contract, bearer(key), { list: true });
      expect(each(outcomes, ({ code }) => code)).toEqual(forAll(() => "permission_denied"));
      for (const [name, { message }] of outcomes) {
        expect(message, name).toContain("inventory:read");
      }
      expect(each(outcomes, limitsOf)).toEqual(
        forAll((index) => limitFields(freeAfter(index + 1))),
      );
    });

    test.each([
      ["no key", () => null, 'Bearer realm="inventory"', "KEY_MISSING"],
      [
        "an unknown key",
        () => "Bearer nonsense",
        'Bearer realm="inventory", error="invalid_token"',
        "KEY_INVALID",
      ],
    ])("%s", async (_, authorization, challenge, reason) => {
      const outcomes = await askAll(contract, authorization(), { petId: 1n, update });
      expect(each(outcomes, ({ code }) => code)).toEqual(forAll(() => "unauthenticated"));
      expect(each(outcomes, ({ fields }) => fields.get("www-authenticate"))).toEqual(
        forAll(() => challenge),
      );
      expect(each(outcomes, ({ fields }) => fields.get("x-ratelimit-remaining"))).toEqual(
        forAll((index) => String(599 - index)),
      );
      for (const [name, { error }] of outcomes) {
        const [info] = error?.findDetails(ErrorInfoSchema) ?? [];
        expect(error ? info?.reason : reason, name).toBe(reason);
      }
    });

    test("a reached limit", async () => {
      await contract.spend(60);
      const outcomes = await askAll(contract, own(), { petId: 1n, update });
      expect(each(outcomes, ({ code }) => code)).toEqual(forAll(() => "resource_exhausted"));
      expect(each(outcomes, ({ fields }) => fields.get("retry-after"))).toEqual(forAll(() => "61"));
      expect(each(outcomes, limitsOf)).toEqual(forAll(() => limitFields(freeAfter(60))));
      expect(new Set([...outcomes.values()].map(({ message }) => message))).toHaveLength(1);
      contract.server.clock.now += 61_000;
      const after = await askAll(contract, own(), { petId: 1n, update });
      expect(each(after, ({ code }) => code)).toEqual(forAll(() => "ok"));
    });

    test("a ban", async () => {
      await contract.spend(60);
      contract.server.clock.now += 30_000;
      await contract.spend(61);
      const outcomes = await askAll(contract, own(), { list: true });
      expect(each(outcomes, ({ code }) => code)).toEqual(forAll(() => "resource_exhausted"));
      expect(each(outcomes, ({ fields }) => fields.get("retry-after"))).toEqual(forAll(() => "60"));
    });
  });

  describe("details of errors on RPC", () => {
    const rpcNames = protocolNames.filter((name) => !name.startsWith("JSON over"));

    /** The outcome of a call on every RPC protocol. */
    async function details<T>(
      authorization: string | null,
      ask: Ask,
      detailsOf: (error: ConnectError | undefined) => T,
    ): Promise<Record<string, T>> {
      const outcomes = await askAll(contract, authorization, ask);
      return Object.fromEntries(
        rpcNames.map((name) => [name, detailsOf(outcomes.get(name)?.error)]),
      );
    }

    const forRpc = <T>(value: T) => Object.fromEntries(rpcNames.map((name) => [name, value]));

    test("RetryInfo has the time of Retry-After when the limit is reached", async () => {
      await contract.spend(60);
      const found = await details(own(), { list: true }, (error) => [
        error?.findDetails(RetryInfoSchema)[0]?.retryDelay?.seconds,
        error?.findDetails(ErrorInfoSchema)[0]?.reason,
        error?.findDetails(ErrorInfoSchema)[0]?.domain,
      ]);
      expect(found).toEqual(forRpc([61n, "RATE_LIMITED", "inventory"]));
    });

    /** The full windows in the error of a call. */
    const quotasOf = (error: ConnectError | undefined) =>
      error
        ?.findDetails(QuotaFailureSchema)
        .flatMap(({ violations }) => violations)
        .map(({ subject, quotaMetric, quotaId, quotaValue, description }) => [
          subject,
          quotaMetric,
          quotaId,
          quotaValue,
          description,
        ]);
    const minute = [
      "account",
      "requests",
      "minute",
      60n,
      "The limit of the account is 60 requests a minute.",
    ];

    test("QuotaFailure has both windows if both are full", async () => {
      await contract.limitTo(60, 60);
      await contract.spend(60);
      const day = minute.with(2, "day").with(4, "The limit of the account is 60 requests a day.");
      expect(await details(own(), { list: true }, quotasOf)).toEqual(forRpc([minute, day]));
    });

    test("QuotaFailure has the window with too few requests left for a batch", async () => {
      await contract.spend(59);
      const batch = Array.from({ length: 21 }, (_, id) => ({ petId: BigInt(id + 1), quantity: 1 }));
      expect(await details(own(), { batch }, quotasOf)).toEqual(forRpc([minute]));
    });

    test("QuotaFailure has the window that is too small for a batch", async () => {
      await contract.limitTo(60, 2);
      const batch = Array.from({ length: 41 }, (_, id) => ({ petId: BigInt(id + 1), quantity: 1 }));
      const day = [
        "account",
        "requests",
        "day",
        2n,
        "The limit of the account is 2 requests a day.",
      ];
      expect(await details(own(), { batch }, quotasOf)).toEqual(forRpc([day]));
    });

    test("RetryInfo and the reason during a ban", async () => {
      await contract.spend(60);
      contract.server.clock.now += 30_000;
      await contract.spend(61);
      const found = await details(own(), { list: true }, (error) => [
        error?.findDetails(RetryInfoSchema)[0]?.retryDelay?.seconds,
        error?.findDetails(ErrorInfoSchema)[0]?.reason,
      ]);
      expect(found).toEqual(forRpc([60n, "KEY_BANNED"]));
    });

    test("BadRequest has every invalid field", async () => {
      const found = await details(own(), { petId: -1n, update: {} }, (error) =>
        error
          ?.findDetails(BadRequestSchema)
          .flatMap(({ fieldViolations }) => fieldViolations.map(({ field }) => field)),
      );
      expect(found).toEqual(forRpc(["pet_id", "update.quantity"]));
    });

    test("ErrorInfo has the missing scope", async () => {
      const key = await contract.newKey({ scopes: ["store:read"] });
      const found = await details(bearer(key), { list: true }, (error) => {
        const [info] = error?.findDetails(ErrorInfoSchema) ?? [];
        return [info?.reason, info?.metadata];
      });
      expect(found).toEqual(forRpc(["SCOPE_MISSING", { scope: "inventory:read" }]));
    });
  });
});
