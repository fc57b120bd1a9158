import { expect, test } from "vitest";
import { failed, runHere, succeeded } from "./command-line.ts";

test.each<[variables: Record<string, string>, warnings: readonly string[]]>([
  [{ REDIS_URL: "redis://:geheim@a", WORKERS: "2" }, []],
  [{ LOGLEVEL: "debug" }, ["LOGLEVEL is not a setting, and has no effect: use LOG_LEVEL"]],
])("config check accepts %j, with its warnings: exit code 0", async (variables, warnings) => {
  const lines = ["all settings are valid", ...warnings.map((warning) => `warning: ${warning}`)];
  expect(await runHere(["config check"], { variables })).toEqual(
    succeeded(`${lines.join("\n")}\n`),
  );
  const { stdout } = await runHere(["config check --output=json"], { variables });
  expect(JSON.parse(stdout)).toEqual({ valid: true, warnings });
});

test("config check prints every fault: exit code 1", async () => {
  const variables = { PORT: "x", WORKERS: "2", LOG_LEVL: "info" };
  const faults = [
    "LOG_LEVL is not a setting: did you mean LOG_LEVEL? Rename or remove it",
    'PORT is "x": it must be an integer from 0 to 65535',
    "WORKERS is more than 1: set REDIS_URL too, because workers share data only in Redis",
  ];
  const found = "found 3 faults in the settings";
  expect(await runHere(["config check"], { variables })).toEqual(
    failed(1, `${faults.join("\n")}\nerror: ${found}\n`),
  );
  const { code, stdout, stderr } = await runHere(["config check --output=json"], { variables });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  const lines = stderr.trim().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual(
    [...faults, found].map((message) => ({ code: "invalid_argument", message })),
  );
});

test("config show prints values and sources without passwords", async () => {
  const variables = { REDIS_URL: "redis://:geheim@a", PORT: "9000" };
  const { code, stdout, stderr } = await runHere(["config show"], { variables });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^NAME +VALUE +SOURCE\n/);
  expect(stdout).toMatch(/^PORT +9000 +environment$/m);
  expect(stdout).toMatch(/^HOST +127\.0\.0\.1 +default$/m);
  expect(stdout).toMatch(/^REDIS_URL +redis:\/\/:\*\*\*@a +environment$/m);
  expect(stdout).not.toContain("geheim");
});

test("config show prints invalid settings too, then the faults: exit code 1", async () => {
  const variables = { REDIS_URL: "geheim", PORT: "x\u001b[2J" };
  const { code, stdout, stderr } = await runHere(["config show --output=json"], { variables });
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toEqual(
    expect.arrayContaining([
      { name: "PORT", value: variables.PORT, source: "environment" },
      { name: "REDIS_URL", value: "***", source: "environment" },
    ]),
  );
  expect(stderr).not.toContain("geheim");
  expect(stderr.trim().split("\n")).toHaveLength(3);
  const { stdout: text } = await runHere(["config show"], { variables });
  expect(text).toContain("x\\u{1b}[2J");
});
