import { Code } from "@connectrpc/connect";
import { beforeEach, expect, test } from "vitest";
import { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { InventoryService, PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { OrderStatus, StoreService } from "../../gen/store/v1/store_pb.ts";
import { maxKeysPerAccount } from "../../src/stores/account-store.ts";
import { addKey } from "../support/accounts.ts";
import { placed } from "../support/stock.ts";
import {
  bearer,
  type Contract,
  describeApi,
  failure,
  operator,
  ownAccount,
  unknownPet,
} from "./support.ts";
import { type Ask, askAll, each, forAll } from "./unary-protocols.ts";

describeApi("X-Error-Reason in $name", (contract) => {
  const own = ({ own }: Contract) => bearer(own);
  const list = { list: true } as const;
  const update = { petId: 1n, update: { quantity: 5 } };

  test.each<[string, (contract: Contract) => Promise<string | null> | string | null, Ask]>([
    ["KEY_MISSING", () => null, list],
    ["KEY_INVALID", () => "Bearer nonsense", list],
    ["SCOPE_MISSING", async ({ newKey }) => bearer(await newKey({ scopes: ["store:read"] })), list],
    ["PET_NOT_FOUND", own, { ...update, petId: BigInt(unknownPet) }],
    ["FIELD_INVALID", own, { petId: 1n, update: { quantity: -1 } }],
    [
      "RATE_LIMITED",
      async (contract) => {
        await contract.spend(60);
        return own(contract);
      },
      list,
    ],
  ])(
    "the HTTP header equals the reason in ErrorInfo on RPC: %s",
    async (reason, authorization, ask) => {
      const outcomes = await askAll(contract, await authorization(contract), ask);
      const reasons = each(outcomes, ({ fields, error }) =>
        error ? error.findDetails(ErrorInfoSchema)[0]?.reason : fields.get("x-error-reason"),
      );
      expect(reasons).toEqual(forAll(() => reason));
    },
  );

  test.each([
    ["MESSAGE_INVALID", 400, "GET http://a:b/"],
    ["MESSAGE_INVALID", 400, "GET /v1/inventory?x=1"],
    ["PATH_NOT_FOUND", 404, "GET /v1/nothing"],
    ["METHOD_NOT_ALLOWED", 405, "DELETE /v1/inventory"],
    ["METHOD_NOT_ALLOWED", 405, "POST /openapi.json"],
  ])("%s with %i to %s", async (reason, status, line) => {
    const reply = await contract.send(line);
    expect([reply.status, reply.headers["x-error-reason"]]).toEqual([status, reason]);
  });

  test("a success has no X-Error-Reason", async () => {
    const outcomes = await askAll(contract, own(contract), list);
    expect(each(outcomes, ({ fields }) => fields.get("x-error-reason"))).toEqual(
      forAll(() => null),
    );
  });
});

describeApi("an error on RPC in $name", (contract) => {
  const own = { orderId: 0n };
  const idempotencyKey = "once";
  const item = { petId: 1n, quantity: 1, status: PetStatus.SOLD };
  const change = { petId: 1n, update: { quantity: 1 } };
  const inventory = () => contract.client(InventoryService, contract.own);
  const store = () => contract.client(StoreService, contract.own);
  const admin = async () => (await operator(contract)).admin;
  const catalog = async () => (await operator(contract)).catalog;

  beforeEach(async () => {
    const { orders, holds } = contract.server.stores;
    own.orderId = (await placed(orders, ownAccount, 1n, 1)).orderId;
    await holds.put(ownAccount, "cart-7", { items: [{ petId: 1n, quantity: 1 }], ttlMs: 60_000 });
  });

  /** Calls that fail, by the reason, the code and a key of the metadata. */
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    "SCOPE_MISSING PermissionDenied scope": () =>
      contract.client(AdminService, contract.own).listAccounts({}),
    "QUANTITY_MISMATCH Aborted quantity": () =>
      inventory().updateInventory({ ...change, expectedQuantity: 7 }),
    async "IDEMPOTENCY_KEY_REUSED FailedPrecondition key"() {
      await inventory().updateInventory({ ...change, idempotencyKey });
      await inventory().adjustInventory({ petId: 1n, delta: 1, idempotencyKey });
    },
    "ORDER_NOT_FOUND NotFound orderId": () => store().cancelOrder({ orderId: 2n ** 53n }),
    async "ORDER_STATUS FailedPrecondition status"() {
      const { orders } = contract.server.stores;
      await orders.advance(ownAccount, own.orderId, OrderStatus.DELIVERED);
      await store().cancelOrder({ orderId: own.orderId });
    },
    async "STOCK_TOO_LARGE FailedPrecondition orderId"() {
      await contract.server.stores.holds.release(ownAccount, "cart-7");
      await contract.server.stores.inventory.change({ petId: 1n, quantity: 2_147_483_647 });
      await store().cancelOrder({ orderId: own.orderId });
    },
    "HOLD_NOT_FOUND NotFound holdId": () => store().releaseHold({ holdId: "none" }),
    async "HOLD_ENDED FailedPrecondition state"() {
      await store().confirmHold({ holdId: "cart-7" });
      await store().releaseHold({ holdId: "cart-7" });
    },
    "PET_EXISTS AlreadyExists petId": async () => (await catalog()).createPet(item),
    "PET_HELD FailedPrecondition petId": async () => (await catalog()).removePet({ petId: 1n }),
    "ACCOUNT_NOT_FOUND NotFound accountId": async () =>
      (await admin()).getAccount({ accountId: "zzzzzzzzzzzz" }),
    "OWN_ACCOUNT FailedPrecondition accountId": async () =>
      (await admin()).disableAccount({ accountId: "cccccccccccc" }),
    "KEY_NOT_FOUND NotFound keyId": async () =>
      (await admin()).revokeKey({ keyId: "z".repeat(20) }),
    async "KEY_NOT_VALID FailedPrecondition keyId"() {
      const { keyId } = contract.own;
      const client = await admin();
      await client.revokeKey({ keyId });
      await client.rotateKey({ keyId });
    },
    async "TOO_MANY_KEYS FailedPrecondition accountId"() {
      const add = () => addKey(contract.server.stores, ownAccount);
      await Promise.all(Array.from({ length: maxKeysPerAccount - 1 }, add));
      await (await admin()).createKey({ accountId: ownAccount });
    },
  };

  test.each(Object.keys(calls))("has its reason, its code and a metadatum: %s", async (key) => {
    const error = await failure(calls[key]?.() ?? Promise.resolve());
    const [info] = error.findDetails(ErrorInfoSchema);
    const [metadata = ""] = key.split(" ").slice(2);
    expect([info?.reason, Code[error.code], info?.domain]).toEqual([
      ...key.split(" ").slice(0, 2),
      "inventory",
    ]);
    expect(info?.metadata).toHaveProperty(metadata);
  });
});
