import { beforeEach, expect, test } from "vitest";
import { hourMs } from "../../src/common/durations.ts";
import { useCommandData } from "../cli/command-data.ts";
import { runHere } from "../cli/command-line.ts";
import { addAccount } from "../support/accounts.ts";
import { useRedis } from "../support/stores.ts";

const redis = useRedis("--appendonly", "no");
const own = useCommandData(redis);
const bob = "bbbbbbbbbbbb";

beforeEach(() => addAccount(own.stores));

const inventory = (...args: string[]) => runHere(args, { redisUrl: redis.url });

test("an entry of the index that an interrupted CreateAccount has left is removed after an hour", async () => {
  const add = (accountId: string, ageMs: number) =>
    redis.client.zadd("inv:{accounts}", Date.now() - ageMs, accountId);
  await add(bob, hourMs + 1_000);
  await add("cccccccccccc", hourMs - 60_000);
  // CreateAccount is about to write it.
  await add("dddddddddddd", 0);
  const advice = "run inventory verify --repair";
  const notThere = (accountId: string) =>
    `account ${accountId} is in the index, but does not exist`;
  const found = await inventory("verify");
  expect(found.stderr.split("\n").sort()).toEqual([
    "",
    `${notThere(bob)}: ${advice}`,
    `${notThere("cccccccccccc")}: ${advice} an hour after its creation`,
    "error: found 2 disagreements among 0 items, 1 account with 0 keys, 0 orders and 0 changes",
  ]);
  const { code, stderr } = await inventory("verify --repair");
  expect([code, stderr.split("\n").sort()]).toEqual([
    1,
    [
      "",
      `${notThere(bob)}: repaired`,
      `${notThere("cccccccccccc")}: ${advice} an hour after its creation`,
      "error: found 1 disagreement among 0 items, 1 account with 0 keys, 0 orders and 0 changes, and repaired 1 other",
    ],
  ]);
  expect((await redis.client.zrange("inv:{accounts}", 0, "-1")).sort()).toEqual([
    "aaaaaaaaaaaa",
    "cccccccccccc",
    "dddddddddddd",
  ]);
});

test("an entry whose account has orders stays, because an operator must delete these", async () => {
  await redis.client.zadd("inv:{accounts}", Date.now() - 2 * hourMs, bob);
  const order = "0000000000000000003,1,1,1,5";
  await redis.client.zadd(`inv:{stock}:account-orders:${bob}`, 0, order);
  const { code, stderr } = await inventory("verify --repair");
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(
      `account ${bob} has orders, but does not exist: run inventory accounts delete ${bob}\n`,
    ),
  ]);
  expect(await redis.client.zscore("inv:{accounts}", bob)).not.toBeNull();
});

test("a repair prints how much it has repaired, also as JSON", async () => {
  await redis.client.hincrby("inv:{stock}:holds", "units", 3);
  const { code, stdout, stderr } = await inventory("verify --repair");
  expect([code, stdout, stderr]).toEqual([
    0,
    expect.stringMatching(/^verified 0 items, 1 account .*: repaired 1 disagreement\n$/),
    "3 held units are counted, but those of each pet are 0 in all: repaired\n",
  ]);
  const again = await inventory("verify --repair --output=json");
  expect(JSON.parse(again.stdout)).toMatchObject({ accounts: 1, repaired: 0 });
});

test("a backup cannot be repaired: exit code 2", async () => {
  const { code, stderr } = await inventory("verify backup.gz --repair");
  expect([code, stderr]).toEqual([
    2,
    "error: --repair needs the data in Redis: leave out the file\n",
  ]);
});

test("data of another format is neither checked nor repaired: exit code 6", async () => {
  await redis.client.set("inv:format", 7);
  for (const options of [[], ["--repair"]]) {
    const { code, stderr } = await inventory("verify", ...options);
    expect([code, stderr]).toEqual([6, expect.stringContaining("has format 7")]);
  }
  expect(await redis.client.get("inv:format")).toBe("7");
});
