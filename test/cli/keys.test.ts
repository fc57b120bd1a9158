import { beforeEach, describe, expect, test } from "vitest";
import { parseApiKey } from "../../src/access/api-key.ts";
import { failed, useCommands } from "./command-line.ts";

const { inventory, json, withStores } = useCommands();
let accountId = "";

beforeEach(async () => {
  ({ accountId } = await json("accounts create --name Shop --plan free"));
});

/** Returns the verdict of admission on the last of some requests with a key. */
async function admit(key: string, times = 1): Promise<string | undefined> {
  return withStores(async ({ admission }) => {
    let verdict: string | undefined;
    for (let i = 0; i < times; i++) {
      verdict = (await admission.admitKey(accountId, parseApiKey(key)?.hash ?? "")).verdict;
    }
    return verdict;
  });
}

describe("keys create", () => {
  test("prints a valid key and its id", async () => {
    const created = await json("keys create", accountId);
    expect(created).toEqual({
      key: expect.stringMatching(`^inv_${accountId}`),
      keyId: expect.stringMatching(`^${accountId}[0-9a-z]{8}$`),
    });
    expect(await admit(created.key)).toBe("admitted");
  });

  test("prints as text that the key is shown only once", async () => {
    const { stdout } = await inventory("keys create", accountId, "--name", "till");
    expect(stdout).toMatch(/^key {6}inv_\S{45}\n/);
    expect(stdout).toContain("shown only once");
  });

  test("says that the scope admin includes all others", async () => {
    const { stdout } = await inventory("keys create", accountId, "--scope", "admin");
    expect(stdout).toMatch(/^scopes +admin \(includes all others\)$/m);
  });

  test("without --scope, the key has all scopes except inventory:audit and admin", async () => {
    await json("keys create", accountId);
    const [key] = await json("keys list", accountId);
    expect(key.scopes).toEqual(["inventory:read", "inventory:write", "store:read", "store:write"]);
  });

  test("--scope may be repeated and comma-separated", async () => {
    const scopes = ["--scope", "inventory:read, store:read", "--scope", "admin"];
    await json("keys create", accountId, ...scopes);
    const [key] = await json("keys list", accountId);
    expect(key.scopes).toEqual(["inventory:read", "store:read", "admin"]);
  });

  test("--expires 30d sets the expiry in 30 days", async () => {
    const before = Date.now();
    await json("keys create", accountId, "--expires", "30d");
    const [key] = await json("keys list", accountId);
    const lifetime = Date.parse(key.expiresAt) - before;
    expect(lifetime).toBeGreaterThanOrEqual(30 * 86_400_000);
    expect(lifetime).toBeLessThan(30 * 86_400_000 + 60_000);
  });

  test("--allowed-address may be repeated and comma-separated", async () => {
    const addresses = [
      "--allowed-address",
      "192.0.2.0/24, 2001:DB8::/32",
      "--allowed-address",
      "::1",
    ];
    const create = ["keys", "create", accountId, "--name", "till", ...addresses];
    const { stdout } = await inventory(...create);
    expect(stdout).toContain("\nallowed addresses  192.0.2.0/24,2001:db8::/32,::1\n");
    const [key] = await json("keys list", accountId);
    expect(key.allowedAddresses).toEqual(["192.0.2.0/24", "2001:db8::/32", "::1"]);
    expect((await inventory("keys list", accountId, "--output", "csv")).stdout).toContain(
      ',"192.0.2.0/24,2001:db8::/32,::1",',
    );
  });

  test.each([
    [
      ["--scope", "everything"],
      2,
      "error: --scope: must be one of inventory:read, inventory:write",
    ],
    // The value of an unset shell variable must not mean the default scopes.
    [["--scope", ""], 2, "error: --scope: must be one of inventory:read, inventory:write"],
    [["--allowed-address", ""], 2, "error: --allowed-address: must be an address or a network"],
    [["--allowed-address", "::1,192.0.2.1/24"], 2, "send 192.0.2.0/24"],
    [["--expires", "0"], 2, "error: --expires: must be in the future"],
    [["--expires", "soon"], 2, "It must be a duration such as 30d"],
    [["--name", "n".repeat(201)], 2, "error: --name: must have at most 200 characters"],
  ])("%j: exit code %i", async (args, code, message) => {
    const outcome = await inventory("keys create", accountId, ...args);
    expect(outcome).toEqual({ code, stdout: "", stderr: expect.stringContaining(message) });
    expect(await json("keys list", accountId)).toEqual([]);
  });
});

