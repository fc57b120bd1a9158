import { create } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { KeySchema } from "../../gen/admin/v1/admin_pb.ts";
import { InventoryService } from "../../gen/inventory/v1/inventory_pb.ts";
import type { RequestRecord } from "../../packages/connect-gateway/src/call/request-record.ts";
import { readNetwork } from "../../src/access/network.ts";
import { callRecordOf } from "../../src/common/call-context.ts";
import { reasonOf } from "../../src/contract/errors.ts";
import { storeKinds } from "../support/stores.ts";
import { until } from "../system/harness/until.ts";
import {
  bearer,
  expectError,
  expectFailure,
  failure,
  freeAfter,
  limitFields,
  limitFieldsOf,
  ownAccount,
  type Reply,
  useContract,
  useOperator,
} from "./support.ts";
import { askAll, each, forAll } from "./unary-protocols.ts";

const list = "GET /v1/inventory";

function network(text: string): string {
  const read = readNetwork(text);
  if ("fault" in read) throw new Error(read.fault);
  return read.network;
}

function expectElsewhere(reply: Reply, remaining: string): void {
  expectError(reply, 403, "permission_denied", "address", "ADDRESS_NOT_ALLOWED");
  expect(reply.headers["x-ratelimit-remaining"]).toBe(remaining);
  expect(reply.headers).not.toHaveProperty("www-authenticate");
  expect(reply.headers).not.toHaveProperty("retry-after");
  // Nothing says from where the key could be used.
  expect(JSON.stringify([reply.headers, reply.body])).not.toMatch(/192\.0\.2|2001:db8/);
}

