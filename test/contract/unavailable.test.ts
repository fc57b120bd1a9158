import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterEach, describe, expect, test, vi } from "vitest";
import { CatalogService } from "../../gen/catalog/v1/catalog_pb.ts";
import { ErrorInfoSchema, RetryInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { InventoryService, PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import type { CallContext } from "../../src/common/call-context.ts";
import { storeUnavailable } from "../../src/stores/errors.ts";
import { upload } from "../support/stock.ts";
import { stopTimers } from "../support/stop-timers.ts";
import { storeKinds } from "../support/stores.ts";
import {
  bearer,
  failure,
  freeAfter,
  limitFields,
  limitFieldsOf,
  operator,
  useContract,
} from "./support.ts";
import { askAll, each, forAll, limitsOf, type Outcome } from "./unary-protocols.ts";

afterEach(() => void vi.restoreAllMocks());

describe.each(storeKinds)("an unavailable store in $name", (kind) => {
  const contract = useContract(kind, { MAX_REQUESTS_IN_FLIGHT: "1" });
  const own = () => bearer(contract.own);
  const down = () => Promise.reject(storeUnavailable(undefined));
  const update = { petId: 1n, update: { quantity: 5 } };
  const sentDown = (...args: readonly unknown[]) => {
    const { record } = args.at(-1) as CallContext;
    if (record) record.changesSent += 1;
    return down();
  };
  /** Makes a change that never ends, while the deadline of its call, which is 5 s, passes. @param sent how often it is sent */
  const pastDeadline =
    (sent: number) =>
    (...args: readonly unknown[]) => {
      const { record } = args.at(-1) as CallContext;
      if (record) record.changesSent += sent;
      setImmediate(() => vi.advanceTimersByTime(5_000));
      return new Promise<never>(() => {});
    };
  const unchanged = "The database is not available. Nothing was changed. Retry in 1 s.";
  const unknown =
    "The database is not available. The change may or may not have been made. Retry in 1 s.";
  /** What an error says about its change, for humans and for programs. */
  const saysOfChange = ({ code, message, fields, error }: Outcome) => {
    const [info] = error?.findDetails(ErrorInfoSchema) ?? [];
    const header = fields.get("x-change-outcome");
    return [code, message, header, error ? (info?.metadata.changeOutcome ?? null) : header];
  };

  test("the error of a change that was sent to the store says that it may have been made, on every protocol", async () => {
    vi.spyOn(contract.server.stores.inventory, "change").mockImplementation(sentDown);
    const outcomes = await askAll(contract, own(), update);
    expect(each(outcomes, saysOfChange)).toEqual(
      forAll(() => ["unavailable", unknown, "unknown", "unknown"]),
    );
  });

  test("the error of a change says over gRPC when to retry, as that of a read does", async () => {
    vi.spyOn(contract.server.stores.inventory, "change").mockImplementation(down);
    const client = createClient(
      InventoryService,
      createGrpcTransport({ baseUrl: contract.server.url }),
    );
    const headers = { authorization: own() };
    const error = await failure(client.updateInventory(update, { headers }));
    expect(error.findDetails(RetryInfoSchema)).toMatchObject([{ retryDelay: { seconds: 1n } }]);
  });

  const batch = Array.from({ length: 21 }, (_, at) => ({ petId: BigInt(at + 1), quantity: 1 }));

  test.each([
    ["change that was not sent", "inventory", "change", update],
    ["change that was not admitted", "admission", "admitKey", update],
    ["batch that could not be counted", "admission", "charge", { batch }],
  ] as const)(
    "the error of a %s says that nothing was changed, on every protocol",
    async (_, store, method, change) => {
      const spied: Record<string, () => unknown> = contract.server.stores[store] as never;
      vi.spyOn(spied, method).mockImplementation(down);
      const outcomes = await askAll(contract, own(), change);
      expect(each(outcomes, saysOfChange)).toEqual(
        forAll(() => ["unavailable", unchanged, "unchanged", "unchanged"]),
      );
    },
  );

  test.each([
    ["was not sent", 0, "unchanged", "Nothing was changed."],
    ["was sent", 1, "unknown", "The change may or may not have been made."],
  ])(
    "the error of a passed deadline of a change that %s says so",
    async (_, sent, outcome, text) => {
      stopTimers();
      const { inventory } = contract.server.stores;
      vi.spyOn(inventory, "change").mockImplementation(pastDeadline(sent));
      const rest = await contract.send("PATCH /v1/inventory/1", {
        headers: { "content-type": "application/json", "x-server-timeout": "5" },
        body: '{"quantity":5}',
      });
      const message = `The deadline of the request has passed. ${text}`;
      expect([rest.status, rest.headers["x-change-outcome"]]).toEqual([504, outcome]);
      expect(JSON.parse(rest.body)).toMatchObject({ message });
      const transport = createGrpcTransport({ baseUrl: contract.server.url });
      const headers = { authorization: own(), "grpc-timeout": "5S" };
      const error = await createClient(InventoryService, transport)
        .updateInventory(update, { headers })
        .catch((reason: unknown) => ConnectError.from(reason));
      expect(error).toMatchObject({ code: Code.DeadlineExceeded, rawMessage: message });
    },
  );

  test.each([
    ["was not sent", 0, "Nothing was changed."],
    ["was sent", 1, "The change may or may not have been made."],
  ])("the error of a passed deadline of an import that %s says so", async (_, sent, text) => {
    const { key } = await operator(contract);
    stopTimers();
    vi.spyOn(contract.server.stores.catalog, "put").mockImplementation(pastDeadline(sent));
    const pets = [{ petId: 1n, quantity: 5, status: PetStatus.AVAILABLE }];
    const transport = createGrpcTransport({ baseUrl: contract.server.url });
    const headers = { authorization: bearer(key), "grpc-timeout": "5S" };
    const call = createClient(CatalogService, transport).importPets(upload({ pets }), { headers });
    expect(await failure(call)).toMatchObject({
      code: Code.DeadlineExceeded,
      rawMessage: `The deadline of the request has passed. ${text}`,
    });
  });

  test("the error of a read has no outcome of a change", async () => {
    vi.spyOn(contract.server.stores.admission, "admitKey").mockImplementation(down);
    const outcomes = await askAll(contract, own(), { list: true });
    expect(each(outcomes, saysOfChange)).toEqual(
      forAll(() => ["unavailable", "The database is not available. Retry in 1 s.", null, null]),
    );
  });

  test.each([
    [0, 200, 1],
    [60, 429, 60],
  ])(
    "after %i and a %i, a request that cannot be counted has the last known limit headers",
    async (spent, status, known) => {
      await contract.spend(spent);
      expect((await contract.send("GET /v1/inventory")).status).toBe(status);
      vi.spyOn(contract.server.stores.admission, "admitKey").mockImplementation(down);
      const outcomes = await askAll(contract, own(), { list: true });
      expect(each(outcomes, ({ code }) => code)).toEqual(forAll(() => "unavailable"));
      expect(each(outcomes, limitsOf)).toEqual(forAll(() => limitFields(freeAfter(known))));
    },
  );

  test("an unknown key has no limit headers", async () => {
    expect((await contract.send("GET /v1/inventory")).status).toBe(200);
    vi.spyOn(contract.server.stores.admission, "admitKey").mockImplementation(down);
    const other = await contract.newAccount("bbbbbbbbbbbb", { plan: "free" });
    const reply = await contract.send("GET /v1/inventory", { authorization: bearer(other) });
    expect([reply.status, limitFieldsOf(reply)]).toEqual([503, {}]);
  });

  test("a revoked key has no limit headers", async () => {
    expect((await contract.send("GET /v1/inventory")).status).toBe(200);
    await contract.server.stores.accounts.revokeKey(contract.own.keyId);
    expect((await contract.send("GET /v1/inventory")).status).toBe(401);
    vi.spyOn(contract.server.stores.admission, "admitKey").mockImplementation(down);
    const reply = await contract.send("GET /v1/inventory");
    expect([reply.status, limitFieldsOf(reply)]).toEqual([503, {}]);
  });

  test("an overloaded server sends the last known limit headers", async () => {
    expect((await contract.send("GET /v1/inventory")).status).toBe(200);
    const release = Promise.withResolvers<never>();
    const { admission } = contract.server.stores;
    const admit = vi.spyOn(admission, "admitKey").mockReturnValue(release.promise);
    const waiting = contract.send("GET /v1/inventory");
    await expect.poll(() => admit.mock.calls.length).toBe(1);
    const reply = await contract.send("GET /v1/inventory");
    release.reject(storeUnavailable(undefined));
    await waiting;
    expect([reply.status, reply.headers["x-error-reason"]]).toEqual([503, "SERVER_OVERLOADED"]);
    expect(limitFieldsOf(reply)).toEqual(limitFields(freeAfter(1)));
  });
});
