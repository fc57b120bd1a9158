import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Command } from "./languages.ts";

/** What a command came to. */
export interface Result {
  readonly succeeded: boolean;
  /** All that it wrote, to standard output and standard error. */
  readonly output: string;
}

/** @param environment what the command has besides this process's own environment */
export async function run(
  [name, ...args]: Command,
  cwd: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Result> {
  const child = spawn(name, args, {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  try {
    const [code] = await once(child, "close");
    return { succeeded: code === 0, output };
  } catch (error) {
    return { succeeded: false, output: String(error) };
  }
}
