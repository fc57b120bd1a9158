import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useDirectory } from "../../support/directory.ts";
import type { SentinelNode } from "../harness/redis-sentinel.ts";
import { useServers } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";
import { linesOf } from "./log-lines.ts";
import { useSentinels } from "./redis-groups.ts";

const redis = useSentinels({ replicas: 1, password: "first" });
const servers = useServers();
const directory = useDirectory();
const urlFile = join(directory, "url");

/** Writes the URLs of the sentinels with a password. */
function writeUrls(password: string): void {
  const urls = redis.group.urls.map((url) => url.replace("redis://", `redis://:${password}@`));
  writeFileSync(urlFile, `${urls.join()}\n`);
}

/** Gives a sentinel another password, and closes its connections to clients. */
async function changePassword({ client }: SentinelNode, password: string): Promise<void> {
  await client.call("SENTINEL", "CONFIG", "SET", "sentinel-pass", password);
  await client.call("ACL", "SETUSER", "default", "resetpass", `>${password}`);
  client.options.password = password;
  await client.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
}

test("a new password of the sentinels counts as soon as REDIS_URL_FILE has it; without it, the log says that all sentinels are lost", async () => {
  const { group } = redis;
  writeUrls("first");
  const passwordFile = join(directory, "password");
  writeFileSync(passwordFile, "first\n");
  const { REDIS_URL: _, ...environment } = group.environment;
  const server = await servers.start({
    ...environment,
    REDIS_URL_FILE: urlFile,
    REDIS_PASSWORD_FILE: passwordFile,
  });
  const status = async () => (await fetch(`${server.url}/readyz`)).status;
  for (const sentinel of group.sentinels) await changePassword(sentinel, "second");
  await server.printed('"msg":"redis lost"');
  expect(linesOf(server, "redis lost")).toEqual([
    expect.objectContaining({ server: "sentinels", reason: expect.stringMatching(/refuses the/) }),
  ]);
  // The primary can still be used.
  expect(await status()).toBe(200);

  writeUrls("second");
  await server.printed('"msg":"redis recovered"');
  await group.whole();
  const before = await group.primary();
  await before.server.kill();
  await group.failedOver(before);
  await until("the service uses the new primary", async () => (await status()) === 200);
}, 120_000);