describe("keys list", () => {
  test("without an account, prints the keys of all accounts", async () => {
    const { keyId } = await json("keys create", accountId);
    const other = await json("accounts create --name other --plan pro");
    const created = await json("keys create", other.accountId);
    const listed = await json("keys list");
    expect(listed).toEqual([
      expect.objectContaining({ accountId, keyId }),
      expect.objectContaining({ accountId: other.accountId, keyId: created.keyId }),
    ]);
    expect(await json("keys list --limit 1")).toEqual(listed.slice(0, 1));
    expect(await json("keys list", accountId)).toEqual(listed.slice(0, 1));
  });

  test("--expiring prints only valid keys that expire within a time", async () => {
    const create = async (...args: string[]) =>
      (await json("keys create", accountId, ...args)).keyId;
    await create();
    const soon = await create("--expires", "13d");
    await create("--expires", "15d");
    await json("keys revoke", await create("--expires", "1d"));
    const expired = await create("--expires", "1s");
    const states = async () => (await inventory("keys list", accountId)).stdout;
    await expect.poll(states).toMatch(new RegExp(`^${expired} +expired `, "m"));
    for (const which of [[], [accountId]]) {
      const listed = await json("keys list", ...which, "--expiring", "14d");
      expect(listed.map(({ keyId }: { keyId: string }) => keyId)).toEqual([soon]);
    }
  });

  test("prints the last use", async () => {
    const { key } = await json("keys create", accountId);
    expect((await inventory("keys list", accountId)).stdout).toMatch(/ {2}valid {2}never {2}/);
    await admit(key);
    const [{ lastUsedAt }] = await json("keys list", accountId);
    expect(lastUsedAt).toMatch(/:00Z$/);
    expect((await inventory("keys list", accountId)).stdout).toContain(
      `  ${lastUsedAt.replace(":00Z", "Z")}  `,
    );
  });
});

test("keys unban lifts a ban that keys list prints", async () => {
  const { key, keyId } = await json("keys create", accountId);
  // The plan free allows 60 requests per minute. More than 60 rejected requests within a minute ban the key.
  expect(await admit(key, 60 + 61 + 1)).toBe("banned");
  const [banned] = await json("keys list", accountId);
  expect(Date.parse(banned.bannedUntil)).toBeGreaterThan(Date.now());
  expect((await inventory("keys list", accountId)).stdout).toContain("  banned  2");

  const unbanned = await json("keys unban", keyId);
  expect(unbanned).toMatchObject({ keyId, accountId });
  expect(unbanned).not.toHaveProperty("bannedUntil");
  expect(await admit(key)).toBe("limited");
});

test("keys revoke revokes a key", async () => {
  const { key, keyId } = await json("keys create", accountId);
  const revoked = await json("keys revoke", keyId);
  expect(revoked).toMatchObject({ keyId, revokedAt: expect.stringMatching(/Z$/) });
  expect(await admit(key)).toBe("revoked");
  expect((await inventory("keys list", accountId)).stdout).toContain("  revoked  2");
});

describe("keys rotate", () => {
  test("--grace 0 revokes the old key at once", async () => {
    const old = await json("keys create", accountId, "--name", "till");
    const rotation = await json("keys rotate", old.keyId, "--grace", "0");
    expect(rotation).toEqual({
      key: expect.stringMatching(`^inv_${accountId}`),
      keyId: expect.stringMatching(`^${accountId}`),
      rotated: expect.objectContaining({ keyId: old.keyId, name: "till" }),
    });
    expect(rotation.keyId).not.toBe(old.keyId);
    expect(await admit(old.key)).toBe("revoked");
    expect(await admit(rotation.key)).toBe("admitted");
  });

  test("the old key stays valid for 24 hours or for --grace", async () => {
    for (const [args, hours] of [
      [[], 24],
      [["--grace", "90m"], 1.5],
    ] as const) {
      const old = await json("keys create", accountId);
      const { rotated } = await json("keys rotate", old.keyId, ...args);
      const left = Date.parse(rotated.expiresAt) - Date.now();
      expect(left / 3_600_000).toBeCloseTo(hours, 1);
      expect(await admit(old.key)).toBe("admitted");
    }
  });

  test("prints both keys as text", async () => {
    const { keyId } = await json("keys create", accountId);
    const { stdout } = await inventory("keys rotate", keyId);
    expect(stdout).toMatch(/^key {6}inv_/);
    expect(stdout).toContain(`The old key ${keyId}: valid until 2`);
  });

  test("a revoked key fails: exit code 6; a --grace over 366d: exit code 2", async () => {
    const { keyId } = await json("keys create", accountId);
    expect(await inventory("keys rotate", keyId, "--grace", "367d")).toEqual(
      failed(2, "error: --grace: must be between 0 and 366 days\n"),
    );
    await json("keys revoke", keyId);
    const { code, stderr } = await inventory("keys rotate", keyId, "--output=json");
    expect(code).toBe(6);
    expect(JSON.parse(stderr)).toMatchObject({ code: "failed_precondition" });
  });
});
