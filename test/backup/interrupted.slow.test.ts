import { readFileSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { outcomeOf, runHere, startThere, succeedHere } from "../cli/command-line.ts";
import { useDirectory } from "../support/directory.ts";
import { useRedis } from "../support/stores.ts";
import { useRedisProxy } from "../system/faults/redis-proxy.ts";
import { useServers } from "../system/harness/server-process.ts";
import { until } from "../system/harness/until.ts";
import { contentsOf } from "./contents.ts";

const rows = 20_000;
const redis = useRedis("--appendonly", "no");
const proxy = useRedisProxy();
const servers = useServers();
const directory = useDirectory();
const own = { contents: undefined as unknown };
const file = () => join(directory, "backup.gz");

beforeAll(async () => {
  proxy.target = redis.server.port;
  const csv = join(directory, "pets.csv");
  const lines = Array.from({ length: rows }, (_, index) => `${index + 1},${index % 7},available`);
  await writeFile(csv, `petId,quantity,status\n${lines.join("\n")}\n`);
  await succeeding("items import", csv);
  await succeeding("accounts create --name shop --plan free");
  await succeeding("backup", file());
  own.contents = await contentsOf(redis.client);
}, 60_000);
beforeEach(() => {
  proxy.delayMs = 0;
});

const succeeding = (...args: string[]) => succeedHere(args, { redisUrl: redis.url });

async function partRestored(): Promise<void> {
  const isPart = async () => (await redis.client.hlen("inv:{stock}:items")) > 1_000;
  await until("a part is restored", isPart, 30_000);
}

test.each([
  ["SIGKILL", null, ""],
  [
    "SIGINT",
    130,
    "error: Interrupted: the restore is incomplete. Run the command again: it starts from the beginning.\n",
  ],
] as const)(
  "a restore that %s interrupts is not served, and can begin again",
  async (signal, exitCode, message) => {
    await redis.client.flushall();
    proxy.delayMs = 20;
    const restoring = startThere(["restore", file()], proxy.url);
    await partRestored();
    restoring.kill(signal);
    const { code, stderr } = await outcomeOf(restoring);
    expect([code, stderr]).toEqual([exitCode, message]);
    expect(await redis.client.hlen("inv:{stock}:items")).toBeLessThan(rows);
    const server = servers.run({ REDIS_URL: redis.url, PORT: "0" });
    expect((await server.exited()).code).toBe(1);
    expect(server.stderr).toContain("The data in Redis is an incomplete restore.");
    if (signal === "SIGKILL") {
      const early = await runHere(["restore", file()], { redisUrl: redis.url });
      expect(early.stderr).toContain("Another restore is running, or was killed less than");
      // As if the time had passed.
      await redis.client.del("inv:restore");
    }
    await succeeding("restore", file());
    expect(await contentsOf(redis.client)).toEqual(own.contents);
    await succeeding("verify");
  },
  60_000,
);

test("of two restores at once, the second changes nothing", async () => {
  await redis.client.flushall();
  proxy.delayMs = 20;
  const first = startThere(["restore", file()], proxy.url);
  await partRestored();
  const second = await runHere(["restore", file()], { redisUrl: redis.url });
  expect([second.code, second.stderr]).toEqual([6, expect.stringContaining("Another restore")]);
  proxy.delayMs = 0;
  expect((await outcomeOf(first)).code).toBe(0);
  expect(await contentsOf(redis.client)).toEqual(own.contents);
}, 60_000);

/** Restores while another restore is suspended, once its lease has ended, as if that had taken the whole time. */
async function replaceSuspended(leaseMs: number): Promise<void> {
  await redis.client.pexpire("inv:restore", leaseMs);
  await until("the lease has ended", async () => !(await redis.client.exists("inv:restore")));
  const { code, stderr } = await runHere(["restore", file()], { redisUrl: redis.url });
  expect([code, stderr]).toEqual([0, ""]);
}

test("a restore that another one has replaced stops, and writes nothing more", async () => {
  await redis.client.flushall();
  proxy.delayMs = 20;
  const first = startThere(["restore", file()], proxy.url);
  await partRestored();
  first.kill("SIGSTOP");
  await replaceSuspended(2_500);
  first.kill("SIGCONT");
  const { code, stderr } = await outcomeOf(first);
  expect([code, stderr]).toEqual([6, "error: Another restore began in the meantime.\n"]);
  expect(await contentsOf(redis.client)).toEqual(own.contents);
}, 60_000);

test("a restore that is suspended while it renews its lease writes nothing more", async () => {
  await redis.client.flushall();
  // From now on, Redis knows the script of the renewal.
  await succeeding("restore", file());
  await redis.client.flushall();
  proxy.delayMs = 20;
  const first = startThere(["restore", file()], proxy.url);
  const { promise: suspended, resolve } = Promise.withResolvers<void>();
  proxy.onRequest = (data) => {
    const renews = ["EVALSHA", "inv:restore", "15000"].every((text) => data.includes(text));
    if (!renews) return;
    first.kill("SIGSTOP");
    proxy.onRequest = () => {};
    resolve();
  };
  await suspended;
  await replaceSuspended(4_500);
  const restored = await redis.client.hgetall("inv:{stock}:items");
  first.kill("SIGCONT");
  const { code, stderr } = await outcomeOf(first);
  expect([code, stderr]).toEqual([6, "error: Another restore began in the meantime.\n"]);
  expect(await redis.client.hgetall("inv:{stock}:items")).toEqual(restored);
}, 60_000);

test("a backup that SIGINT interrupts changes no file: exit code 130", async () => {
  const before = readFileSync(file());
  proxy.delayMs = 50;
  let requests = 0;
  proxy.onRequest = () => {
    requests += 1;
  };
  const saving = startThere(["backup", file()], proxy.url);
  await until("data is read", () => requests > 10, 20_000);
  saving.kill("SIGINT");
  const { code, stderr } = await outcomeOf(saving);
  expect([code, stderr]).toEqual([130, `error: Interrupted: ${file()} was not written.\n`]);
  expect(readFileSync(file()).equals(before)).toBe(true);
  expect((await readdir(directory)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
}, 60_000);

test("a repair that SIGINT interrupts is canceled in the audit trail: exit code 130", async () => {
  proxy.delayMs = 20;
  const before = await redis.client.xlen("inv:{audit}:entries");
  const repairing = startThere(["verify --repair"], proxy.url);
  const isRecorded = async () => (await redis.client.xlen("inv:{audit}:entries")) > before;
  await until("the trail has its first entry", isRecorded, 20_000);
  repairing.kill("SIGINT");
  const { code, stderr } = await outcomeOf(repairing);
  expect([code, stderr]).toEqual([
    130,
    expect.stringMatching(
      /^error: Interrupted: run the command again to complete the repair\.\n$/m,
    ),
  ]);
  const listed = await succeeding("audit list --limit 1 --output json");
  expect(JSON.parse(listed)).toMatchObject([
    { entry: { kind: "end", method: "inventory verify", result: { code: "canceled" } } },
  ]);
}, 60_000);
