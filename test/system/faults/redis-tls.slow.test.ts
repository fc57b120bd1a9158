import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { readRedisConfig } from "../../../src/config/config.ts";
import type { Connection } from "../../../src/stores/redis/connection/connection.ts";
import { createCertificate } from "../../support/certificate.ts";
import { useDirectory } from "../../support/directory.ts";
import { openRedisConnection } from "../../support/redis-stores.ts";
import { freePort, type RedisServer, startRedisServer } from "../harness/redis-server.ts";
import { until } from "../harness/until.ts";

const directory = useDirectory();
const fileOf = (name: string) => join(directory, name);
const own: { server?: RedisServer; tlsPort?: number } = {};

beforeAll(async () => {
  createCertificate(fileOf("redis"), "IP:127.0.0.1");
  createCertificate(fileOf("other"), "IP:127.0.0.1");
  own.tlsPort = await freePort();
  own.server = await startRedisServer(
    ...["--tls-port", String(own.tlsPort), "--tls-ca-cert-file", fileOf("redis.crt")],
    ...["--tls-cert-file", fileOf("redis.crt"), "--tls-key-file", fileOf("redis.key")],
  );
});
afterAll(async () => {
  await own.server?.stop();
});

/** The files of the service. */
beforeEach(() => {
  copyFileSync(fileOf("redis.crt"), fileOf("own.crt"));
  copyFileSync(fileOf("redis.key"), fileOf("own.key"));
});

async function connect(failures: unknown[] = []): Promise<Connection> {
  const settings = readRedisConfig({
    REDIS_URL: `rediss://127.0.0.1:${own.tlsPort}`,
    REDIS_TLS_CA: fileOf("redis.crt"),
    REDIS_TLS_CERT: fileOf("own.crt"),
    REDIS_TLS_KEY: fileOf("own.key"),
  });
  if (!settings) throw new Error("no settings");
  const connection = openRedisConnection(settings, { onFailure: (error) => failures.push(error) });
  onTestFinished(() => connection.disconnect());
  await connection.ready(5_000);
  return connection;
}

async function closeAllConnections(): Promise<void> {
  const client = new Redis(own.server?.url ?? "");
  await client.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
  client.disconnect();
}

test("a connection that is lost while the certificate is replaced comes back", async () => {
  const failures: unknown[] = [];
  const connection = await connect(failures);
  // The key follows later.
  copyFileSync(fileOf("other.crt"), fileOf("own.crt"));
  await closeAllConnections();
  await until("the files are refused", () =>
    failures.some((error) => /PEM|mismatch/i.test(String(error))),
  );
  copyFileSync(fileOf("redis.crt"), fileOf("own.crt"));
  await connection.ready(5_000);
  expect(await connection.run("a", (redis) => redis.exists("a"))).toBe(0);
});

test("connecting again with files that cannot be used fails, and the connections stay", async () => {
  const connection = await connect();
  writeFileSync(fileOf("own.key"), "This is not a key.\n");
  await expect(connection.reconnect()).rejects.toThrow(/^REDIS_TLS_CERT, REDIS_TLS_KEY/);
  rmSync(fileOf("own.crt"));
  await expect(connection.reconnect()).rejects.toThrow(/^REDIS_TLS_CERT: cannot read/);
  expect(await connection.run("a", (redis) => redis.exists("a"))).toBe(0);
});

test("a second error of a socket does not end the process", async () => {
  const failures: unknown[] = [];
  const connection = await connect(failures);
  const [{ redis } = {}] = connection.nodes();
  const stream = redis?.stream;
  // Node throws the error of an event without a listener.
  for (const message of ["first", "second"]) stream?.emit("error", new Error(message));
  expect(failures).toContainEqual(new Error("first"));
});
