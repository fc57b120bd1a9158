import { styleText } from "node:util";
import { describe, expect, test } from "vitest";
import { textWidth } from "../../src/cli/output/text-width.ts";
import { useRedis } from "../support/stores.ts";
import { runHere, succeedHere } from "./command-line.ts";

const redis = useRedis();

describe("--output", () => {
  const inventory = (...args: string[]) => succeedHere(args, { redisUrl: redis.url });
  const twoAccounts = async () => {
    await redis.client.flushdb();
    await inventory("accounts create --name", 'Dog, "Cat" & Co', "--plan", "free");
    await inventory("accounts create --name", "=1+1\u001b[31m", "--plan", "pro");
  };

  test("ndjson prints the elements of the JSON array, one on each line", async () => {
    await twoAccounts();
    const array = JSON.parse(await inventory("accounts list --output json"));
    const lines = (await inventory("accounts list --output ndjson")).trimEnd().split("\n");
    expect(array).toHaveLength(2);
    expect(lines.map((line) => JSON.parse(line))).toEqual(array);
    expect(JSON.parse(await inventory("accounts list --output=json"))).toEqual(array);
  });

  test("csv has a header, quotes what needs it, and has no control characters", async () => {
    await twoAccounts();
    const [header, ...rows] = (await inventory("accounts list --output csv")).trimEnd().split("\n");
    expect(header).toBe("id,name,plan,perMinute,perDay,state,writes,created,disabled");
    expect(rows.join("\n")).toContain(',"Dog, ""Cat"" & Co",free,60,1000,');
    expect(rows.join("\n")).toContain(",'=1+1\\u{1b}[31m,pro,300,10000,");
  });

  test("csv has an apostrophe before formulas, and none before numbers", async () => {
    await redis.client.flushdb();
    await inventory("items create 5 --quantity 9 --status sold");
    for (const note of ["=HYPERLINK(0)", "+1+2", "-2+3", "@SUM(A1)", "-5", "a=b"]) {
      await inventory("items adjust 5 --by -1", `--note=${note}`);
    }
    const csv = await inventory("items history 5 --limit 6 --output csv");
    const notes = csv
      .trimEnd()
      .split("\n")
      .slice(1)
      .map((line) => line.split(",").at(-3));
    expect(notes).toEqual(["a=b", "-5", "'@SUM(A1)", "'-2+3", "'+1+2", "'=HYPERLINK(0)"]);
  });

  test("csv of one resource is one row", async () => {
    await twoAccounts();
    const [{ accountId }] = JSON.parse(await inventory("accounts list --output=json"));
    const csv = await inventory("accounts show", accountId, "--output", "csv");
    expect(csv.trimEnd().split("\n")).toEqual([
      expect.stringMatching(/^id,name,plan,/),
      expect.stringMatching(`^${accountId},`),
    ]);
  });

  test("csv of an empty list is its header", async () => {
    await redis.client.flushdb();
    expect(await inventory("accounts list --output=csv")).toBe(
      "id,name,plan,perMinute,perDay,state,writes,created,disabled\n",
    );
  });

  test.each([["--output", "json"], ["--output=ndjson"], ["-o", "ndjson"], ["-ojson"]])(
    "%s %s prints errors as JSON",
    async (...options) => {
      const { code, stderr } = await runHere(["accounts show aaaaaaaaaaaa", ...options], {
        redisUrl: redis.url,
      });
      expect([code, JSON.parse(stderr)]).toEqual([
        4,
        { code: "not_found", message: "Account aaaaaaaaaaaa does not exist." },
      ]);
    },
  );

  test.each([
    [["--output", "yaml"], "Allowed choices are table, json, ndjson, csv"],
    [["--json"], "unknown option '--json'"],
  ])("%j is a wrong command line: exit code 2", async (options, message) => {
    const { code, stderr } = await runHere(["accounts list", ...options]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe("the width of a table", () => {
  async function listed(columns: number | undefined, variables: Record<string, string>) {
    const streams = { stdout: { columns } };
    const environment = { redisUrl: redis.url, variables, streams };
    return (await succeedHere(["accounts list"], environment)).split("\n");
  }

  test("is that of the terminal, else COLUMNS, else 80", async () => {
    await redis.client.flushdb();
    const name = "長い名前".repeat(20);
    await succeedHere(["accounts create --name", name, "--plan", "free"], { redisUrl: redis.url });
    const widths = async (columns: number | undefined, variables = {}) =>
      Math.max(...(await listed(columns, variables)).map(textWidth));
    expect(await widths(undefined)).toBeLessThanOrEqual(80);
    expect(await widths(undefined)).toBeGreaterThan(77);
    expect(await widths(undefined, { COLUMNS: "100" })).toBeGreaterThan(97);
    expect(await widths(90, { COLUMNS: "100" })).toBeLessThanOrEqual(90);
    const [titles = ""] = await listed(300, {});
    expect(titles.split(/ {2,}/)).toEqual(
      ["ID", "NAME", "PLAN", "PER MINUTE", "PER DAY", "STATE", "WRITES", "CREATED"].concat(
        "DISABLED",
      ),
    );
  });
});

test("on a terminal, a list that --limit cuts says so", async () => {
  await redis.client.flushdb();
  for (const pet of ["1", "2"]) {
    await succeedHere(["items create", pet, "--quantity", "1", "--status", "sold"], {
      redisUrl: redis.url,
    });
  }
  const notes = async (limit: string, isTTY: boolean) =>
    (await runHere(["items list --limit", limit], { redisUrl: redis.url, isTTY })).stderr;
  expect(await notes("1", true)).toBe("There are more: set a higher --limit to list them.\n");
  expect(await notes("2", true)).toBe("");
  expect(await notes("1", false)).toBe("");
});

describe("colours", () => {
  async function onTerminal(variables: Readonly<Record<string, string>>): Promise<string> {
    const streams = { stderr: { isTTY: true } };
    return (await runHere(["accounts list"], { variables, isTTY: true, streams })).stderr;
  }

  test("are on a terminal only, and not with NO_COLOR", async () => {
    expect(await onTerminal({})).toContain(
      `${styleText("red", "error:", { validateStream: false })} REDIS_URL`,
    );
    expect(await onTerminal({ NO_COLOR: "1" })).toMatch(/^error: REDIS_URL is not set/);
    expect((await runHere(["accounts list"])).stderr).toMatch(/^error: REDIS_URL is not set/);
  });
});

test("--version prints the version", async () => {
  expect(await succeedHere(["--version"], {})).toMatch(/^\d+\.\d+\.\d+\n$/);
});

describe("ids", () => {
  test.each([
    [
      ["keys", "revoke", "aaaaaaaaaaaa"],
      "<key-id>: aaaaaaaaaaaa is an account id; this command wants a key id",
    ],
    [
      ["accounts", "show", "aaaaaaaaaaaabbbbbbbb"],
      "<account-id>: aaaaaaaaaaaabbbbbbbb is a key id; this command wants an account id. The account of that key is aaaaaaaaaaaa",
    ],
    [["keys", "create", "aaaaaaaaaaaabbbbbbbb"], "<account-id>: aaaaaaaaaaaabbbbbbbb is a key id"],
  ])("%j names the id that is wanted: exit code 2", async (args, message) => {
    const { code, stdout, stderr } = await runHere(args);
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(message)]);
  });

  const secret = `inv_${"7k2mq0x4v9ab".padEnd(45, "z")}`;
  test.each([
    [["keys", "revoke", secret]],
    [["accounts", "show", secret]],
    [["accounts", "show", secret.toUpperCase()]],
    [["accounts", "create", "--name", "x", `--plan=${secret}`]],
    [["items", "delete", "5", secret, "--output=json"]],
  ])("an API key is recognised and not printed: exit code 2", async (args) => {
    const { code, stdout, stderr } = await runHere(args);
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining("that is an API key")]);
    expect(stderr.toLowerCase()).not.toContain(secret);
  });
});
