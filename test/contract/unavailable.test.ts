import { afterEach, describe, expect, it, vi } from "vitest";
import { storeUnavailable } from "../../src/stores/errors.ts";
import { storeKinds } from "../support/stores.ts";
import { bearer, freeAfter, limitFields, limitFieldsOf, useContract } from "./support.ts";
import { askAll, each, forAll, limitsOf } from "./unary-protocols.ts";

afterEach(() => void vi.restoreAllMocks());

describe.each(storeKinds)("an unavailable store in $name", (kind) => {
  const contract = useContract(kind, { MAX_REQUESTS_IN_FLIGHT: "1" });
  const own = () => bearer(contract.own);
  const down = () => Promise.reject(storeUnavailable(undefined));
  const update = { petId: 1n, update: { quantity: 5 } };
  const uncertain = "may or may not have been made";

  it("the error of a read does not mention a change, on every protocol", async () => {
    vi.spyOn(contract.server.stores.inventory, "list").mockImplementation(down);
    const outcomes = await askAll(contract, own(), { list: true });
    expect(each(outcomes, ({ code, message }) => [code, message])).toEqual(
      forAll(() => ["unavailable", "The database is not available. Retry in 1 s."]),
    );
  });

  it("the error of a change says that it may have been applied, on every protocol", async () => {
    vi.spyOn(contract.server.stores.inventory, "setQuantity").mockImplementation(down);
    const outcomes = await askAll(contract, own(), update);
    expect(each(outcomes, ({ code, message }) => [code, message])).toEqual(
      forAll(() => ["unavailable", expect.stringContaining(uncertain)]),
    );
  });

  it("the error of a change that was not admitted does not say so", async () => {
    vi.spyOn(contract.server.stores.admission, "admitKey").mockImplementation(down);
    const outcomes = await askAll(contract, own(), update);
    expect(each(outcomes, ({ code, message }) => [code, message])).toEqual(
      forAll(() => ["unavailable", "The database is not available. Retry in 1 s."]),
    );
  });

  it("a request that cannot be counted has the last known limit headers", async () => {
    expect((await contract.send("GET /v1/inventory")).status).toBe(200);
    vi.spyOn(contract.server.stores.admission, "admitKey").mockImplementation(down);
    const outcomes = await askAll(contract, own(), { list: true });
    expect(each(outcomes, ({ code }) => code)).toEqual(forAll(() => "unavailable"));
    expect(each(outcomes, limitsOf)).toEqual(forAll(() => limitFields(freeAfter(1))));
  });

  it("an unknown key has no limit headers", async () => {
    expect((await contract.send("GET /v1/inventory")).status).toBe(200);
    vi.spyOn(contract.server.stores.admission, "admitKey").mockImplementation(down);
    const other = await contract.newAccount("bbbbbbbbbbbb", { plan: "free" });
    const reply = await contract.send("GET /v1/inventory", { authorization: bearer(other) });
    expect([reply.status, limitFieldsOf(reply)]).toEqual([503, {}]);
  });

  it("the last known limit headers can be those of a 429", async () => {
    await contract.spend(60);
    expect((await contract.send("GET /v1/inventory")).status).toBe(429);
    vi.spyOn(contract.server.stores.admission, "admitKey").mockImplementation(down);
    const reply = await contract.send("GET /v1/inventory");
    expect([reply.status, limitFieldsOf(reply)]).toEqual([503, limitFields(freeAfter(60))]);
  });

  it("a revoked key has no limit headers", async () => {
    expect((await contract.send("GET /v1/inventory")).status).toBe(200);
    await contract.server.stores.accounts.revokeKey(contract.own.keyId);
    expect((await contract.send("GET /v1/inventory")).status).toBe(401);
    vi.spyOn(contract.server.stores.admission, "admitKey").mockImplementation(down);
    const reply = await contract.send("GET /v1/inventory");
    expect([reply.status, limitFieldsOf(reply)]).toEqual([503, {}]);
  });

  it("an overloaded server sends the last known limit headers", async () => {
    expect((await contract.send("GET /v1/inventory")).status).toBe(200);
    const release = Promise.withResolvers<never>();
    const { admission } = contract.server.stores;
    const admit = vi.spyOn(admission, "admitKey").mockReturnValue(release.promise);
    const waiting = contract.send("GET /v1/inventory");
    await vi.waitUntil(() => admit.mock.calls.length === 1);
    const reply = await contract.send("GET /v1/inventory");
    release.reject(storeUnavailable(undefined));
    await waiting;
    expect([reply.status, reply.headers["x-error-reason"]]).toEqual([503, "SERVER_OVERLOADED"]);
    expect(limitFieldsOf(reply)).toEqual(limitFields(freeAfter(1)));
  });
});
