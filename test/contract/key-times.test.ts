import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { reasonOf } from "../../src/contract/errors.ts";
import { someTime } from "../support/stores.ts";
import {
  bearer,
  describeApi,
  expectConnectError,
  expectFailure,
  failure,
  ownAccount,
  useOperator,
} from "./support.ts";

const nowSeconds = BigInt(Math.floor(someTime / 1000));
const lastSecond = 253_402_300_799n;
const lastNano = 999_999_999;
const longestGrace = 366n * 86_400n;
const inFuture = "must be in the future";
const inRange = "must be between 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z";

describeApi("times of API keys in $name", (contract) => {
  const operator = useOperator(contract);
  const { admin } = operator;

  test.each([
    ["an empty timestamp, the epoch", {}, inFuture],
    ["1 ns after the epoch", { seconds: 0n, nanos: 1 }, inFuture],
    ["1 s ago", { seconds: nowSeconds - 1n }, inFuture],
    ["the second before 0001-01-01", { seconds: -62_135_596_801n }, inRange],
    ["the second after 9999-12-31", { seconds: lastSecond + 1n }, inRange],
    ["1,000,000,000 ns", { seconds: nowSeconds + 9n, nanos: 1_000_000_000 }, "nanos"],
  ])("invalid_argument for a key that expires at %s", async (_, expiresAt, description) => {
    const before = await admin.listKeys({ accountId: ownAccount });
    const error = await failure(admin.createKey({ accountId: ownAccount, expiresAt }));
    expect(error.code).toBe(Code.InvalidArgument);
    expect(reasonOf(error)).toBe("FIELD_INVALID");
    expect(error.rawMessage).toContain("expires_at");
    expect(error.rawMessage).toContain(description);
    expect(await admin.listKeys({ accountId: ownAccount })).toEqual(before);
  });

  test("a key can expire in the last nanosecond of 9999, and is listed", async () => {
    const expiresAt = { seconds: lastSecond, nanos: lastNano };
    await admin.createKey({ accountId: ownAccount, expiresAt });
    const { keys } = await admin.listKeys({ accountId: ownAccount });
    expect(keys.flatMap((key) => key.expiresAt ?? [])).toMatchObject([
      { seconds: lastSecond, nanos: 999_000_000 },
    ]);
    const json = await contract.call(
      "admin.v1.AdminService/ListKeys",
      { accountId: ownAccount },
      { authorization: bearer(operator.key) },
    );
    expect(json.status).toBe(200);
    expect(json.body).toContain("9999-12-31T23:59:59.999Z");
  });

  test.each([
    ["-1 s", { seconds: -1n }],
    ["-1 ns", { nanos: -1 }],
    ["1,000,000,000 ns", { nanos: 1_000_000_000 }],
    ["1 s and -1 ns", { seconds: 1n, nanos: -1 }],
    ["366 days and 1 ms", { seconds: longestGrace, nanos: 1_000_000 }],
    ["4e18 s", { seconds: 4_000_000_000_000_000_000n }],
  ])("invalid_argument for a rotation with a grace period of %s", async (_, grace) => {
    const call = admin.rotateKey({ keyId: contract.own.keyId, grace });
    await expectFailure(call, Code.InvalidArgument, "grace");
  });

  test("a rotation can have a grace period of 366 days", async () => {
    const grace = { seconds: longestGrace };
    const { rotated } = await admin.rotateKey({ keyId: contract.own.keyId, grace });
    expect(rotated?.expiresAt?.seconds).toBe(nowSeconds + longestGrace);
  });

  test("400 for the epoch in JSON", async () => {
    const reply = await contract.call(
      "admin.v1.AdminService/CreateKey",
      { accountId: ownAccount, expiresAt: "1970-01-01T00:00:00Z" },
      { authorization: bearer(operator.key) },
    );
    expect(reply.status).toBe(400);
    expectConnectError(reply, "invalid_argument", "expires_at");
  });
});