describe.each(storeKinds)("allowed addresses in $name", (kind) => {
  const contract = useContract(kind, { ANONYMOUS_PER_MINUTE: "20" });
  const { admin } = useOperator(contract);
  const { send } = contract;

  test("CreateKey returns them in canonical form, as later lists and rotations do", async () => {
    const { key } = await admin.createKey({
      accountId: ownAccount,
      allowedAddresses: [
        "192.0.2.0/24",
        "2001:0DB8:0:0::/32",
        "::ffff:192.0.2.7",
        "192.0.2.7/32",
        "::/0",
      ],
    });
    const allowedAddresses = ["192.0.2.0/24", "2001:db8::/32", "192.0.2.7", "::/0"];
    expect(key).toMatchObject({ allowedAddresses });
    const { keyId } = key ?? create(KeySchema);
    const rotated = await admin.rotateKey({ keyId });
    expect(rotated).toMatchObject({ key: { allowedAddresses }, rotated: { allowedAddresses } });
    const { keys } = await admin.listKeys({ accountId: ownAccount });
    expect(keys.map((each) => each.allowedAddresses.length).sort()).toEqual([0, 4, 4]);
    expect(await admin.revokeKey({ keyId })).toMatchObject({ key: { allowedAddresses } });
  });

  test.each([
    [["192.0.2.0/24", "::/0", "0.0.0.0/0", "here"], "allowed_addresses[3]: must be an address"],
    [
      ["192.0.2.1/24"],
      "allowed_addresses[0]: must be a network without host bits: send 192.0.2.0/24",
    ],
    [["192.0.2.1", ""], "allowed_addresses[1]: must be"],
    [["fe80::1%eth0"], "allowed_addresses[0]: must be"],
    [["192.0.2.1/33"], "allowed_addresses[0]: must have a prefix length from 0 to 32"],
    [[`192.0.2.1${" ".repeat(40)}`], "allowed_addresses[0]: must have at most 43"],
    [
      Array.from({ length: 21 }, (_, last) => `192.0.2.${last}`),
      "allowed_addresses: must have at most 20",
    ],
  ])("invalid_argument names the address: %j", async (allowedAddresses, message) => {
    const call = admin.createKey({ accountId: ownAccount, allowedAddresses });
    await expectFailure(call, Code.InvalidArgument, message);
    expect((await admin.listKeys({ accountId: ownAccount })).keys).toHaveLength(1);
  });

  test("a key can have 20 of them", async () => {
    const allowedAddresses = Array.from({ length: 20 }, (_, last) => `2001:db8::${last + 1}:0:1`);
    const { key } = await admin.createKey({ accountId: ownAccount, allowedAddresses });
    expect(key).toMatchObject({ allowedAddresses });
  });

  test("403 from elsewhere in every protocol, counted for the address and not the account", async () => {
    const key = await contract.newKey({ networks: [network("192.0.2.0/24"), network("::/0")] });
    const outcomes = await askAll(contract, bearer(key), { petId: 1n });
    expect(each(outcomes, ({ code }) => code)).toEqual(forAll(() => "permission_denied"));
    expect(each(outcomes, ({ fields }) => fields.get("x-ratelimit-remaining"))).toEqual(
      forAll((index) => String(19 - index)),
    );
    expect(limitFieldsOf(await send(list))).toEqual(limitFields(freeAfter(1)));
    const [listed] =
      (await contract.server.stores.accounts.listKeys(ownAccount))?.filter(
        ({ keyId }) => keyId === key.keyId,
      ) ?? [];
    expect(listed?.lastUsedAt).toBeUndefined();
  });

  test("429 once the address has too many of them; a key that is allowed there still succeeds", async () => {
    const key = await contract.newKey({ networks: [network("192.0.2.0/24")] });
    const home = await contract.newKey({ networks: [network("127.0.0.0/8")] });
    for (let request = 0; request < 20; request += 1) {
      expectElsewhere(await send(list, { authorization: bearer(key) }), String(19 - request));
    }
    const reply = await send(list, { authorization: bearer(key) });
    expectError(reply, 429, "resource_exhausted", "address", "ADDRESS_LIMITED");
    for (const each of [home, contract.own]) {
      expect((await send(list, { authorization: bearer(each) })).status).toBe(200);
    }
  });

  test("the record of the request has the key, as the log then does", async () => {
    const key = await contract.newKey({ networks: [network("192.0.2.0/24")] });
    await send(list, { authorization: bearer(key) });
    const { records } = contract.server;
    await until("the end of the request", () => records.length > 0);
    const [record] = records as [RequestRecord];
    expect({ ...record, ...callRecordOf(record) }).toMatchObject({
      verdict: "address_not_allowed",
      reason: "ADDRESS_NOT_ALLOWED",
      caller: { accountId: ownAccount, keyId: key.keyId },
      plan: undefined,
    });
  });

  test("PERMISSION_DENIED before the first message of a watch", async () => {
    const key = await contract.newKey({ networks: [network("192.0.2.0/24")] });
    const watch = async () => {
      for await (const _ of contract.client(InventoryService, key).watchInventory({})) break;
    };
    const error = await failure(watch());
    expect(error.code).toBe(Code.PermissionDenied);
    expect(reasonOf(error)).toBe("ADDRESS_NOT_ALLOWED");
  });
});

describe.each(storeKinds)("allowed addresses behind trusted proxies in $name", (kind) => {
  const contract = useContract(kind, {
    ANONYMOUS_PER_MINUTE: "20",
    TRUSTED_PROXIES: "127.0.0.1, 10.0.0.0/8",
  });

  test("clients at other addresses do not fill the counter of one at an allowed address", async () => {
    const key = await contract.newKey({ networks: [network("192.0.2.0/24")] });
    const from = (address: string) =>
      contract.send(list, { authorization: bearer(key), headers: { "x-forwarded-for": address } });
    for (let request = 0; request < 25; request += 1) await from("203.0.113.1");
    expect((await from("203.0.113.1")).status).toBe(429);
    expect((await from("203.0.113.2")).status).toBe(403);
    expect((await from("192.0.2.1")).status).toBe(200);
  });
});
