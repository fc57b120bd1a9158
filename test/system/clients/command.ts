import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Command } from "./languages.ts";

/** The result of a command. */
export interface Result {
  readonly succeeded: boolean;
  /** Standard output and standard error. */
  readonly output: string;
}

/** Runs a command. @param environment variables in addition to those of this process */
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
