import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { until } from "./until.ts";

/** A terminal with an interactive shell, which has job control. */
export interface Terminal {
  /** Types a line. */
  type(line: string): void;
  /** Types Ctrl-C. */
  interrupt(): void;
  /** Waits until the shell or its commands have printed a text. @returns the groups of the match */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Closes the terminal, as its window does. */
  close(): void;
}

/** Opens a terminal in the project's root. It is closed when the test ends. */
export function openTerminal(environment: NodeJS.ProcessEnv): Terminal {
  // script (util-linux) owns the terminal, so that its end is a hang-up.
  const child = spawn("script", ["-qec", "bash --norc -i", "/dev/null"], {
    cwd: join(import.meta.dirname, "../../.."),
    env: { ...process.env, ...environment, HISTFILE: "/dev/null", PS1: "", SHELL: "/bin/bash" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  child.stdin.on("error", () => {});
  const close = () => void child.kill("SIGKILL");
  onTestFinished(async () => {
    close();
    await closed;
  });
  return {
    type: (line) => void child.stdin.write(`${line}\n`),
    interrupt: () => void child.stdin.write("\u0003"),
    printed: (pattern) =>
      until(`the terminal shows ${pattern}`, () => pattern.exec(text) ?? undefined, 15_000).catch(
        (error: unknown) => {
          throw new Error(`${error}\n${text}`);
        },
      ),
    close,
  };
}
