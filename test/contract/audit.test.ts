import { type DescMethod, fromJson } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { afterEach, describe, expect, test, vi } from "vitest";
import { AdminService, AuditEntryKind, Plan } from "../../gen/admin/v1/admin_pb.ts";
import { CatalogService, ImportPetsRequestSchema } from "../../gen/catalog/v1/catalog_pb.ts";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { rpcName } from "../../packaging/generate/samples/requests.ts";
import { storeUnavailable } from "../../src/stores/errors.ts";
import { addSampleData, requestOf } from "../support/operations.ts";
import { upload } from "../support/stock.ts";
import { someTime, storeKinds } from "../support/stores.ts";
import { until } from "../system/harness/until.ts";
import { bearer, expectFailure, failure, ownAccount, useContract, useOperator } from "./support.ts";

afterEach(() => void vi.restoreAllMocks());

const operatorAccount = "cccccccccccc";
type Operator = ReturnType<typeof useOperator>;

const down = () => Promise.reject(storeUnavailable(undefined));
const kinds = AuditEntryKind;

describe.each(storeKinds)("the audit trail of AdminService and CatalogService in $name", (kind) => {
  const contract = useContract(kind);
  const operator = useOperator(contract);
  const { admin, catalog } = operator;
  const trail = async () => (await contract.server.stores.audit.read(undefined, 100)).entries;
  const bodies = async () => (await trail()).map(({ body }) => JSON.parse(body));

  test("has every method: changes before and after, other calls once", async () => {
    const { stores } = contract.server;
    const expected: unknown[] = [];
    for (const method of [...AdminService.methods, ...CatalogService.methods]) {
      const name = rpcName(method);
      const request = requestOf(method, await addSampleData(stores, method));
      if (method === CatalogService.method.importPets) {
        await catalog.importPets(upload(fromJson(ImportPetsRequestSchema, request)));
      } else {
        const reply = await contract.call(name, request, { authorization: bearer(operator.key) });
        expect([name, reply.status]).toEqual([name, 200]);
      }
      const isRead = /^(?:Get|List)/.test(method.name);
      // Everybody may read the catalogue.
      if (isRead && method.parent === CatalogService) continue;
      expected.push(...(isRead ? ["call"] : ["begin", "end"]).map((each) => [name, each]));
    }
    const { secret } = await admin.createKey({ accountId: ownAccount });
    expected.push(...["begin", "end"].map((each) => [methodOf("createKey"), each]));
    const entries = await bodies();
    expect(entries.map(({ method, kind: each }) => [method, each])).toEqual(expected);
    for (const { actor, result, kind: each } of entries) {
      expect(actor).toEqual({ key: operator.key.keyId, account: operatorAccount });
      expect(result).toEqual(each === "begin" ? undefined : { code: "ok" });
    }
    const text = (await trail()).map(({ body }) => body).join();
    expect(text).not.toContain(secret.slice(16, 40));
    expect(text).not.toContain("inv_");
  });

  test("says who did what with which request and result", async () => {
    const reply = await contract.call(
      "admin.v1.AdminService/SetPlan",
      { accountId: ownAccount, plan: "PLAN_PRO" },
      { authorization: bearer(operator.key), headers: { "x-request-id": "night-1" } },
    );
    expect(reply.status).toBe(200);
    const common = {
      actor: { key: operator.key.keyId, account: operatorAccount },
      request: "night-1",
      method: "admin.v1.AdminService/SetPlan",
      targets: { account: ownAccount },
      details: { plan: "PLAN_PRO" },
    };
    expect(await bodies()).toEqual([
      { kind: "begin", ...common },
      { kind: "end", of: 1, ...common, result: { code: "ok" }, returned: { account: ownAccount } },
    ]);
  });

  test("has the id of a new key, but not its secret", async () => {
    const { key, secret } = await admin.createKey({ accountId: ownAccount, name: "till" });
    const [, end] = await bodies();
    expect(end.returned).toEqual({ account: ownAccount, key: key?.keyId });
    expect(JSON.stringify(end)).not.toContain(secret.slice(16));
  });

  test("redacts API keys that a caller puts into a name or a request id", async () => {
    const { secret } = contract.own;
    await contract.call(
      "admin.v1.AdminService/CreateAccount",
      { name: `my key is ${secret}`, plan: "PLAN_FREE" },
      { authorization: bearer(operator.key), headers: { "x-request-id": secret } },
    );
    const [begin] = await bodies();
    expect(begin.details.name).toBe("my key is inv_[redacted]");
    expect(JSON.stringify(begin)).not.toContain(secret.slice(16));
  });

  test("has calls that fail: of a change with both entries", async () => {
    const accountId = "zzzzzzzzzzzz";
    await failure(admin.setPlan({ accountId, plan: Plan.PRO }));
    await failure(admin.getAccount({ accountId }));
    const notFound = { code: "not_found", reason: "ACCOUNT_NOT_FOUND" };
    expect((await bodies()).map(({ kind: each, result }) => [each, result])).toEqual([
      ["begin", undefined],
      ["end", notFound],
      ["call", notFound],
    ]);
  });

  test("has calls with an invalid request once, shortened", async () => {
    await failure(admin.createAccount({ name: "x".repeat(60_000), plan: Plan.PRO }));
    const scopes = Array.from({ length: 1_000 }, () => "\u0001".repeat(60));
    await failure(admin.createKey({ accountId: "y".repeat(9_000), scopes: scopes.slice(0, 6) }));
    const entries = await bodies();
    expect(entries).toMatchObject([
      {
        kind: "call",
        method: methodOf("createAccount"),
        result: { code: "invalid_argument", reason: "FIELD_INVALID" },
      },
      {
        kind: "call",
        method: methodOf("createKey"),
        details: { omitted: "too long" },
        result: { code: "invalid_argument", reason: "FIELD_INVALID" },
      },
    ]);
    for (const { body } of await trail()) expect(Buffer.byteLength(body)).toBeLessThan(4_096);
  });

  test("has an import once before and once after, with the numbers of pets", async () => {
    const pet = (petId: bigint) => ({ petId, quantity: 1, status: PetStatus.AVAILABLE });
    await catalog.importPets(upload({ pets: [pet(1n), pet(7n)] }, { pets: [pet(8n)] }));
    await failure(catalog.importPets(upload({ pets: [pet(9n)] }, { pets: [] })));
    expect(
      (await bodies()).map(({ kind: each, result, returned }) => [each, result?.code, returned]),
    ).toEqual([
      ["begin", undefined, undefined],
      ["end", "ok", { rows: 3, created: 2, updated: 1 }],
      ["begin", undefined, undefined],
      ["end", "invalid_argument", { rows: 1 }],
    ]);
  });

  test("writes that count when the server stops", async () => {
    await contract.call("admin.v1.AdminService/ListAccounts", {});
    await contract.server.drain(0);
    expect(await bodies()).toMatchObject([{ kind: "refused", refused: { count: 1 } }]);
  });

  test("logs each entry once, with all its fields and without keys", async () => {
    const { secret } = contract.own;
    await admin.createKey({ accountId: ownAccount, name: `till ${secret}` });
    await admin.listAccounts({});
    await admin.listAuditEntries({});
    await failure(admin.getAccount({ accountId: "zzzzzzzzzzzz" }));
    await failure(admin.createAccount({ name: "x".repeat(60_000), plan: Plan.PRO }));
    await contract.call("admin.v1.AdminService/ListAccounts", {});
    await contract.server.drain(0);
    const stored = (await trail()).map(({ sequence, body }) => ({
      sequence,
      entry: JSON.parse(body),
    }));
    expect(stored.map(({ entry }) => entry.kind)).toEqual([
      ...["begin", "end", "call", "call", "call", "call", "refused"],
    ]);
    expect(logged()).toEqual(stored);
    expect(JSON.stringify(logged())).not.toContain(secret.slice(16));
  });

  test("logs an entry that the database did not confirm, without a number", async () => {
    vi.spyOn(contract.server.stores.audit, "append").mockImplementation(down);
    await failure(admin.setPlan({ accountId: ownAccount, plan: Plan.PRO }));
    expect(logged()).toEqual([
      { sequence: undefined, entry: expect.objectContaining({ kind: "begin" }) },
    ]);
  });

  /** The entries in the log. */
  const logged = () =>
    contract.server.lines
      .filter(({ msg }) => msg === "audit entry")
      .map(({ sequence, entry }) => ({ sequence, entry }));

  test("refuses a change that it cannot record, and makes none", async () => {
    vi.spyOn(contract.server.stores.audit, "append").mockImplementation(down);
    const error = await failure(admin.setPlan({ accountId: ownAccount, plan: Plan.PRO }));
    expect([error.code, error.rawMessage]).toEqual([
      Code.Unavailable,
      "The database is not available. Nothing was changed. Retry in 1 s.",
    ]);
    const account = await contract.server.stores.accounts.getAccount(ownAccount);
    expect(account?.choice).toEqual({ plan: "free" });
    expect(await failure(admin.listKeys({ accountId: ownAccount }))).toMatchObject({
      code: Code.Unavailable,
    });
  });

  /** Calls that end in different ways. The last entry of each has the result. */
  const ends: Record<string, (clients: Operator) => Promise<unknown>> = {
    "a read": ({ admin }) => admin.getAccount({ accountId: ownAccount }),
    "a read that fails": ({ admin }) => admin.getAccount({ accountId: "zzzzzzzzzzzz" }),
    "an invalid read": ({ admin }) => admin.getAccount({ accountId: "!" }),
    "a change": ({ admin }) => admin.setPlan({ accountId: ownAccount, plan: Plan.PRO }),
    "a change that fails": ({ admin }) =>
      admin.setPlan({ accountId: "zzzzzzzzzzzz", plan: Plan.PRO }),
    "an invalid change": ({ admin }) => admin.setPlan({ accountId: "!", plan: Plan.PRO }),
    "an import": ({ catalog }) => catalog.importPets(upload({ pets: [] })),
  };

  test.each(Object.entries(ends))("ends %s after its result is recorded", async (_name, call) => {
    const { audit } = contract.server.stores;
    const append = audit.append.bind(audit);
    const gate = Promise.withResolvers<void>();
    let waiting = 0;
    vi.spyOn(audit, "append").mockImplementation(async (body) => {
      if (!body.includes('"kind":"begin"')) {
        waiting += 1;
        await gate.promise;
      }
      return append(body);
    });
    let isOver = false;
    const end = call(operator)
      .catch(() => {})
      .finally(() => {
        isOver = true;
      });
    await until("the result is being recorded", () => waiting === 1);
    // A response that does not wait would arrive before that to a later request.
    for (let n = 0; n < 3; n++) await fetch(`${contract.server.url}/livez`);
    expect(isOver).toBe(false);
    gate.resolve();
    await end;
    const result = { kind: expect.stringMatching(/^(?:end|call)$/) };
    expect(await bodies()).toContainEqual(expect.objectContaining(result));
  });

  test("does not report success of a change whose result it cannot record", async () => {
    const { audit } = contract.server.stores;
    const append = audit.append.bind(audit);
    vi.spyOn(audit, "append").mockImplementation((body) =>
      body.includes('"kind":"end"') ? down() : append(body),
    );
    const error = await failure(admin.setPlan({ accountId: ownAccount, plan: Plan.PRO }));
    expect(error.rawMessage).toContain("may or may not have been made");
    expect(await bodies()).toMatchObject([{ kind: "begin" }]);
  });

  describe("ListAuditEntries", () => {
    test("returns entries", async () => {
      await admin.setPlan({ accountId: ownAccount, plan: Plan.PRO });
      const { entries, trail: ends } = await admin.listAuditEntries({});
      expect(entries).toMatchObject([
        {
          sequence: 2n,
          kind: kinds.END,
          beginSequence: 1n,
          code: "ok",
          keyId: operator.key.keyId,
          accountId: operatorAccount,
          operator: "",
          method: methodOf("setPlan"),
          targets: { account: ownAccount },
        },
        { sequence: 1n, kind: kinds.BEGIN, beginSequence: 0n, code: "" },
      ]);
      for (const { time } of entries) expect(time && timestampMs(time)).toBe(someTime);
      expect(ends).toMatchObject({ oldestSequence: 1n, newestSequence: 2n });
    });

    test("is paged, newest first, while entries are added", async () => {
      for (let at = 0; at < 5; at += 1) await admin.listAccounts({});
      const listed: bigint[] = [];
      let pageToken = "";
      do {
        const page = await admin.listAuditEntries({ pageSize: 2, pageToken });
        listed.push(...page.entries.map(({ sequence }) => sequence));
        pageToken = page.nextPageToken;
      } while (pageToken !== "");
      expect(listed).toEqual([5n, 4n, 3n, 2n, 1n]);
    });

    test("records its reads once in ten minutes", async () => {
      for (let at = 0; at < 5; at += 1) await admin.listAuditEntries({});
      expect((await bodies()).map(({ method }) => method)).toEqual([methodOf("listAuditEntries")]);
    });

    test("records every read that fails", async () => {
      const wrong = () => admin.listAuditEntries({ pageToken: "wrong" });
      await admin.listAuditEntries({});
      for (let at = 0; at < 2; at += 1) await expect(wrong()).rejects.toThrow("page_token");
      const codes = (await bodies()).map(({ result }) => result.code);
      expect(codes).toEqual(["ok", "invalid_argument", "invalid_argument"]);
    });

    test("finds entries by actor, method and time", async () => {
      const other = await contract.newAccount("dddddddddddd", { plan: "free" }, ["admin"]);
      await admin.listAccounts({});
      contract.server.clock.now += 60_000;
      await contract.client(AdminService, other).listAccounts({});
      contract.server.clock.now += 60_000;
      await admin.getAccount({ accountId: ownAccount });
      const find = async (request: Parameters<typeof admin.listAuditEntries>[0]) => {
        const { entries } = await admin.listAuditEntries(request);
        return entries.map(({ sequence }) => Number(sequence)).filter((at) => at <= 3);
      };
      expect(await find({ actor: operator.key.keyId })).toEqual([3, 1]);
      expect(await find({ actor: "dddddddddddd" })).toEqual([2]);
      expect(await find({ method: "ListAccounts" })).toEqual([2, 1]);
      expect(await find({ method: methodOf("getAccount") })).toEqual([3]);
      expect(await find({ method: "Accounts" })).toEqual([]);
      expect(await find({ startTime: timestampFromMs(someTime + 1) })).toEqual([3, 2]);
      expect(await find({ endTime: timestampFromMs(someTime + 60_000) })).toEqual([1]);
      expect(await find({ actor: operatorAccount, method: "ListAccounts" })).toEqual([1]);
    });

    test("finds entries by kind, so that pages of changes are full", async () => {
      for (let at = 0; at < 3; at += 1) {
        await admin.listAccounts({});
        await admin.renameAccount({ accountId: ownAccount, name: `Zoo ${at}` });
      }
      const find = async (...kind: AuditEntryKind[]) => {
        const { entries } = await admin.listAuditEntries({ kind, pageSize: 3 });
        return entries.map(({ kind, sequence }) => [kind, Number(sequence)]);
      };
      expect(await find(kinds.BEGIN, kinds.END)).toEqual([
        [kinds.END, 9],
        [kinds.BEGIN, 8],
        [kinds.END, 6],
      ]);
      expect(await find(kinds.REFUSED)).toEqual([]);
    });

    test("returns the entries after a sequence number, oldest first", async () => {
      for (let at = 0; at < 4; at += 1) await admin.listAccounts({});
      const since = async (afterSequence: bigint, pageSize: number) => {
        const { entries } = await admin.listAuditEntries({ afterSequence, pageSize });
        return entries.map(({ sequence }) => sequence);
      };
      expect(await since(0n, 3)).toEqual([1n, 2n, 3n]);
      expect(await since(3n, 1)).toEqual([4n]);
      expect(await since(99n, 100)).toEqual([]);
    });

    test.each([
      [{ pageToken: "x" }, "page_token"],
      [{ pageSize: 1_001 }, "page_size"],
      [{ afterSequence: -1n }, "after_sequence"],
      [{ afterSequence: 1n, actor: "x" }, "actor"],
      [{ afterSequence: 1n, kind: [kinds.END] }, "kind"],
      [{ kind: [kinds.UNSPECIFIED] }, "kind"],
      [{ afterSequence: 1n, startTime: timestampFromMs(1) }, "start_time"],
      [{ startTime: timestampFromMs(2), endTime: timestampFromMs(2) }, "end_time"],
      [{ actor: "x".repeat(201) }, "actor"],
    ])("invalid_argument names the field (%#)", async (request, field) => {
      await expectFailure(admin.listAuditEntries(request), Code.InvalidArgument, field);
    });
  });
});

function methodOf(localName: string): string {
  const method: DescMethod | undefined = AdminService.methods.find(
    (each) => each.localName === localName,
  );
  return `admin.v1.AdminService/${method?.name}`;
}
