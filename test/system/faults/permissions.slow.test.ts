import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { aclLine } from "../../../src/stores/redis/acl.ts";
import { neededCommands } from "../../../src/stores/redis/connection/permissions.ts";
import { type RedisSettings, singleServer } from "../../../src/stores/redis/connection/settings.ts";
import { luaFiles } from "../../../src/stores/redis/lua-parts.ts";
import { readCommands } from "../../../src/stores/redis/scripts.ts";
import type { Stores } from "../../../src/stores/stores.ts";
import { addAccount } from "../../support/accounts.ts";
import { openRedisStores } from "../../support/redis-stores.ts";
import { useRedis } from "../../support/stores.ts";
import { useServers } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";
import { changes } from "./changes.ts";

const redis = useRedis("--appendonly", "no");
const servers = useServers();
const opened: Stores[] = [];

/** Gives the user exactly the rules of `inventory redis-acl`, and then more rules. */
async function setUser(...more: readonly string[]): Promise<void> {
  const [, ...rules] = aclLine("service", "secret").split(" ");
  await redis.client.call("ACL", "SETUSER", ...rules, ...more);
}

const url = () => redis.url.replace("redis://", "redis://service:secret@");
const settings = (): RedisSettings => singleServer(url());

function open(): Stores {
  const stores = openRedisStores(url());
  opened.push(stores);
  return stores;
}

/** Waits until stores that cannot be used say why. A process that stops can need more than one attempt. */
async function expectRefusal(stores: Stores, why: RegExp): Promise<void> {
  const cause = () => stores.ready(200).catch(({ cause }: Error) => String(cause));
  await expect.poll(cause).toMatch(why);
}

/** All data of the service, to compare. */
async function allData(): Promise<ReadonlyMap<string, string>> {
  const keys = (await redis.client.keys("inv:*")).sort();
  const values = await Promise.all(keys.map((key) => redis.client.dumpBuffer(key)));
  return new Map(keys.map((key, at) => [key, values[at]?.toString("base64") ?? ""]));
}

beforeEach(async () => {
  await redis.client.flushall();
  await setUser();
});
afterEach(async () => {
  await setUser();
  await Promise.all(opened.splice(0).map((stores) => stores.close()));
});

/** The commands that one server without a database number needs. */
const commands = neededCommands(singleServer("redis://127.0.0.1"));

describe("the commands", () => {
  test("of the scripts have literal names, so that none is missing in the list", () => {
    expect(luaFiles.size).toBeGreaterThan(10);
    for (const [file, lua] of luaFiles) {
      const calls = lua.match(/\bredis\.p?call\((?!\s*'[A-Z]+').{0,24}/g) ?? [];
      // Callers of read_entries name the command.
      expect([file, calls]).toEqual([
        file,
        file === "history/history.lua" ? ["redis.call(command, changes_key, fr"] : [],
      ]);
    }
  });

  test("that change nothing are those that Redis says", async () => {
    const infos = (await redis.client.call("COMMAND", "INFO", ...commands)) as [
      string,
      number,
      string[],
    ][];
    const known = infos.filter((info) => info !== null);
    const writing = known.filter(([, , flags]) => flags.includes("write")).map(([name]) => name);
    expect(writing).toContain("hset");
    expect(writing.filter((name) => readCommands.includes(name))).toEqual([]);
  });
});

describe("a user that lacks a command", () => {
  test.each(commands)("is refused at the start, and nothing is changed: %s", async (command) => {
    const stores = open();
    await stores.ready(5_000);
    await addAccount(stores);
    const before = await allData();
    await setUser(`-${command}`);
    const later = open();
    await expectRefusal(
      later,
      new RegExp(`REDIS_USERNAME: .*NOPERM.*\\b${command.replace("|", ".")}\\b.*redis-acl`),
    );
    await expect(later.ping()).rejects.toThrow("not available");
    expect(await allData()).toEqual(before);
  });
});

test.each([
  ["~inv:{stock}*", /lacks ~inv:format ~inv:restore/],
  ["%R~inv:*", /lacks ~inv:\*/],
  ["~other:*", /lacks ~inv:\*/],
])("a user that may use only the keys %s is refused at the start", async (pattern, message) => {
  await setUser("resetkeys", pattern);
  await expectRefusal(open(), message);
});

test("a server that runs is not ready while its user lacks a command, and says which", async () => {
  const server = await servers.start({ REDIS_URL: url() });
  // It would sweep holds during the tests of changes.
  onTestFinished(() => server.end().then(() => {}));
  const status = async () => (await fetch(`${server.url}/readyz`)).status;
  expect(await status()).toBe(200);
  await setUser("-zadd");
  await until("the server is not ready", async () => (await status()) === 503);
  await server.printed("NOPERM the user lacks +zadd");
  await setUser();
  await until("the server is ready", async () => (await status()) === 200);
});

/**
 * Returns the commands that a change runs, also within scripts, except EVAL, by which a process sends a script once, and
 * ZMSCORE, by which stores compare used accounts with the index in the meantime.
 */
async function commandsOf(change: () => Promise<unknown>): Promise<string[]> {
  await redis.client.config("RESETSTAT");
  await change();
  const stats = await redis.client.info("commandstats");
  const used = new Set(Array.from(stats.matchAll(/^cmdstat_([^:]+):/gm), ([, command]) => command));
  return commands.filter((command) => !/^(?:eval|zmscore)$/.test(command) && used.has(command));
}

test.each(changes)(
  "$name has no effect if it is refused, whatever the user lacks",
  async ({ fill, make }) => {
    const stores = open();
    await stores.ready(5_000);
    const filled = await fill(redis.client, stores);
    const used = await commandsOf(() => make(stores, filled));
    expect(used).not.toEqual([]);
    const refused: string[] = [];
    for (const command of used) {
      const again = await fill(redis.client, stores);
      const before = await allData();
      await setUser(`-${command}`);
      const isRefused = await make(stores, again).then(
        () => false,
        () => true,
      );
      if (isRefused) {
        refused.push(command);
        expect([command, await allData()]).toEqual([command, before]);
      }
      await setUser();
      await until("the stores are ready", () =>
        stores.ping().then(
          () => true,
          () => false,
        ),
      );
    }
    expect(refused).toEqual(used);
  },
);

test("settings decide which commands are needed", () => {
  const one = settings();
  expect(neededCommands(one)).not.toContain("wait");
  expect(neededCommands({ ...one, ackReplicas: 1 })).toContain("wait");
  expect(neededCommands({ ...one, database: 1 })).toContain("select");
  expect(neededCommands({ ...one, mode: "cluster" })).toEqual(
    expect.arrayContaining(["asking", "cluster|info", "cluster|slots"]),
  );
});
