import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import {
  type CreateAccountRequestSchema,
  type ListAccountsRequestSchema,
  Plan,
} from "../../gen/admin/v1/admin_pb.ts";
import { OrderStatus } from "../../gen/store/v1/store_pb.ts";
import { rpcName } from "../../packaging/generate/samples/requests.ts";
import { scopes } from "../../src/access/scopes.ts";
import { methods, otherScopesOf } from "../support/operations.ts";
import { placed } from "../support/stock.ts";
import {
  bearer,
  describeApi,
  expectConnectError,
  expectError,
  expectFailure,
  failure,
  freeAfter,
  limitFields,
  limitFieldsOf,
  ownAccount,
  useOperator,
} from "./support.ts";

const list = "GET /v1/inventory";
const minute = 60_000;

const nobody = "zzzzzzzzzzzz";

describeApi("AdminService in $name", (contract) => {
  const operator = useOperator(contract);
  const { admin } = operator;
  const { send, spend } = contract;

  describe("admission", () => {
    test.each(methods)(
      "$name: refused without a key, and with every scope but its own and admin",
      async (method) => {
        const refused = await contract.call(rpcName(method), {}, { authorization: null });
        expect(refused.status).toBe(401);
        expectConnectError(refused, "unauthenticated");
        const others = otherScopesOf(method);
        if (!others || method.methodKind !== "unary") return;
        const key = await contract.newKey({ scopes: others });
        const reply = await contract.call(rpcName(method), {}, { authorization: bearer(key) });
        expect(reply.status).toBe(403);
        expectConnectError(reply, "permission_denied", "scope");
        expect(limitFieldsOf(reply)).toEqual(limitFields(freeAfter(1)));
      },
    );

    test("the scope admin includes all others", async () => {
      const auditor = await contract.newAccount("dddddddddddd", { plan: "pro" }, [
        "inventory:audit",
      ]);
      const without = bearer(auditor);
      const needed = new Set<string>();
      for (const { name, parent } of methods.filter(({ methodKind }) => methodKind === "unary")) {
        const call = (authorization: string) =>
          contract.call(`${parent.typeName}/${name}`, {}, { authorization });
        const refused = await call(without);
        if (refused.status === 403)
          needed.add(/the scope `([a-z:]+)`/.exec(refused.body)?.[1] ?? "");
        expect.soft((await call(bearer(operator.key))).status, name).not.toBe(403);
      }
      const others = scopes.filter((scope) => scope !== "inventory:audit");
      expect([...needed].sort()).toEqual([...others].sort());
    });
  });

  describe("accounts", () => {
    test("CreateAccount creates an account that GetAccount and ListAccounts return", async () => {
      contract.server.clock.now += minute;
      const { account } = await admin.createAccount({ name: "Zoo ☃", plan: Plan.PRO });
      expect(account).toMatchObject({
        accountId: expect.stringMatching(/^[0-9a-z]{12}$/),
        name: "Zoo ☃",
        plan: Plan.PRO,
        limits: { perMinute: 300n, perDay: 10_000n },
      });
      const found = await admin.getAccount({ accountId: account?.accountId ?? "" });
      expect(found.account).toEqual(account);
      const { accounts } = await admin.listAccounts({});
      expect(accounts.map(({ accountId }) => accountId)).toEqual([
        ...[ownAccount, "cccccccccccc"],
        account?.accountId,
      ]);
    });

    test("ListAccounts returns all accounts in pages", async () => {
      const first = await admin.listAccounts({ pageSize: 1 });
      expect(first.accounts).toMatchObject([{ accountId: ownAccount }]);
      const second = await admin.listAccounts({ pageToken: first.nextPageToken });
      expect(second).toMatchObject({
        accounts: [{ accountId: "cccccccccccc" }],
        nextPageToken: "",
      });
    });

    test("ListAccounts returns the accounts with certain ids, in their order", async () => {
      const accountIds = ["cccccccccccc", "zzzzzzzzzzzz", ownAccount];
      const page = await admin.listAccounts({ accountIds });
      expect(page).toMatchObject({
        accounts: [{ accountId: "cccccccccccc" }, { accountId: ownAccount }],
        nextPageToken: "",
      });
    });

    test.each<[MessageInitShape<typeof ListAccountsRequestSchema>, string]>([
      [{ accountIds: [ownAccount], pageSize: 1 }, "page_size"],
      [{ accountIds: [ownAccount, ownAccount] }, "account_ids"],
      [{ accountIds: ["x"] }, "account_ids"],
      [{ pageSize: 0 }, "page_size"],
      [{ pageSize: 1_001 }, "page_size"],
      [{ pageToken: "x" }, "page_token"],
      [{ pageToken: Buffer.from("order 1").toString("base64url") }, "page_token"],
      [{ pageToken: Buffer.from("account 1 x").toString("base64url") }, "page_token"],
    ])("invalid_argument when the page is %j", async (request, field) => {
      await expectFailure(admin.listAccounts(request), Code.InvalidArgument, field);
    });

    test.each<[MessageInitShape<typeof CreateAccountRequestSchema>, string]>([
      [{ name: "", plan: Plan.FREE }, "name"],
      [{ name: "x".repeat(201), plan: Plan.FREE }, "name"],
      [{ name: "x" }, "plan"],
      [{ name: "x", plan: 9 as Plan }, "plan"],
      [{ name: "x", plan: Plan.ENTERPRISE }, "limits"],
      [{ name: "x", plan: Plan.PRO, limits: { perMinute: 1n, perDay: 1n } }, "limits"],
      [{ name: "x", plan: Plan.ENTERPRISE, limits: { perDay: 1n } }, "per_minute"],
      [
        { name: "x", plan: Plan.ENTERPRISE, limits: { perMinute: 1_000_001n, perDay: 1n } },
        "per_minute",
      ],
      [{ name: "x", plan: Plan.ENTERPRISE, limits: { perMinute: 1n, perDay: -1n } }, "per_day"],
    ])("invalid_argument names the field (%#)", async (request, field) => {
      await expectFailure(admin.createAccount(request), Code.InvalidArgument, field);
      expect((await admin.listAccounts({})).accounts).toHaveLength(2);
    });

    test("not_found for an unknown account", async () => {
      const accountId = nobody;
      const failures = await Promise.all([
        failure(admin.getAccount({ accountId })),
        failure(admin.setPlan({ accountId, plan: Plan.PRO })),
        failure(admin.createKey({ accountId })),
        failure(admin.listKeys({ accountId })),
      ]);
      for (const each of failures) {
        expect(each).toMatchObject({
          code: Code.NotFound,
          rawMessage: expect.stringContaining(accountId),
        });
      }
    });

    test("SetPlan changes the limits for the next request, up and down", async () => {
      await spend(60);
      expectError(await send(list), 429, "resource_exhausted");
      await admin.setPlan({ accountId: ownAccount, plan: Plan.PRO });
      const up = await send(list);
      expect(up.status).toBe(200);
      expect(up.headers).toMatchObject({
        "x-ratelimit-limit": "300",
        "x-ratelimit-remaining": "239",
        "ratelimit-policy": '"minute";q=300;w=60, "day";q=10000;w=86400',
      });
      await admin.setPlan({
        accountId: ownAccount,
        plan: Plan.ENTERPRISE,
        limits: { perMinute: 62n, perDay: 500n },
      });
      const own = await send(list);
      expect(own.headers).toMatchObject({
        "x-ratelimit-limit": "62",
        "x-ratelimit-remaining": "0",
        "ratelimit-policy": '"minute";q=62;w=60, "day";q=500;w=86400',
      });
      await admin.setPlan({ accountId: ownAccount, plan: Plan.FREE });
      const down = await send(list);
      expectError(down, 429, "resource_exhausted");
      expect(down.headers).toMatchObject({ "x-ratelimit-limit": "60", "retry-after": "61" });
    });
  });

  describe("orders", () => {
    async function place(): Promise<bigint> {
      return (await placed(contract.server.stores.orders, ownAccount, 1n, 1)).orderId;
    }

    test("AdvanceOrder approves, then delivers an order", async () => {
      const orderId = await place();
      for (const status of [OrderStatus.APPROVED, OrderStatus.APPROVED, OrderStatus.DELIVERED]) {
        const { order } = await admin.advanceOrder({ accountId: ownAccount, orderId, status });
        expect(order).toMatchObject({ orderId, status });
      }
      expect((await send("GET /v1/store/orders")).body).toContain('"status":"delivered"');
    });

    test("failed_precondition when the order has a later status or was cancelled", async () => {
      const { orders } = contract.server.stores;
      const delivered = await place();
      await orders.advance(ownAccount, delivered, OrderStatus.DELIVERED);
      const cancelled = await place();
      await orders.cancel(ownAccount, cancelled);
      for (const [orderId, status] of [
        [delivered, OrderStatus.APPROVED],
        [cancelled, OrderStatus.APPROVED],
        [cancelled, OrderStatus.DELIVERED],
      ] as const) {
        const call = admin.advanceOrder({ accountId: ownAccount, orderId, status });
        expect(await failure(call)).toMatchObject({ code: Code.FailedPrecondition });
      }
    });

    test("invalid_argument when the status is neither approved nor delivered", async () => {
      const orderId = await place();
      const statuses: readonly number[] = [0, OrderStatus.PLACED, OrderStatus.CANCELLED, 9];
      for (const status of statuses as readonly OrderStatus[]) {
        const call = admin.advanceOrder({ accountId: ownAccount, orderId, status });
        await expectFailure(call, Code.InvalidArgument, "status");
      }
    });

    test("not_found when the account has no such order", async () => {
      const orderId = await place();
      const status = OrderStatus.APPROVED;
      const failures = await Promise.all([
        failure(admin.advanceOrder({ accountId: ownAccount, orderId: orderId + 1n, status })),
        failure(admin.advanceOrder({ accountId: "cccccccccccc", orderId, status })),
      ]);
      for (const each of failures) {
        expect(each).toMatchObject({ code: Code.NotFound });
      }
    });
  });
});
