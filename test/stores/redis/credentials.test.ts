import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { type RedisSettings, singleServer } from "../../../src/stores/redis/connection/settings.ts";
import { openRedisConnection } from "../../support/redis-stores.ts";
import { useRedis } from "../../support/stores.ts";

const redis = useRedis("--appendonly", "no");
const directory = mkdtempSync(join(tmpdir(), "inventory-password-"));
const passwordFile = join(directory, "password");
afterAll(() => rmSync(directory, { recursive: true }));

beforeEach(async () => {
  await redis.client.call("ACL", "SETUSER", "service", "on", ">first", "~*", "+@all");
  writeFileSync(passwordFile, "first\n");
});

function newSettings(): RedisSettings {
  return { ...singleServer(redis.url), username: "service", passwordFile };
}

test.each([
  ["missing", "cannot read", () => rmSync(passwordFile)],
  ["empty", "is empty", () => writeFileSync(passwordFile, "")],
])(
  "a connection that begins while the password file is %s uses the last password",
  async (_, fault, replace) => {
    const settings = newSettings();
    const first = openRedisConnection(settings);
    onTestFinished(() => first.close());
    await first.ready(5_000);
    replace();
    const failures: unknown[] = [];
    const second = openRedisConnection(settings, { onFailure: (error) => failures.push(error) });
    onTestFinished(() => second.close());
    await second.ready(5_000);
    expect(String(failures[0])).toContain("REDIS_PASSWORD_FILE: ");
    expect(String(failures[0])).toContain(fault);
  },
);

test("settings that no connection has used have no last password", async () => {
  const first = openRedisConnection(newSettings());
  onTestFinished(() => first.close());
  rmSync(passwordFile);
  expect(() => openRedisConnection(newSettings())).toThrow("REDIS_PASSWORD_FILE: cannot read");
});
