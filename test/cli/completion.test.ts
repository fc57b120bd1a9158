import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { runHere, succeedHere } from "./command-line.ts";

/** Runs lines of a shell before and after the completion script. @returns the lines that it prints */
async function inShell(
  shell: "bash" | "zsh" | "fish",
  args: readonly string[],
  after: string,
  before = "",
): Promise<string[]> {
  const script = await succeedHere(["completion", shell], {});
  const printed = execFileSync(shell, [...args, "-c", `${before}\n${script}\n${after}`], {
    encoding: "utf8",
  });
  return printed.trimEnd().split("\n");
}

describe("bash", () => {
  /** Returns the suggestions for the last word. */
  async function suggestions(...words: string[]): Promise<string[]> {
    const list = words.map((word) => `'${word}'`).join(" ");
    const [line = ""] = await inShell(
      "bash",
      ["--norc"],
      `COMP_WORDS=(inventory ${list}); COMP_CWORD=${words.length}
       _inventory; echo "\${COMPREPLY[@]}"`,
    );
    return line.split(" ");
  }

  test("suggests commands, options and values", async () => {
    expect(await suggestions("acc")).toEqual(["accounts"]);
    expect(await suggestions("keys", "re")).toEqual(["revoke"]);
    expect(await suggestions("accounts", "create", "--pl")).toEqual(["--plan"]);
    const plans = ["free", "pro", "business", "enterprise"];
    expect(await suggestions("accounts", "create", "--plan", "")).toEqual(plans);
    expect(await suggestions("accounts", "create", "--plan", "=", "p")).toEqual(["pro"]);
    expect(await suggestions("accounts", "list", "-o", "t")).toEqual(["table"]);
    expect(await suggestions("accounts", "set-plan", "7k2mq0x4v9ab", "p")).toContain("pro");
    expect(await suggestions("accounts", "write-policy", "7k2mq0x4v9ab", "s")).toEqual(["strict"]);
  });

  test("leaves values that can be anything to the shell", async () => {
    expect(await suggestions("backup", "x")).toEqual([""]);
    expect(await suggestions("items", "import", "--server", "")).toEqual([""]);
  });
});

describe("zsh", () => {
  // Without the completion system, which needs a terminal.
  const stubs =
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a parameter of zsh
    'compdef() { }; compadd() { shift; print -l -- "$@" }; _describe() { print -l -- "${(@P)2}" }';

  test("suggests commands and values", async () => {
    const suggest = (words: string, current: number) =>
      inShell("zsh", ["-f"], `words=(inventory ${words}); CURRENT=${current}; _inventory`, stubs);
    const plans = ["free", "pro", "business", "enterprise"];
    expect(await suggest("accounts create --plan ''", 5)).toEqual(plans);
    expect(await suggest("accounts ''", 3)).toContain("create:create an account");
  });
});

test("fish suggests commands, options and values", async () => {
  const suggest = (line: string) => inShell("fish", ["--no-config"], `complete -C "${line}"`);
  expect(await suggest("inventory acc")).toEqual([expect.stringMatching(/^accounts\t/)]);
  expect(await suggest("inventory accounts create --pl")).toEqual(["--plan\tthe account's plan"]);
  const plans = await suggest("inventory accounts create --plan ");
  expect(plans.map((line) => line.split("\t")[0])).toEqual([
    "business",
    "enterprise",
    "free",
    "pro",
  ]);
});

test("another shell is a wrong command line: exit code 2", async () => {
  const { code, stderr } = await runHere(["completion powershell"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("bash, zsh, fish")]);
});
