import { beforeAll, beforeEach, expect, test } from "vitest";
import { accountKey } from "../../../src/stores/redis/keys.ts";
import { runHere } from "../../cli/command-line.ts";
import { addAccount } from "../../support/accounts.ts";
import { openRedisStores } from "../../support/redis-stores.ts";
import { useRedis } from "../../support/stores.ts";
import { useRedisProxy } from "./redis-proxy.ts";

const redis = useRedis("--appendonly", "no");
const proxy = useRedisProxy();
const own = { accountId: "" };

beforeAll(async () => {
  proxy.target = redis.server.port;
});

beforeEach(async () => {
  await redis.client.flushall();
  proxy.onRequest = () => {};
  const stores = openRedisStores(redis.url);
  await stores.ready(5_000);
  own.accountId = await addAccount(stores, { plan: "free" });
  await stores.close();
});

const listAccounts = () => runHere(["accounts list --output=json"], { redisUrl: proxy.url });

test("exit code 8 if the connection breaks while accounts are read: unavailable", async () => {
  let isBroken = false;
  proxy.onRequest = (data) => {
    if (isBroken || !/\*\d+\r\n\$5\r\nhmget/i.test(data.toString())) return;
    isBroken = true;
    proxy.drop();
  };
  const { code, stdout, stderr } = await listAccounts();
  expect({ code, stdout, isBroken }).toEqual({ code: 8, stdout: "", isBroken: true });
  expect(JSON.parse(stderr)).toMatchObject({ code: "unavailable" });
});

test("exit code 8 if one of several commands fails: unavailable", async () => {
  await redis.client.del(accountKey(own.accountId));
  await redis.client.set(accountKey(own.accountId), "not a hash");
  const { code, stdout, stderr } = await listAccounts();
  expect({ code, stdout }).toEqual({ code: 8, stdout: "" });
  const message = expect.stringContaining("Reason: WRONGTYPE ");
  expect(JSON.parse(stderr)).toMatchObject({ code: "unavailable", message });
});
