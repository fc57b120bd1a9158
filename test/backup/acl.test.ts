import { hash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { aclLine, sentCommands } from "../../src/stores/redis/acl.ts";
import { runHere, succeedHere } from "../cli/command-line.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { useDirectory } from "../support/directory.ts";
import { openRedisStores } from "../support/redis-stores.ts";
import { placed } from "../support/stock.ts";
import { urlOfService, useRedis } from "../support/stores.ts";

const redis = useRedis("--appendonly", "no");
const src = join(import.meta.dirname, "../../src");
const directory = useDirectory();

/** Returns the commands and keys that Redis has refused to users. */
async function refused(): Promise<unknown> {
  return redis.client.call("ACL", "LOG");
}

test("the command line prints a line that Redis accepts, with the hash of the password", async () => {
  const path = join(directory, "password");
  await writeFile(path, "secret\n");
  const { code, stdout } = await runHere(["redis-acl --user shop --password-file", path]);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    new RegExp(`^user shop on #${hash("sha256", "secret")} resetkeys ~inv:\\* `),
  );
  const [, ...rules] = stdout.trim().split(" ");
  expect(await redis.client.call("ACL", "SETUSER", ...rules)).toBe("OK");
  expect(await redis.client.call("AUTH", "shop", "secret")).toBe("OK");
  await redis.client.call("AUTH", "default", "");
});

test("without a password the user cannot log in", async () => {
  const { stdout } = await runHere(["redis-acl"]);
  const [, ...rules] = stdout.trim().split(" ");
  expect(rules[0]).toBe("inventory");
  await redis.client.call("ACL", "SETUSER", ...rules);
  await expect(redis.client.call("AUTH", "inventory", "")).rejects.toThrow("WRONGPASS");
});

test("a password file that cannot be read is an error: exit code 1", async () => {
  const { code, stderr } = await runHere(["redis-acl --password-file /nowhere/password"]);
  expect([code, stderr]).toEqual([1, "error: /nowhere/password: no such file or directory\n"]);
});

test("an empty password file is an error: exit code 2", async () => {
  const path = join(directory, "empty");
  await writeFile(path, "\n");
  const { code, stdout, stderr } = await runHere(["redis-acl --password-file", path]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toBe(`error: ${path}: is empty. Write the password to it\n`);
});

test("every command of the source is in the list, and the list has no other", async () => {
  const files = (await readdir(src, { recursive: true, encoding: "utf8" })).filter(
    (name) => /^(?:stores\/redis|backup)\//.test(name) && name.endsWith(".ts"),
  );
  const found = new Set<string>();
  for (const file of files) {
    const source = await readFile(join(src, file), "utf8");
    const methods = source.matchAll(/\bredis\.([a-z]+)\(/g);
    const calls = source.matchAll(/\bredis\.call\("([A-Z]+)"(?:, "([A-Z]+)")?/g);
    for (const [, name = ""] of methods) found.add(name);
    for (const [, command = "", sub] of calls) {
      found.add((sub === undefined ? command : `${command}|${sub}`).toLowerCase());
    }
  }
  // Functions of ioredis that send no command of this name. `config` may be refused.
  const others = ["on", "off", "once", "call", "callbuffer", "disconnect", "config"];
  for (const other of others) found.delete(other);
  // Commands that ioredis sends, or whose names are variables.
  for (const other of ["info", "ping", "select", "evalsha"]) found.add(other);
  expect([...found].sort()).toEqual([...sentCommands].sort());
});

test("the user can use no other key and no other command", async () => {
  const rules = aclLine("narrow", "secret").split(" ");
  await redis.client.call("ACL", "SETUSER", ...rules.slice(1));
  const dryRun = (...command: string[]) => redis.client.call("ACL", "DRYRUN", "narrow", ...command);
  expect(await dryRun("GET", "inv:format")).toBe("OK");
  expect(await dryRun("GET", "other")).not.toBe("OK");
  for (const command of [
    ["FLUSHALL"],
    ["KEYS", "*"],
    ["CONFIG", "GET", "save"],
    ["DEBUG", "SLEEP", "1"],
  ]) {
    expect(await dryRun(...command)).not.toBe("OK");
  }
});

test("every command of the command line runs as this user", async () => {
  await redis.client.flushall();
  const url = await urlOfService(redis.client, redis.url);
  await redis.client.call("ACL", "LOG", "RESET");
  const csv = join(directory, "pets.csv");
  const saved = join(directory, "backup.gz");
  await writeFile(csv, "petId,quantity,status\n1,5,available\n2,6,sold\n");
  const stores = openRedisStores(url);
  await stores.ready(5_000);
  const accountId = await addAccount(stores);
  const { keyId } = await addKey(stores, accountId);
  const spare = await addKey(stores, accountId);
  await stores.inventory.put([{ petId: 1n, quantity: 5, status: PetStatus.AVAILABLE }]);
  const { orderId } = await placed(stores.orders, accountId, 1n, 1);
  const commands = [
    ["accounts", "create", "--name", "shop", "--plan", "free"],
    ["accounts", "list"],
    ["accounts", "show", accountId],
    ["accounts", "usage", accountId],
    ["accounts", "usage"],
    ["bans", "list"],
    ["accounts", "set-plan", accountId, "pro"],
    ["accounts", "rename", accountId, "zoo"],
    ["accounts", "disable", accountId],
    ["accounts", "enable", accountId],
    ["keys", "create", accountId],
    ["keys", "list", accountId],
    ["keys", "list"],
    ["keys", "rotate", keyId],
    ["keys", "unban", keyId],
    ["keys", "revoke", spare.keyId],
    ["items", "import", csv],
    ["items", "create", "5", "--quantity", "10", "--status", "available"],
    ["items", "adjust", "5", "--by", "3"],
    ["items", "set", "5", "3"],
    ["items", "show", "5"],
    ["items", "list"],
    ["orders", "list"],
    ["orders", "advance", accountId, String(orderId), "approved"],
    ["orders", "cancel", accountId, String(orderId)],
    ["accounts", "delete", accountId, "--yes"],
    ["items", "set-status", "5", "sold"],
    ["items", "history", "5"],
    ["items", "export", csv],
    ["items", "delete", "5"],
    ["history", "follow", join(directory, "history"), "--once"],
    ["verify"],
    ["backup", saved],
    ["verify", "--repair"],
  ];
  for (const args of commands) await succeedHere(args, { redisUrl: url });
  await stores.close();
  await redis.client.flushall();
  await redis.client.set("inv:format", "restoring x");
  await redis.client.set("inv:{stock}:last-order", 5);
  await succeedHere(["restore", saved], { redisUrl: url });
  expect(await refused()).toEqual([]);
}, 60_000);
