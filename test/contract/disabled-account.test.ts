import { Code, type ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { InventoryService } from "../../gen/inventory/v1/inventory_pb.ts";
import { reasonOf } from "../../src/contract/errors.ts";
import {
  bearer,
  describeApi,
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
const unknown = "zzzzzzzzzzzz";

describeApi("a disabled account in $name", (contract) => {
  const { admin } = useOperator(contract);
  const { send } = contract;

  test("403 for each of its keys from the next request, whatever the request", async () => {
    const other = await contract.newKey();
    expect((await send(list)).status).toBe(200);
    const { account } = await admin.disableAccount({ accountId: ownAccount });
    expect(account?.disabledAt).toBeDefined();
    for (const key of [contract.own, other]) {
      for (const line of [list, "GET /v1/nothing", "DELETE /v1/inventory"]) {
        const reply = await send(line, { authorization: bearer(key) });
        expectError(reply, 403, "permission_denied", "disabled", "ACCOUNT_DISABLED");
        expect(reply.headers).not.toHaveProperty("retry-after");
        expect(limitFieldsOf(reply)).toEqual(limitFields(freeAfter(1)));
      }
    }
    expect((await send(list, { authorization: null })).status).toBe(401);
  });

  test("PERMISSION_DENIED with the reason ACCOUNT_DISABLED on RPC", async () => {
    await admin.disableAccount({ accountId: ownAccount });
    const error = await failure(
      contract.client(InventoryService, contract.own).getInventoryItem({ petId: 1n }),
    );
    expect(error.code).toBe(Code.PermissionDenied);
    expect(reasonOf(error)).toBe("ACCOUNT_DISABLED");
  });

  test("RenameAccount changes the name and nothing else", async () => {
    const { account: before } = await admin.getAccount({ accountId: ownAccount });
    const { account } = await admin.renameAccount({ accountId: ownAccount, name: "Zoo ☃" });
    expect(account).toEqual({ ...before, name: "Zoo ☃" });
    expect((await admin.getAccount({ accountId: ownAccount })).account).toEqual(account);
  });

  test.each(["", "x".repeat(201)])("invalid_argument when the name is %j", async (name) => {
    const call = admin.renameAccount({ accountId: ownAccount, name });
    await expectFailure(call, Code.InvalidArgument, "name");
  });

  test("failed_precondition for the account of the calling key", async () => {
    const error = await failure(admin.disableAccount({ accountId: "cccccccccccc" }));
    expect(error.code).toBe(Code.FailedPrecondition);
    expect(reasonOf(error)).toBe("OWN_ACCOUNT");
    expect((await admin.listAccounts({})).accounts).toHaveLength(2);
  });

  test("not_found for an unknown account", async () => {
    for (const call of [
      () => admin.renameAccount({ accountId: unknown, name: "x" }),
      () => admin.disableAccount({ accountId: unknown }),
      () => admin.enableAccount({ accountId: unknown }),
    ]) {
      const error: ConnectError = await failure(call());
      expect(reasonOf(error)).toBe("ACCOUNT_NOT_FOUND");
    }
  });
});
