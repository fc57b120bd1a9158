import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { parseApiKey } from "../../src/access/api-key.ts";
import { defaultScopes, scopes } from "../../src/access/scopes.ts";
import type { TestKey } from "../support/accounts.ts";
import {
  bearer,
  describeApi,
  expectError,
  expectFailure,
  failure,
  ownAccount,
  useOperator,
} from "./support.ts";

const list = "GET /v1/inventory";
const minute = 60_000;
const day = 86_400_000;

const nobody = "zzzzzzzzzzzz";
const nothing = `${nobody}00000000`;

describeApi("API keys of AdminService in $name", (contract) => {
  const operator = useOperator(contract);
  const { admin } = operator;
  const { send, spend } = contract;

  const as = (secret: string) => send(list, { authorization: `Bearer ${secret}` });

  describe("keys", () => {
    test("CreateKey creates a key that is valid for the next request", async () => {
      const { secret, key } = await admin.createKey({ accountId: ownAccount, name: "till 1" });
      expect(parseApiKey(secret)?.accountId).toBe(ownAccount);
      expect(key).toMatchObject({ accountId: ownAccount, name: "till 1", scopes: defaultScopes });
      expect((await as(secret)).status).toBe(200);
      expect(
        (await send("GET /v1/store/orders", { authorization: `Bearer ${secret}` })).status,
      ).toBe(200);
    });

    test("only the response to CreateKey has the secret", async () => {
      const { secret, key } = await admin.createKey({ accountId: ownAccount });
      const reply = await contract.call(
        "admin.v1.AdminService/ListKeys",
        { accountId: ownAccount },
        { authorization: bearer(operator.key) },
      );
      expect(reply.body).toContain(key?.keyId);
      expect(reply.body).not.toContain(secret.slice(-20));
      expect(reply.body).not.toContain("inv_");
    });

    test("a key can have all scopes", async () => {
      const { key } = await admin.createKey({ accountId: ownAccount, scopes: [...scopes] });
      expect(key?.scopes).toEqual([...scopes]);
    });

    test("ListKeys returns the oldest key first, with the last use to the minute", async () => {
      const { clock } = contract.server;
      clock.now += 90_000;
      const { key, secret } = await admin.createKey({ accountId: ownAccount });
      clock.now += 5_000;
      await as(secret);
      const { keys } = await admin.listKeys({ accountId: ownAccount });
      expect(keys.map(({ keyId }) => keyId)).toEqual([contract.own.keyId, key?.keyId]);
      expect(keys.map(({ lastUsedAt }) => lastUsedAt && timestampMs(lastUsedAt))).toEqual([
        undefined,
        Date.UTC(2026, 6, 15, 10, 22),
      ]);
    });

    test.each([
      [{ scopes: ["inventory:delete"] }, "scopes[0]"],
      [{ scopes: ["admin", ""] }, "scopes[1]"],
      [{ name: "x".repeat(201) }, "name"],
      [{ expiresAt: timestampFromMs(Date.UTC(2026, 6, 15, 10, 20, 30, 400)) }, "expires_at"],
    ])("invalid_argument names the field (%#)", async (more, field) => {
      const call = admin.createKey({ accountId: ownAccount, ...more });
      await expectFailure(call, Code.InvalidArgument, field);
    });

    test.each([
      ["", "account_id"],
      ["AAAAAAAAAAAA", "account_id"],
      ["aaaaaaaaaaaa\n", "account_id"],
      ["../../../etc", "account_id"],
      ["aaaaaaaaaaaaa", "account_id"],
      // Ids do not contain these letters.
      ["iiiiiiiiiiii", "account_id"],
      ["aaaaaaaaaaal", "account_id"],
    ])("invalid_argument when the account id is %j", async (accountId, field) => {
      await expectFailure(admin.createKey({ accountId }), Code.InvalidArgument, field);
    });

    test.each(["o", "u"])("invalid_argument when a key id has the letter %s", async (letter) => {
      const keyId = `aaaaaaaaaaa${letter}00000000`;
      for (const call of [
        () => admin.revokeKey({ keyId }),
        () => admin.rotateKey({ keyId }),
        () => admin.unbanKey({ keyId }),
      ]) {
        await expectFailure(call(), Code.InvalidArgument, "key_id");
      }
      expect(contract.server.faults).toEqual([]);
    });

    test("not_found for an unknown key", async () => {
      const keyIds = [nothing, `${ownAccount}00000000`];
      for (const keyId of keyIds) {
        const failures = await Promise.all([
          failure(admin.revokeKey({ keyId })),
          failure(admin.rotateKey({ keyId })),
          failure(admin.unbanKey({ keyId })),
        ]);
        for (const each of failures) {
          expect(each).toMatchObject({
            code: Code.NotFound,
            rawMessage: expect.stringContaining(keyId),
          });
        }
      }
    });

    test("RevokeKey rejects the next request; a second call changes nothing", async () => {
      const other = await contract.newKey();
      expect((await send(list)).status).toBe(200);
      const { key } = await admin.revokeKey({ keyId: contract.own.keyId });
      expectError(await send(list), 401, "unauthenticated", "revoked");
      expect((await as(other.secret)).status).toBe(200);
      contract.server.clock.now += 5_000;
      const again = await admin.revokeKey({ keyId: contract.own.keyId });
      expect(again.key?.revokedAt).toEqual(key?.revokedAt);
    });

    test("unauthenticated after an operator revokes the key of the call", async () => {
      await admin.revokeKey({ keyId: operator.key.keyId });
      expect(await failure(admin.listAccounts({}))).toMatchObject({ code: Code.Unauthenticated });
    });
  });

  describe("rotation", () => {
    test("the default grace period is 24 hours", async () => {
      const { clock } = contract.server;
      const { secret } = await admin.rotateKey({ keyId: contract.own.keyId });
      clock.now += day - 1;
      expect((await send(list)).status).toBe(200);
      clock.now += 1;
      expectError(await send(list), 401, "unauthenticated", "expired");
      expect((await as(secret)).status).toBe(200);
    });

    test("a grace period of 0 revokes the old key at once", async () => {
      const { secret, rotated } = await admin.rotateKey({ keyId: contract.own.keyId, grace: {} });
      const now = timestampFromMs(contract.server.clock.now);
      expect(rotated).toMatchObject({ revokedAt: now, expiresAt: now });
      expectError(await send(list), 401, "unauthenticated", "revoked");
      expect((await as(secret)).status).toBe(200);
    });

    test("failed_precondition when the key was revoked", async () => {
      const { keyId } = contract.own;
      await admin.revokeKey({ keyId });
      expect(await failure(admin.rotateKey({ keyId }))).toMatchObject({
        code: Code.FailedPrecondition,
      });
    });
  });

  describe("bans", () => {
    /**
     * Bans a key: sends requests this long after its limit was reached, in milliseconds.
     *
     * @returns the Retry-After header
     */
    async function ban(key: TestKey, afterMs: number): Promise<string | undefined> {
      await spend(60, key);
      contract.server.clock.now += afterMs;
      await spend(60, key);
      const last = await send(list, { authorization: bearer(key) });
      expectError(last, 429, "resource_exhausted", "banned");
      return last.headers["retry-after"];
    }

    test("UnbanKey lifts a ban for the next request", async () => {
      const { clock } = contract.server;
      const { keyId } = contract.own;
      await ban(contract.own, 30_000);
      const { keys } = await admin.listKeys({ accountId: ownAccount });
      expect(keys[0]?.bannedUntil && timestampMs(keys[0].bannedUntil)).toBe(clock.now + minute);
      clock.now += 31_000;
      expectError(await send(list), 429, "resource_exhausted", "banned");
      const { key } = await admin.unbanKey({ keyId });
      expect(key?.keyId).toBe(keyId);
      expect(key?.bannedUntil).toBeUndefined();
      expect((await send(list)).status).toBe(200);
    });
  });
});
