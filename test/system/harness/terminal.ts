import { join } from "node:path";
import { onTestFinished } from "vitest";
import { startChild } from "./child.ts";
import { until } from "./until.ts";

/** A terminal with an interactive shell, which has job control. */
export interface Terminal {
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
  const terminal = startChild(["script", "-qec", "bash --norc -i", "/dev/null"], {
    cwd: join(import.meta.dirname, "../../.."),
    env: { ...process.env, ...environment, HISTFILE: "/dev/null", PS1: "", SHELL: "/bin/bash" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const write = (text: string) => void terminal.child.stdin?.write(text);
  onTestFinished(async () => void (await terminal.end()));
  return {
    type: (line) => write(`${line}\n`),
    interrupt: () => write("\u0003"),
    async printed(pattern) {
      const shows = () => pattern.exec(terminal.stdout) ?? undefined;
      try {
        return await until(`the terminal shows ${pattern}`, shows, 15_000);
      } catch (error) {
        throw new Error(`${error}\n${terminal.stdout}`);
      }
    },
    close: () => terminal.kill("SIGKILL"),
  };
}
