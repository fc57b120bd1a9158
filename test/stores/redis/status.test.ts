import { expect, test } from "vitest";
import { useReadyStores, useRedis } from "../../support/stores.ts";
import { until } from "../../system/harness/until.ts";

const redis = useRedis("--enable-debug-command", "yes", "--rdbcompression", "no");
const under = useReadyStores(redis);

/** Returns why Redis does not accept the service's commands. */
async function refusal(): Promise<string | undefined> {
  const [server] = (await under.stores.status()).servers;
  return server?.latencyMs === undefined ? "no reply" : server.refusal;
}

const states: readonly [
  name: string,
  expected: string | undefined,
  begin: () => Promise<unknown>,
  end: () => Promise<unknown>,
][] = [
  ["that works", undefined, async () => {}, async () => {}],
  [
    "that is full, because reads go on",
    undefined,
    () => redis.client.config("SET", "maxmemory", "1"),
    () => redis.client.config("SET", "maxmemory", "0"),
  ],
  [
    "whose user may not use a command",
    "NOPERM",
    () => redis.client.acl("SETUSER", "default", "-eval"),
    () => redis.client.acl("SETUSER", "default", "+eval"),
  ],
  [
    "that has too few replicas",
    "NOREPLICAS",
    () => redis.client.config("SET", "min-replicas-to-write", "1"),
    () => redis.client.config("SET", "min-replicas-to-write", "0"),
  ],
  [
    "that has become a replica",
    "READONLY",
    () => redis.client.replicaof("127.0.0.1", "1"),
    () => redis.client.replicaof("NO", "ONE"),
  ],
];

test.each(states)("the status of a Redis %s: %s", async (_, expected, begin, end) => {
  await begin();
  try {
    expect(await refusal()).toBe(expected);
  } finally {
    await end();
  }
  await until("Redis accepts commands again", async () => (await refusal()) === undefined);
});

test("the status of a Redis that loads its data: LOADING", async () => {
  const filler = redis.client.pipeline();
  for (let index = 0; index < 50; index++) filler.set(`filler:${index}`, "x".repeat(1_500));
  await filler.exec();
  // With 200 ms for each key, loading takes ten seconds, unless it was seen.
  await redis.client.config("SET", "key-load-delay", "200000");
  await redis.client.config("SET", "loading-process-events-interval-bytes", "1024");
  let isLoaded = false;
  const reload = redis.client.call("DEBUG", "RELOAD").then(() => {
    isLoaded = true;
  });
  await until("Redis refuses commands", async () => (await refusal()) === "LOADING");
  expect(isLoaded).toBe(false);
  const other = redis.client.duplicate({ enableReadyCheck: false });
  await other.config("SET", "key-load-delay", "0");
  other.disconnect();
  await reload;
  await until("Redis accepts commands again", async () => (await refusal()) === undefined);
});
