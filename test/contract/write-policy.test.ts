import { Code } from "@connectrpc/connect";
import { beforeEach, describe, expect, test } from "vitest";
import { WritePolicy } from "../../gen/admin/v1/admin_pb.ts";
import { BadRequestSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { InventoryService } from "../../gen/inventory/v1/inventory_pb.ts";
import { StoreService } from "../../gen/store/v1/store_pb.ts";
import { reasonOf } from "../../src/contract/errors.ts";
import { listed, placed, upload } from "../support/stock.ts";
import { nthVersion } from "../support/stores.ts";
import {
  bearer,
  describeApi,
  expectError,
  expectFailure,
  failure,
  ownAccount,
  stock,
  unknownPet,
  useOperator,
} from "./support.ts";

const patch = "PATCH /v1/inventory/1";
const adjust = "POST /v1/inventory/1:adjust";
const batchUpdate = "POST /v1/inventory:batchUpdate";
const batchAdjust = "POST /v1/inventory:batchAdjust";
const place = "POST /v1/store/orders";

const updates = (...more: object[]) =>
  JSON.stringify({ updates: more.map((each, at) => ({ petId: at + 1, quantity: 5, ...each })) });
const key = { "idempotency-key": "k" };
const tag = `"${nthVersion(1)}"`;
const version = Number(nthVersion(1));

type Request = readonly [line: string, body: string, headers: Record<string, string>];

/** The reason, and the name of what is missing. */
const keyless = ["IDEMPOTENCY_KEY_REQUIRED", "Idempotency-Key"] as const;
const unconditional = (name: string) => ["CONDITION_REQUIRED", name] as const;

/** Requests that a strict account is refused, with the reason and the name of what is missing. */
const lacking: readonly (readonly [reason: string, name: string, ...Request])[] = [
  [...unconditional("If-Match"), patch, '{"quantity":5}', {}],
  [...unconditional("expectedQuantity"), patch, '{"quantity":5}', key],
  [...unconditional("If-Match"), patch, '{"quantity":5}', { "if-none-match": '"9"' }],
  [...unconditional("If-Match"), `PATCH /v1/inventory/${unknownPet}`, '{"quantity":5}', {}],
  [...keyless, adjust, '{"delta":1}', {}],
  [...keyless, adjust, '{"delta":1}', { "if-match": tag }],
  [...keyless, `POST /v1/inventory/${unknownPet}:adjust`, '{"delta":1}', {}],
  [...unconditional("updates[0].expectedVersion"), batchUpdate, updates({}), {}],
  [
    "CONDITION_REQUIRED",
    "updates[1].expectedVersion",
    batchUpdate,
    updates({ expectedQuantity: 12 }, {}),
    key,
  ],
  [...keyless, batchUpdate, updates({ expectedQuantity: 12 }, { expectedQuantity: 0 }), {}],
  [...keyless, batchAdjust, '{"adjustments":[{"petId":1,"delta":1,"expectedQuantity":12}]}', {}],
  [...keyless, place, '{"petId":1,"quantity":1}', {}],
  [...keyless, place, `{"petId":${unknownPet},"quantity":1}`, {}],
];

/** Requests that a strict account is served. */
const complete: readonly Request[] = [
  [patch, '{"quantity":5}', { "if-match": tag }],
  [patch, '{"quantity":5}', { "if-match": "*" }],
  [`${patch}?expectedQuantity=12`, '{"quantity":5}', {}],
  [adjust, '{"delta":1}', key],
  [batchUpdate, updates({ expectedVersion: version }, { expectedQuantity: 0 }), key],
  [batchAdjust, '{"adjustments":[{"petId":1,"delta":1}]}', key],
  [place, '{"petId":1,"quantity":1}', key],
];

describeApi("the write policy in $name", (contract) => {
  const { admin, catalog } = useOperator(contract);
  const send = ([line, body, headers]: Request) => contract.send(line, { body, headers });

  async function setPolicy(writePolicy: WritePolicy) {
    return admin.setWritePolicy({ accountId: ownAccount, writePolicy });
  }

  describe("strict", () => {
    beforeEach(
      async () =>
        void (await contract.server.stores.accounts.update(ownAccount, { policy: "strict" })),
    );

    test.each(lacking)("428 %s names %s: %s %s %j", async (reason, name, ...request) => {
      const reply = await send(request);
      expectError(reply, 428, "failed_precondition", name);
      expectError(reply, 428, "failed_precondition", "the write policy of the account is strict");
      expect(reply.headers["x-error-reason"]).toBe(reason);
      expect(await listed(contract.server.stores.inventory)).toEqual(stock);
    });

    test.each(complete)("200 for %s %s %j", async (...request) => {
      expect((await send(request)).status).toBe(200);
    });

    test("400 for a malformed request, before anything is required of it", async () => {
      expectError(await send([adjust, '{"delta":0}', {}]), 400, "invalid_argument", "delta");
      const malformed = { "if-match": "7" };
      expectError(await send([patch, '{"quantity":5}', malformed]), 400, "invalid_argument");
    });

    test("412 for a condition that fails, and 409 for an adjustment of too much", async () => {
      const stale = await send([patch, '{"quantity":5}', { "if-match": '"9"' }]);
      expectError(stale, 412, "aborted");
      expectError(await send([adjust, '{"delta":-13}', key]), 409, "failed_precondition");
    });

    test("holds, their ends, reads and cancellations need nothing", async () => {
      const hold = "/v1/store/holds/cart-7";
      const body = '{"items":[{"petId":1,"quantity":2}]}';
      expect((await contract.send(`PUT ${hold}`, { body })).status).toBe(200);
      expect((await contract.send(`DELETE ${hold}`)).status).toBe(200);
      expect((await contract.send(`PUT ${hold}`, { body })).status).toBe(200);
      expect((await contract.send(`POST ${hold}:confirm`)).status).toBe(200);
      expect((await contract.send("GET /v1/inventory/1")).status).toBe(200);
      const { orderId } = await placed(contract.server.stores.orders, ownAccount, 1n, 5);
      expect((await contract.send(`POST /v1/store/orders/${orderId}:cancel`)).status).toBe(200);
    });

    test("FAILED_PRECONDITION with the reason on RPC", async () => {
      const stock = contract.client(InventoryService, contract.own);
      const store = contract.client(StoreService, contract.own);
      const refused = [
        [() => stock.updateInventory({ petId: 1n, update: { quantity: 5 } }), "CONDITION_REQUIRED"],
        [() => stock.adjustInventory({ petId: 1n, delta: 1 }), "IDEMPOTENCY_KEY_REQUIRED"],
        [
          () => stock.batchUpdateInventory({ updates: [{ petId: 1n, quantity: 5 }] }),
          "CONDITION_REQUIRED",
        ],
        [
          () => stock.batchAdjustInventory({ adjustments: [{ petId: 1n, delta: 1 }] }),
          "IDEMPOTENCY_KEY_REQUIRED",
        ],
        [() => store.placeOrder({ petId: 1n, quantity: 1 }), "IDEMPOTENCY_KEY_REQUIRED"],
      ] as const;
      for (const [call, reason] of refused) {
        const error = await failure(call());
        expect(error.code).toBe(Code.FailedPrecondition);
        expect(reasonOf(error)).toBe(reason);
        expect(error.findDetails(BadRequestSchema)[0]?.fieldViolations).not.toEqual([]);
      }
      await stock.updateInventory({
        petId: 1n,
        update: { quantity: 5 },
        expectedVersion: nthVersion(1),
      });
      await stock.updateInventory({ petId: 1n, update: { quantity: 9 }, expectedQuantity: 5 });
      await stock.adjustInventory({ petId: 1n, delta: 1, idempotencyKey: "one" });
      await store.placeOrder({ petId: 1n, quantity: 1, idempotencyKey: "order" });
    });
  });

  test("applies from the next request, and any is the default", async () => {
    const unconditional: Request = [patch, '{"quantity":5}', {}];
    expect((await send(unconditional)).status).toBe(200);
    const { account } = await setPolicy(WritePolicy.STRICT);
    expect(account).toMatchObject({ accountId: ownAccount, writePolicy: WritePolicy.STRICT });
    expect((await send(unconditional)).status).toBe(428);
    const other = await contract.newAccount("bbbbbbbbbbbb", { plan: "free" });
    const [line, body] = unconditional;
    expect((await contract.send(line, { body, authorization: bearer(other) })).status).toBe(200);
  });

  test("is in the account that AdminService returns, and in the audit trail", async () => {
    const policyOf = async () =>
      (await admin.getAccount({ accountId: ownAccount })).account?.writePolicy;
    expect(await policyOf()).toBe(WritePolicy.ANY);
    await admin.setWritePolicy({ accountId: ownAccount, writePolicy: WritePolicy.STRICT });
    expect(await policyOf()).toBe(WritePolicy.STRICT);
    const { accounts } = await admin.listAccounts({});
    expect(accounts.map(({ writePolicy }) => writePolicy)).toEqual([
      WritePolicy.STRICT,
      WritePolicy.ANY,
    ]);
    const { entries } = await admin.listAuditEntries({ pageSize: 10 });
    expect(entries.map(({ body }) => JSON.parse(body))).toContainEqual(
      expect.objectContaining({
        method: "admin.v1.AdminService/SetWritePolicy",
        targets: { account: ownAccount },
        details: { writePolicy: "WRITE_POLICY_STRICT" },
        result: { code: "ok" },
      }),
    );
  });

  test("AdminService and CatalogService are exempt", async () => {
    await contract.server.stores.accounts.update("cccccccccccc", { policy: "strict" });
    await catalog.updatePet({ petId: 1n, status: 2 });
    await catalog.importPets(upload({ pets: [{ petId: 1n, quantity: 3, status: 1 }] }));
    const { orderId } = await placed(contract.server.stores.orders, ownAccount, 1n, 2);
    await admin.cancelOrder({ accountId: ownAccount, orderId });
    expect((await contract.server.stores.inventory.get(1n))?.quantity).toBe(3);
  });

  test("invalid_argument when the policy is none, and not_found for an unknown account", async () => {
    for (const writePolicy of [WritePolicy.UNSPECIFIED, 3 as WritePolicy]) {
      const call = admin.setWritePolicy({ accountId: ownAccount, writePolicy });
      await expectFailure(call, Code.InvalidArgument, "write_policy");
    }
    const unknown = { accountId: "zzzzzzzzzzzz", writePolicy: WritePolicy.STRICT };
    expect(reasonOf(await failure(admin.setWritePolicy(unknown)))).toBe("ACCOUNT_NOT_FOUND");
  });
});
