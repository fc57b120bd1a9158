import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { beforeEach, describe, expect, test } from "vitest";
import { encodeBackup } from "../../src/backup/backup-file.ts";
import type { DataRecord } from "../../src/backup/records.ts";
import { control, print, write } from "../../src/cli/output/terminal.ts";
import { dataFormat } from "../../src/stores/redis/format.ts";
import { useDirectory } from "../support/directory.ts";
import { useRedis } from "../support/stores.ts";
import { trackedFiles } from "../support/tracked-files.ts";
import { runHere } from "./command-line.ts";

/** Controls and marks of direction, except line breaks. */
const obeyed = /(?!\n)[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

const hostile = "\u001b[2Ja\u009b1mb\u202ec\u2066d\u007fe\u0007f\u061cg\u2028h";

describe("what is written to a terminal", () => {
  test("has data with escapes, and control sequences of the commands", async () => {
    const stream = new PassThrough();
    print(stream, [control.bold, hostile, control.notBold, "\n"]);
    await write(stream, "a\tb\n");
    stream.end();
    expect(await text(stream)).toBe(
      "\u001b[1m\\u001b[2Ja\\u009b1mb\\u202ec\\u2066d\\u007fe\\u0007f\\u061cg\\u2028h\u001b[22m\na\tb\n",
    );
  });

  test("passes through one module", () => {
    const root = join(import.meta.dirname, "../..");
    const around =
      /\bstd(?:out|err)\s*\.\s*(?:write|end|cork)\b|\.pipe\(|\bconsole\.|\bprocess\.std(?:out|err)\b|["']\\(?:u001b|x1b)/g;
    const found = trackedFiles("src/cli", "src/backup").flatMap((file) =>
      [...readFileSync(join(root, file), "utf8").matchAll(around)].map(
        ([text]) => `${file} ${text}`,
      ),
    );
    // The program passes its streams to the commands, and listens for their errors.
    const allowed = /^src\/cli\/(?:output\/terminal\.ts ["']|main\.ts )/;
    expect(found.filter((each) => !allowed.test(each))).toEqual([]);
    expect(found.length).toBeGreaterThan(10);
  });
});

describe("output of commands on hostile data", () => {
  const redis = useRedis();
  const directory = useDirectory();
  let accountId = "";

  const inventory = (...words: readonly string[]) => runHere(words, { redisUrl: redis.url });

  function expectSafe(outcome: { stdout: string; stderr: string }): void {
    expect(outcome.stdout).not.toMatch(obeyed);
    expect(outcome.stderr).not.toMatch(obeyed);
  }

  beforeEach(async () => {
    await redis.client.flushdb();
    const created = await inventory("accounts create --name x --plan pro --output=json");
    ({ accountId } = JSON.parse(created.stdout));
    await redis.client.hset(`inv:{${accountId}}:account`, "name", hostile);
  });

  test.each([
    ["accounts", "list"],
    ["accounts", "list", "--output=json"],
    ["accounts", "list", "--output", "ndjson"],
    ["accounts", "list", "--output", "csv"],
    ["audit", "list", "--output=json"],
  ])("%s %s %s %s", async (...words) => {
    await inventory("accounts rename", accountId, hostile.replace("\u001b", ""));
    expectSafe(await inventory(...words));
  });

  test.each([
    [["items", "show", hostile]],
    [["items", "show", hostile, "--output=json"]],
    [["accounts", "list", "--limit", hostile]],
    [["items", "import", `${hostile}.csv`, "--dry-run"]],
    [[hostile]],
    [["audit", "list", "--actor", hostile, "--before", hostile]],
  ])("errors that echo arguments: %#", async (words) => {
    const outcome = await inventory(...words);
    expect(outcome.code).not.toBe(0);
    expectSafe(outcome);
  });

  test("JSON has the same value with escapes, and an audit trail with them verifies", async () => {
    await inventory("accounts rename", accountId, "a\u009bb\u202ec");
    const { stdout } = await inventory("accounts show", accountId, "--output=json");
    expect(stdout).toContain('"a\\u009bb\\u202ec"');
    expect(JSON.parse(stdout)).toMatchObject({ name: "a\u009bb\u202ec" });
    const entries = await inventory("audit list --output ndjson");
    expectSafe(entries);
  });

  test.each([[[]], [["--output=json"]]])(
    "verify and restore of a crafted backup %j",
    async (options) => {
      const counts = { items: 1, accounts: 0, keys: 0, orders: 1, changes: 0, audit: 0, holds: 0 };
      const records = [
        { item: hostile, value: "5,1,1" },
        { order: hostile, of: hostile },
      ] as const satisfies readonly DataRecord[];
      async function* batches() {
        yield records;
        return { newest: "1-1", counts };
      }
      const parts: Buffer[] = [];
      for await (const part of encodeBackup(dataFormat, new Date(0), batches())) parts.push(part);
      const file = join(directory, "backup");
      await writeFile(file, Buffer.concat(parts));
      await redis.client.flushdb();
      for (const command of ["verify", "restore"]) {
        const outcome = await inventory(command, file, ...options);
        expect(outcome.stderr).toContain("\\u001b[2Ja\\u009b1mb\\u202ec");
        expectSafe(outcome);
      }
    },
  );
});
