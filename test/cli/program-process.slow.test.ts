import { closeSync, openSync } from "node:fs";
import { readlink, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { directoryOfTest } from "../support/directory.ts";
import { useRedis } from "../support/stores.ts";
import { useRedisProxy } from "../system/faults/redis-proxy.ts";
import { runCommand } from "../system/harness/child.ts";
import { startRedisServer } from "../system/harness/redis-server.ts";
import { mainPath, outcomeOf, runHere, runThere, startThere, succeeded } from "./command-line.ts";

const redis = useRedis();
const proxy = useRedisProxy();

/** Standard error of a command that makes a change in Redis: a line for each of its entries in the audit trail. */
const ofOneChange = expect.stringMatching(/^(?:\{"level":30,.*"msg":"audit entry"\}\n){2}$/);

describe("in a child process", () => {
  /** Imports more items than the buffer of a pipe holds. */
  async function importMany(): Promise<void> {
    const rows = Array.from({ length: 20_000 }, (_, index) => `${index + 1},1,sold`);
    await runHere(["items import - --format csv"], {
      redisUrl: redis.url,
      stdin: `petId,quantity,status\n${rows.join("\n")}\n`,
    });
  }

  test("imports rows from a pipe", async () => {
    const outcome = await runThere(["items import - --format csv"], {
      redisUrl: redis.url,
      stdin: "petId,quantity,status\n1,1,sold\n",
    });
    expect(outcome).toEqual({
      code: 0,
      stdout: "created 1, updated 0, skipped 0\n",
      stderr: ofOneChange,
    });
  });

  test("a closed output pipe is not an error: exit code 0", async () => {
    await importMany();
    for (const args of [["items", "export"], ["items", "export", "--output=json"], ["--help"]]) {
      const command = startThere(args, redis.url);
      command.child.stdout?.destroy();
      expect(await outcomeOf(command)).toMatchObject({ code: 0, stderr: "" });
    }
  });

  test("`head` as the reader is not an error, also if the file argument is the pipe: exit code 0", async () => {
    await importMany();
    // A link like /dev/stdout. A bug must not replace /dev/stdout itself.
    const link = join(directoryOfTest(), "stdout");
    await symlink("/proc/self/fd/1", link);
    for (const file of ["", `${link} --format csv`]) {
      const line = `"$NODE" "$MAIN" items export ${file} | head -1; exit "\${PIPESTATUS[0]}"`;
      const env = { ...process.env, REDIS_URL: redis.url, NODE: process.execPath, MAIN: mainPath };
      const { code, stdout, stderr } = await runCommand(["bash", "-c", line], { env });
      expect({ code, stdout, stderr }).toEqual(succeeded("petId,name,sku,quantity,status\n"));
    }
    expect(await readlink(link)).toBe("/proc/self/fd/1");
  });

  test("a full disk fails: exit code 1", async () => {
    const full = openSync("/dev/full", "w");
    try {
      const stdio = ["ignore", full, "pipe"] as const;
      const command = startThere(["items export"], redis.url, { stdio: [...stdio] });
      const { code, stderr } = await outcomeOf(command);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^error: .*no space left on device.*\n$/);
    } finally {
      closeSync(full);
    }
  });

  test("serve runs until SIGTERM: exit code 0", async () => {
    const command = startThere(["serve"], undefined, { env: { PORT: "0" } });
    await command.printed("http://127.0.0.1:", 1, 20_000);
    expect((await command.end("SIGTERM")).code).toBe(0);
  });
});

test("a Redis that does not respond is reported first, and fails within 6 s: exit code 8", async () => {
  const server = await startRedisServer();
  server.pause();
  try {
    const start = performance.now();
    const { code, stderr } = await runHere(["accounts list"], {
      redisUrl: server.url,
      notices: "kept",
    });
    expect(performance.now() - start).toBeLessThan(6_000);
    expect(code).toBe(8);
    expect(stderr).toMatch(
      /^waiting for Redis: .*\nerror: REDIS_URL: cannot connect to Redis at 127\.0\.0\.1:\d+: .*\n$/,
    );
  } finally {
    server.resume();
    await server.stop();
  }
});

test("a Redis whose replies take too long is reported with what to check: exit code 8", async () => {
  proxy.target = redis.server.port;
  proxy.delayMs = 2_300;
  const { code, stderr } = await runHere(["accounts list"], {
    redisUrl: proxy.url,
    notices: "kept",
  });
  proxy.drop();
  expect(code).toBe(8);
  expect(stderr).toMatch(
    /^waiting for Redis: it has not responded yet\nerror: REDIS_URL: Redis did not respond within \d+ ms\. Check whether it is overloaded/,
  );
});
