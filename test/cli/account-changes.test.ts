import { beforeEach, describe, expect, test } from "vitest";
import { addAccount, addKey } from "../support/accounts.ts";
import { placed } from "../support/stock.ts";
import { runHere, useCommands } from "./command-line.ts";

const { redis, inventory, withStores } = useCommands();
const account = "aaaaaaaaaaaa";
const unknown = "zzzzzzzzzzzz";

beforeEach(async () => {
  await withStores(async (stores) => {
    await addAccount(stores, { plan: "free" }, account);
    await addKey(stores, account);
    await stores.catalog.put([{ petId: 1n, quantity: 9, status: 1 }]);
    await placed(stores.orders, account, 1n, 2);
    await placed(stores.orders, account, 1n, 3);
  });
});

/** Runs a command whose standard input is a terminal on which a user types. */
const onTerminal = (stdin: string, ...args: string[]) =>
  runHere(args, { redisUrl: redis.url, stdin, isTTY: true, streams: { stdin: { isTTY: true } } });

const exists = async () => (await inventory("accounts show", account)).code === 0;

test("accounts rename prints the account with its new name", async () => {
  const { code, stdout } = await inventory("accounts rename", account, "Zoo ☃");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^id .*aaaaaaaaaaaa\nname .*Zoo ☃\n/);
  const shown = await inventory("accounts show", account);
  expect(shown.stdout).toBe(stdout);
});

test("accounts disable and enable change the state, and list shows it", async () => {
  const disabled = await inventory("accounts disable", account, "--output=json");
  expect(JSON.parse(disabled.stdout)).toMatchObject({
    accountId: account,
    disabledAt: expect.stringMatching(/Z$/),
  });
  expect((await inventory("accounts list")).stdout).toMatch(/ disabled +any\n$/);
  const enabled = await inventory("accounts enable", account);
  expect(enabled.stdout).toMatch(/\nstate +enabled\n/);
  expect((await inventory("accounts list")).stdout).toMatch(/ enabled +any\n$/);
});

test("accounts write-policy changes the policy, and list shows it", async () => {
  const strict = await inventory("accounts write-policy", account, "strict", "--output=json");
  expect(JSON.parse(strict.stdout)).toMatchObject({ accountId: account, writePolicy: "strict" });
  expect((await inventory("accounts list")).stdout).toMatch(/ enabled +strict\n$/);
  const any = await inventory("accounts write-policy", account, "any");
  expect(any.stdout).toMatch(/\nwrites +any\n/);
  expect((await inventory("accounts show", account)).stdout).toBe(any.stdout);
});

test.each([
  ["rename", "x"],
  ["write-policy", "strict"],
  ["disable"],
  ["enable"],
  ["delete", "--yes"],
])("accounts %s: exit code 4 for an unknown account", async (command, ...more) => {
  const { code, stderr } = await inventory("accounts", command, unknown, ...more);
  expect([code, stderr]).toEqual([4, `error: Account ${unknown} does not exist.\n`]);
});

describe("accounts delete", () => {
  test("--yes deletes the account and prints what belonged to it", async () => {
    const { code, stdout, stderr } = await inventory("accounts delete", account, "--yes");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toBe(`deleted account ${account} (test) with 1 key and 2 orders\n`);
    expect(await exists()).toBe(false);
    expect(await withStores(({ orders }) => orders.count(account))).toBe(0);
  });

  test("--output json prints the account and the numbers", async () => {
    const { stdout } = await inventory("accounts delete", account, "--yes", "--output=json");
    expect(JSON.parse(stdout)).toMatchObject({
      account: { accountId: account, name: "test" },
      keys: 1,
      orders: 2,
    });
  });

  test("exit code 2 without --yes when standard input is not a terminal", async () => {
    const { code, stderr } = await inventory("accounts delete", account);
    expect(code).toBe(2);
    expect(stderr).toContain("--yes");
    expect(await exists()).toBe(true);
  });

  test("on a terminal, says what goes, asks, and deletes after yes", async () => {
    const { code, stdout, stderr } = await onTerminal("y\n", "accounts", "delete", account);
    expect(code).toBe(0);
    expect(stderr).toContain(`account ${account} (test) with 1 key and 2 orders, and its usage`);
    expect(stderr).toMatch(/Delete it\? \[y\/N\] $/);
    expect(stdout).toMatch(/^deleted /);
    expect(await exists()).toBe(false);
  });

  test.each(["n\n", "\n", "", "yess\n", account])(
    "on a terminal, deletes nothing after %j",
    async (answer) => {
      const { code, stdout, stderr } = await onTerminal(answer, "accounts", "delete", account);
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(/error: not confirmed: nothing was deleted\n$/);
      expect(await exists()).toBe(true);
    },
  );

  test("on a terminal, does not ask for an unknown account", async () => {
    const { code, stderr } = await onTerminal("y\n", "accounts", "delete", unknown);
    expect([code, stderr]).toEqual([4, `error: Account ${unknown} does not exist.\n`]);
  });
});
