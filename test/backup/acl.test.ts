import { hash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { aclLine, sentCommands } from "../../src/stores/redis/acl.ts";
import { runHere, succeedHere } from "../cli/command-line.ts";
import { leaves } from "../docs/reference.ts";
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
  expect([...found].sort(), "correct sentCommands in src/stores/redis/acl.ts").toEqual(
    [...sentCommands].sort(),
  );
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

/** Values of arguments and options, by their names in the command line. */
const values: Readonly<Record<string, string>> = {
  name: "zoo",
  quantity: "3",
  by: "1",
  row: "2=5",
  "pet-id": "1",
  "hold-id": "cart",
};

/** Commands that do not use Redis as the others do. */
const apart: Readonly<Record<string, string>> = {
  serve: "runs until a signal",
  restore: "needs a backup, and an empty Redis: see the last test",
  usage: "needs a server",
  top: "reads metrics of a running service",
  "items watch": "needs a server",
  "history relay": "runs until a signal; test/cli/relay.test.ts has a relay as this user",
};

describe("as this user", () => {
  const own = { url: "", accountId: "", keyId: "", orderId: "" };
  const csv = join(directory, "pets.csv");
  const saved = join(directory, "backup.gz");

  beforeEach(async () => {
    await redis.client.flushall();
    own.url = await urlOfService(redis.client, redis.url);
    await redis.client.call("ACL", "LOG", "RESET");
    await writeFile(csv, "petId,quantity,status\n1,5,available\n2,6,sold\n");
    const stores = openRedisStores(own.url);
    await stores.ready(5_000);
    own.accountId = await addAccount(stores);
    own.keyId = (await addKey(stores, own.accountId)).keyId;
    const status = PetStatus.AVAILABLE;
    await stores.catalog.put([1n, 2n].map((petId) => ({ petId, quantity: 5, status })));
    own.orderId = String((await placed(stores.orders, own.accountId, 1n, 1)).orderId);
    const items = [{ petId: 2n, quantity: 1 }];
    await stores.holds.put(own.accountId, "cart", { items, ttlMs: 900_000 });
    await stores.close();
  });

  /** Returns the value of an argument or a mandatory option. @throws Error if the test knows none */
  function valueFor(name: string, leaf: string, choices?: readonly string[]): string {
    const files = { file: leaf === "items import" ? csv : saved, directory: `${saved}.d` };
    const ids = { "account-id": own.accountId, "key-id": own.keyId, "order-id": own.orderId };
    const known: Readonly<Record<string, string>> = { ...values, ...files, ...ids };
    // A pet that does not exist is created.
    const value =
      choices?.[0] ?? (leaf === "items create" && name === "pet-id" ? "5" : known[name]);
    if (value === undefined) {
      throw new Error(`add ${name} to the values of ${import.meta.filename}`);
    }
    return value;
  }

  test.each(leaves.filter(({ name }) => !(name in apart)))("$name runs", async (leaf) => {
    const { registeredArguments, options } = leaf.command;
    const given = registeredArguments
      .filter(({ required, variadic }) => required || variadic)
      .map((each) => valueFor(each.name(), leaf.name, each.argChoices));
    const mandatory = options
      .filter(
        ({ mandatory, long }) => mandatory || `${leaf.name} ${long}` === "items update --name",
      )
      .flatMap((option) => [
        option.long ?? "",
        valueFor(option.name(), leaf.name, option.argChoices),
      ]);
    const final = options
      .map(({ long }) => long ?? "")
      .filter((long) => /^--(once|yes)$/.test(long));
    await succeedHere([leaf.name, ...given, ...mandatory, ...final], { redisUrl: own.url });
    expect(await refused()).toEqual([]);
  });

  test("pets are found by SKU", async () => {
    await succeedHere(["items update 1 --new-sku SM-101"], { redisUrl: own.url });
    await succeedHere(["items show --sku SM-101"], { redisUrl: own.url });
    expect(await refused()).toEqual([]);
  });

  test("verify --repair and restore run", async () => {
    const inventory = { redisUrl: own.url };
    await succeedHere(["verify --repair"], inventory);
    await succeedHere(["backup", saved], inventory);
    await redis.client.flushall();
    await redis.client.set("inv:format", "restoring x");
    await redis.client.set("inv:{stock}:last-order", 5);
    await succeedHere(["restore", saved], inventory);
    expect(await refused()).toEqual([]);
  });
});
