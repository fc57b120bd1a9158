import { expect, it } from "vitest";
import { minuteMs } from "../../src/call/durations.ts";
import { accountIndexKey } from "../../src/stores/redis/keys.ts";
import { useCommandData } from "../cli/command-data.ts";
import { runHere } from "../cli/command-line.ts";
import { addAccount } from "../support/accounts.ts";
import { useRedis } from "../support/stores.ts";

const redis = useRedis("--appendonly", "no");
const own = useCommandData(redis);

it.each([
  ["is about to write", 0, 0],
  ["has not written for some minutes", 5 * minuteMs, 1],
])("verify knows of an account in the index that CreateAccount %s", async (_, ageMs, code) => {
  await addAccount(own.stores);
  await redis.client.zadd(accountIndexKey, Date.now() - ageMs, "bbbbbbbbbbbb");
  expect((await runHere(["verify"], { redisUrl: redis.url })).code).toBe(code);
});
