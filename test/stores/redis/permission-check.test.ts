import type { Redis } from "ioredis";
import { expect, test } from "vitest";
import { createPermissionCheck } from "../../../src/stores/redis/connection/permissions.ts";
import type { RedisSettings } from "../../../src/stores/redis/connection/settings.ts";

const settings = { mode: "single", database: 0 } as RedisSettings;

test.each([
  ["LOADING Redis is loading the dataset in memory", true],
  ["NOPERM this user has no permissions to run the 'eval' command", true],
  ["ERR unknown command 'eval', with args beginning with: ", true],
  ["BUSY Redis is busy running a script.", false],
])("a server that refuses the check with %s cannot be used: %s", async (message, isFault) => {
  const redis = { eval: () => Promise.reject(new Error(message)) } as unknown as Redis;
  const fault = await createPermissionCheck(settings)(redis);
  expect(fault?.message).toBe(isFault ? message : undefined);
});
