import { describe, expect, test } from "vitest";
import { useCommands } from "./command-line.ts";

const { inventory, json } = useCommands();

const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);

describe("accounts create", () => {
  test("--output json prints only the id of the new account", async () => {
    const created = await json("accounts create --name", "Corner Shop", "--plan", "free");
    expect(created).toEqual({ accountId: expect.stringMatching(/^[0-9a-z]{12}$/) });
  });

  test("prints the account as text", async () => {
    const { stdout } = await inventory("accounts create --name Shop --plan pro");
    expect(stdout).toMatch(
      /^id {10}[0-9a-z]{12}\nname {8}Shop\nplan {8}pro\nper minute {2}300\nper day {5}10000\nstate {7}enabled\nwrites {6}any\ncreated {5}\S+Z\n$/,
    );
  });

  test("--per-minute and --per-day set the limits of an enterprise account", async () => {
    const limits = ["--per-minute", "5000", "--per-day", "2000000"];
    const name = ["--name", "Chain", "--plan", "enterprise"];
    const { accountId } = await json("accounts create", ...name, ...limits);
    expect(await json("accounts show", accountId)).toEqual({
      accountId,
      name: "Chain",
      plan: "enterprise",
      limits: { perMinute: 5000, perDay: 2_000_000 },
      createdAt: isoTime,
      writePolicy: "any",
    });
  });

  test.each([
    [["--plan", "enterprise"], 2, "--per-minute with --per-day: is required"],
    [
      ["--plan", "enterprise", "--per-minute", "5"],
      2,
      "--per-minute and --per-day must be set together",
    ],
    [
      ["--plan", "enterprise", "--per-minute", "0", "--per-day", "1000000001"],
      2,
      "--per-minute: must be between 1 and 1000000; --per-day: must be between 1 and 1000000000",
    ],
    [
      ["--plan", "enterprise", "--per-minute", "1e3", "--per-day", "5"],
      2,
      "--per-minute: must be an integer",
    ],
    [
      ["--plan", "free", "--per-minute", "5", "--per-day", "5"],
      2,
      "not allowed with the plan free",
    ],
    [["--plan", "gold"], 2, "Allowed choices are free, pro, business, enterprise"],
    [[], 2, "required option '--plan <plan>' not specified"],
  ])("%j: exit code %i", async (args, code, message) => {
    const outcome = await inventory("accounts create --name Chain", ...args);
    expect(outcome).toEqual({ code, stdout: "", stderr: expect.stringContaining(message) });
    expect(await json("accounts list")).toEqual([]);
  });
});

describe("accounts list", () => {
  test("--output json prints an array, oldest account first", async () => {
    const first = await json("accounts create --name One --plan free");
    const second = await json("accounts create --name Two --plan business");
    expect(await json("accounts list")).toEqual([
      {
        ...first,
        name: "One",
        plan: "free",
        limits: { perMinute: 60, perDay: 1_000 },
        createdAt: isoTime,
        writePolicy: "any",
      },
      {
        ...second,
        name: "Two",
        plan: "business",
        limits: { perMinute: 1_000, perDay: 100_000 },
        createdAt: isoTime,
        writePolicy: "any",
      },
    ]);
  });

  test("prints a table as text", async () => {
    const { accountId } = await json("accounts create --name Shop --plan free");
    const { stdout } = await inventory("accounts list");
    const [header, row, ...rest] = stdout.split("\n");
    expect(header).toBe("ID            NAME  PLAN  PER MINUTE  PER DAY  STATE    WRITES");
    expect(row).toBe(`${accountId}  Shop  free          60     1000  enabled  any`);
    expect(rest).toEqual([""]);
  });
});

describe("accounts show and set-plan", () => {
  test("show prints the plan that set-plan set", async () => {
    const { accountId } = await json("accounts create --name Shop --plan free");
    const changed = await json("accounts set-plan", accountId, "pro");
    expect(changed).toMatchObject({ plan: "pro", limits: { perMinute: 300, perDay: 10_000 } });
    expect(await json("accounts show", accountId)).toEqual(changed);
  });

  test("set-plan to enterprise takes limits", async () => {
    const { accountId } = await json("accounts create --name Shop --plan free");
    const limits = ["--per-minute", "7", "--per-day", "9"];
    const changed = await json("accounts set-plan", accountId, "enterprise", ...limits);
    expect(changed).toMatchObject({ plan: "enterprise", limits: { perMinute: 7, perDay: 9 } });
  });
});
