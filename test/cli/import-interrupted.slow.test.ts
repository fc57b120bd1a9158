import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { useDirectory } from "../support/directory.ts";
import { useRedis } from "../support/stores.ts";
import { useRedisProxy } from "../system/faults/redis-proxy.ts";
import { until } from "../system/harness/until.ts";
import { outcomeOf, runHere, startThere } from "./command-line.ts";

const rows = 20_000;
const path = join(useDirectory(), "pets.csv");
const redis = useRedis();
const proxy = useRedisProxy();

beforeAll(async () => {
  proxy.target = Number(new URL(redis.url).port);
  const lines = Array.from({ length: rows }, (_, index) => `${index + 1},${index % 7},available`);
  await writeFile(path, `petId,quantity,status\n${lines.join("\n")}\n`);
});

beforeEach(async () => {
  await redis.client.flushdb();
  proxy.delayMs = 0;
});

const size = () => redis.client.zcard("inv:{stock}:pets");

describe.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s during an import", (signal, exitCode) => {
  test(`prints the number of imported rows and the --resume option: exit code ${exitCode}`, async () => {
    const { pathname } = new URL(redis.url);
    proxy.delayMs = 60;
    const importing = startThere(
      ["items import", path, "--output=json"],
      `${proxy.url}${pathname}`,
    );
    await until("a part is imported", async () => (await size()) >= 2_000, 20_000);
    importing.kill(signal);
    const { code, stdout, stderr } = await outcomeOf(importing);
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: "" });
    const imported = await size();
    expect(imported).toBeLessThan(rows);
    const error = JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "");
    expect(error.code).toBe("canceled");
    expect(error.message).toContain(`created ${imported}, updated 0.`);
    expect(error.message).toContain(`The first ${imported} good rows are imported.`);
    const [, point = ""] = /--resume (\S+)/.exec(error.message) ?? [];
    expect(point).toMatch(new RegExp(`^${imported}:`));
    const resumed = await runHere(["items import", path, "--resume", point, "--output=json"], {
      redisUrl: redis.url,
    });
    expect(resumed).toEqual({
      code: 0,
      stdout: `{"created":${rows - imported},"updated":0,"skipped":0}\n`,
      stderr: "",
    });
    expect(await size()).toBe(rows);
  });
});
