import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { connectRedis } from "../../../src/stores/redis/connection/connection.ts";
import { type RedisSettings, singleServer } from "../../../src/stores/redis/connection/settings.ts";
import { useRedis } from "../../support/stores.ts";

const redis = useRedis("--appendonly", "no");
const directory = mkdtempSync(join(tmpdir(), "inventory-password-"));
afterAll(() => rmSync(directory, { recursive: true }));

test("a connection that begins while the password file is being replaced uses the last password", async () => {
  await redis.client.call("ACL", "SETUSER", "service", "on", ">first", "~*", "+@all");
  const passwordFile = join(directory, "password");
  writeFileSync(passwordFile, "first\n");
  const settings: RedisSettings = {
    ...singleServer(redis.url),
    username: "service",
    passwordFile,
  };
  const first = connectRedis(settings);
  onTestFinished(() => first.close());
  await first.ready(5_000);
  rmSync(passwordFile);
  const failures: unknown[] = [];
  const second = connectRedis(settings, { onFailure: (error) => failures.push(error) });
  onTestFinished(() => second.close());
  await second.ready(5_000);
  expect(String(failures[0])).toContain("REDIS_PASSWORD_FILE: cannot read");
  // Other settings have no last password.
  expect(() => connectRedis({ ...settings })).toThrow("REDIS_PASSWORD_FILE: cannot read");
});
