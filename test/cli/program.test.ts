import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { mkdtemp, readlink, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { getOption } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { PlanSchema } from "../../gen/admin/v1/admin_pb.ts";
import { ChangeReasonSchema, PetStatusSchema } from "../../gen/inventory/v1/inventory_pb.ts";
import { output_only } from "../../gen/rules/v1/rules_pb.ts";
import { enumWords } from "../../src/call/enum-word.ts";
import { planWords, reasonWords, statusWords } from "../../src/cli/command-options.ts";
import { freePort, startRedisServer } from "../support/redis-server.ts";
import { useRedis } from "../support/stores.ts";
import { mainPath, runHere, runThere } from "./command-line.ts";

const redis = useRedis();

const commands = [
  ["serve"],
  ["accounts", "create"],
  ["accounts", "list"],
  ["accounts", "show"],
  ["accounts", "set-plan"],
  ["keys", "create"],
  ["keys", "list"],
  ["keys", "revoke"],
  ["keys", "rotate"],
  ["keys", "unban"],
  ["items", "import"],
  ["items", "export"],
  ["items", "create"],
  ["items", "set-status"],
  ["items", "remove"],
];

describe("help", () => {
  test.each(commands)("of %s %s has an example and --json", async (...words) => {
    const { code, stdout, stderr } = await runHere([...words, "--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`Usage: inventory ${words.join(" ")} `);
    expect(stdout).toContain("--json");
    expect(stdout).toMatch(new RegExp(`Examples?:\\n(.*\\n)*.*inventory ${words.join(" ")}`));
  });

  test("of the whole names every command", async () => {
    for (const args of [["--help"], ["help"]]) {
      const { code, stdout } = await runHere(args);
      expect(code).toBe(0);
      for (const [word] of commands) {
        expect(stdout).toContain(`  ${word}`);
      }
    }
  });

  test("names the contract's plans and statuses, and the reasons that a request may give", () => {
    const reasons = ChangeReasonSchema.values.filter((value) => !getOption(value, output_only));
    expect(planWords).toEqual(enumWords(PlanSchema));
    expect(statusWords).toEqual(enumWords(PetStatusSchema));
    expect(["unspecified", ...reasonWords]).toEqual(
      reasons.map(({ localName }) => localName.toLowerCase()),
    );
  });
});

describe("a wrong command line", () => {
  test.each([
    [["acounts"], "error: unknown command 'acounts'\n(Did you mean accounts?)"],
    [["keys", "creat"], "error: unknown command 'creat'\n(Did you mean create?)"],
    [["accounts", "list", "--jsn"], "error: unknown option '--jsn'\n(Did you mean --json?)"],
    [["accounts", "list", "extra"], "error: too many arguments"],
    [["accounts", "show"], "error: missing required argument 'id'"],
    [["accounts"], "Usage: inventory accounts"],
    [[], "Usage: inventory "],
  ])("%j ends with 2 and says what is wrong", async (args, message) => {
    const outcome = await runHere(args, { redisUrl: redis.url });
    expect(outcome).toEqual({ code: 2, stdout: "", stderr: expect.stringContaining(message) });
  });

  test("is told as JSON with --json", async () => {
    const { code, stdout, stderr } = await runHere(["accounts", "show", "--json"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(JSON.parse(stderr)).toEqual({
      code: "invalid_argument",
      message: "missing required argument 'id'",
    });
  });
});

describe("without a usable Redis", () => {
  test("a missing REDIS_URL is told at once", async () => {
    const { code, stderr } = await runHere(["accounts", "list"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: there is nothing to administer: set REDIS_URL .*\n$/);
  });

  test("a wrong REDIS_URL is told without repeating it", async () => {
    const { code, stderr } = await runHere(["accounts", "list"], { redisUrl: "http://:pass@host" });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "error: REDIS_URL must be a redis:// or rediss:// URL\n",
    });
  });
});

// Both wait as long as the command line does.
describe.concurrent("no Redis", () => {
  test("a Redis that refuses connections is told within 6 seconds", async ({ expect }) => {
    const port = await freePort();
    const start = performance.now();
    const outcome = await runHere(["accounts", "list", "--json"], {
      redisUrl: `redis://user:pass@127.0.0.1:${port}`,
    });
    expect(performance.now() - start).toBeLessThan(6_000);
    expect({ ...outcome, stderr: JSON.parse(outcome.stderr) }).toEqual({
      code: 1,
      stdout: "",
      stderr: {
        code: "unavailable",
        message: `Redis at 127.0.0.1:${port} can't be used: connect ECONNREFUSED 127.0.0.1:${port}`,
      },
    });
  });

  test("a Redis that does not answer is told within 6 seconds", async ({ expect }) => {
    const server = await startRedisServer();
    server.pause();
    try {
      const start = performance.now();
      const { code, stderr } = await runHere(["accounts", "list"], { redisUrl: server.url });
      expect(performance.now() - start).toBeLessThan(6_000);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^error: Redis at 127\.0\.0\.1:\d+ can't be used: .*\n$/);
    } finally {
      server.resume();
      await server.stop();
    }
  });
});

describe("as a process", () => {
  /** More items than a pipe holds. */
  async function importMany(): Promise<void> {
    const rows = Array.from({ length: 20_000 }, (_, index) => `${index + 1},1,sold`);
    await runHere(["items", "import", "-", "--format", "csv"], {
      redisUrl: redis.url,
      stdin: `petId,quantity,status\n${rows.join("\n")}\n`,
    });
  }

  test("prints its result and ends", async () => {
    const args = ["accounts", "create", "--name", "Shop", "--plan", "free", "--json"];
    const outcome = await runThere(args, { redisUrl: redis.url });
    expect(outcome).toEqual({ code: 0, stdout: expect.any(String), stderr: "" });
    expect(JSON.parse(outcome.stdout)).toEqual({ accountId: expect.any(String) });
  });

  test("imports from a pipe", async () => {
    const outcome = await runThere(["items", "import", "-", "--format", "csv"], {
      redisUrl: redis.url,
      stdin: "petId,quantity,status\n1,1,sold\n",
    });
    expect(outcome).toEqual({ code: 0, stdout: "created 1, updated 0, skipped 0\n", stderr: "" });
  });

  test("ends with 1 and one line when a command fails", async () => {
    const outcome = await runThere(["accounts", "show", "aaaaaaaaaaaa"], { redisUrl: redis.url });
    expect(outcome).toEqual({
      code: 1,
      stdout: "",
      stderr: "error: There is no account aaaaaaaaaaaa.\n",
    });
  });

  test("ends quietly when nobody reads its output any more", async () => {
    await importMany();
    for (const args of [["items", "export"], ["items", "export", "--json"], ["--help"]]) {
      const child = spawn(process.execPath, [mainPath, ...args], {
        env: { ...process.env, REDIS_URL: redis.url },
      });
      child.stdout.destroy();
      const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    }
  });

  test("ends quietly before `head`, also when the pipe is the file", async () => {
    await importMany();
    // As /dev/stdout is. That itself must not be at risk when this fails.
    const directory = await mkdtemp(join(tmpdir(), "inventory-stdout-"));
    const link = join(directory, "stdout");
    await symlink("/proc/self/fd/1", link);
    for (const file of ["", `${link} --format csv`]) {
      const line = `"$NODE" "$MAIN" items export ${file} | head -1; exit "\${PIPESTATUS[0]}"`;
      const child = spawn("bash", ["-c", line], {
        env: { ...process.env, REDIS_URL: redis.url, NODE: process.execPath, MAIN: mainPath },
      });
      const [stdout, stderr, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, "close"),
      ]);
      expect({ code, stdout, stderr }).toEqual({
        code: 0,
        stdout: "petId,quantity,status\n",
        stderr: "",
      });
    }
    expect(await readlink(link)).toBe("/proc/self/fd/1");
    await rm(directory, { recursive: true });
  });

  test("tells that its output could not be written", async () => {
    const full = openSync("/dev/full", "w");
    try {
      const child = spawn(process.execPath, [mainPath, "items", "export"], {
        env: { ...process.env, REDIS_URL: redis.url },
        stdio: ["ignore", full, "pipe"],
      });
      const { stderr: pipe } = child;
      const [stderr, [code]] = await Promise.all([pipe && text(pipe), once(child, "close")]);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^error: .*no space left on device.*\n$/);
    } finally {
      closeSync(full);
    }
  });

  test("serves until it is told to stop", async () => {
    const { REDIS_URL: _, ...env } = process.env;
    const child = spawn(process.execPath, [mainPath, "serve"], { env: { ...env, PORT: "0" } });
    const [first] = await once(child.stdout, "data");
    expect(String(first)).toMatch(/http:\/\/127\.0\.0\.1:\d+/);
    child.kill("SIGTERM");
    const [code] = await once(child, "close");
    expect(code).toBe(0);
  });
});
