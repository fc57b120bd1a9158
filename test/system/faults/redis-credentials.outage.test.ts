import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addAccount, addKey } from "../../support/accounts.ts";
import { createCertificate } from "../../support/certificate.ts";
import { useDirectory } from "../../support/directory.ts";
import { openRedisStores } from "../../support/redis-stores.ts";
import { freePort, type RedisServer, startRedisServer } from "../harness/redis-server.ts";
import { useServers } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";
import { send } from "./client.ts";

/** Redis with TLS for the service, and without TLS for the test. */
const servers = useServers();
const directory = useDirectory();
const fileOf = (name: string) => join(directory, name);
const own: { redis?: RedisServer; client?: Redis; key: string } = { key: "" };
let tlsPort = 0;

/** Puts certificates into the files of the service. */
function giveService(certificate: string, authority: string): void {
  copyFileSync(fileOf(`${certificate}.crt`), fileOf("service.crt"));
  copyFileSync(fileOf(`${certificate}.key`), fileOf("service.key"));
  copyFileSync(fileOf(`${authority}.crt`), fileOf("ca.crt"));
}

function client(): Redis {
  if (!own.client) throw new Error("Use the client only while a test runs.");
  return own.client;
}

beforeAll(async () => {
  for (const name of ["old", "new", "redis-old", "redis-new"]) {
    createCertificate(fileOf(name), "IP:127.0.0.1");
  }
  tlsPort = await freePort();
  own.redis = await startRedisServer(
    ...["--tls-port", String(tlsPort), "--tls-ca-cert-file", fileOf("old.crt")],
    ...["--tls-cert-file", fileOf("redis-old.crt"), "--tls-key-file", fileOf("redis-old.key")],
  );
  own.client = new Redis(own.redis.url);
  const stores = openRedisStores(own.redis.url);
  await stores.ready(5_000);
  const limits = { perMinute: 1_000_000, perDay: 1_000_000 };
  const accountId = await addAccount(stores, { plan: "enterprise", limits });
  own.key = (await addKey(stores, accountId)).secret;
  await stores.close();
  await client().call("ACL", "SETUSER", "service", "on", ">first", "~inv:*", "+@all");
  writeFileSync(fileOf("password"), "first\n");
  giveService("old", "redis-old");
});
afterAll(async () => {
  own.client?.disconnect();
  await own.redis?.stop();
});

test("the password and all certificates change, and no request fails", async () => {
  const server = await servers.start({
    REDIS_URL: `rediss://127.0.0.1:${tlsPort}`,
    REDIS_USERNAME: "service",
    REDIS_PASSWORD_FILE: fileOf("password"),
    REDIS_TLS_CA: fileOf("ca.crt"),
    REDIS_TLS_CERT: fileOf("service.crt"),
    REDIS_TLS_KEY: fileOf("service.key"),
  });
  const statuses: number[] = [];
  let isOver = false;
  const load = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      statuses.push((await send(`${server.url}/v1/inventory`, { key: own.key })).status);
    }
  });
  const refused = "no new connection to redis";
  const connected = "connected to redis with the current credentials";

  // What Redis does not accept yet changes nothing.
  writeFileSync(fileOf("password"), "second\n");
  server.kill("SIGHUP");
  await server.printed(refused);
  await client().call("ACL", "SETUSER", "service", ">second");
  server.kill("SIGHUP");
  await server.printed(connected);
  await client().call("ACL", "SETUSER", "service", "<first");

  const files = { "tls-cert-file": "redis-new.crt", "tls-key-file": "redis-new.key" };
  const ofRedis = Object.entries(files).flatMap(([name, file]) => [name, fileOf(file)]);
  await client().call("CONFIG", "SET", ...ofRedis, "tls-ca-cert-file", fileOf("new.crt"));
  giveService("new", "redis-new");
  server.kill("SIGHUP");
  await server.printed(connected, 2);

  isOver = true;
  await Promise.all(load);
  expect(statuses.length).toBeGreaterThan(20);
  expect(statuses.filter((status) => status !== 200)).toEqual([]);

  // New connections use the new files, too.
  await client().call("CLIENT", "KILL", "USER", "service");
  await until("the service is back", async () => {
    const { status } = await send(`${server.url}/v1/inventory`, { key: own.key });
    return status === 200;
  });
  expect(server.stdout).not.toMatch(/first|second/);
  expect(server.stderr).toBe("");
});
