import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { until } from "./until.ts";

/** How a process ended. */
export interface Exit {
  /** 127 if the program could not be started. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The time of `performance.now()` at the exit, in ms. */
  readonly at: number;
}

/** A child process. It is killed when this process exits. */
export interface Child {
  readonly pid: number;
  readonly child: ChildProcess;
  /** All output so far. Empty for a stream that is not a pipe. */
  readonly stdout: string;
  readonly stderr: string;
  /** Both, in the order of their arrival. */
  readonly output: string;
  /** How the process ended; undefined while it runs. */
  readonly exit: Exit | undefined;
  kill(signal: NodeJS.Signals): void;
  /** Sends a signal to a process that runs, and waits until it has ended. */
  end(signal?: NodeJS.Signals): Promise<Exit>;
  /** Waits until the process has ended and its output is closed. */
  exited(timeoutMs?: number): Promise<Exit>;
  /** Waits until the process has printed a text to standard output `times` times. */
  printed(text: string, times?: number, timeoutMs?: number): Promise<void>;
  /** Waits like `until` for a condition. @throws Error with the output if the process ends before */
  until: typeof until;
}

/** How a child process is started, in addition to node's options. A detached one is killed with its whole group. */
export interface ChildOptions extends SpawnOptions {
  /** What standard input has. By default it is empty. */
  readonly input?: string;
  readonly onLine?: (line: string) => void;
  /** False if the output is too long to be collected. */
  readonly keepsOutput?: boolean;
}

const running = new Set<Child>();
process.once("exit", () => {
  for (const each of running) each.kill("SIGKILL");
});

/** Starts a process. Its output is collected unless `stdio` says something else. */
export function startChild(
  [program, ...args]: readonly [string, ...string[]],
  { input, onLine, keepsOutput = true, ...options }: ChildOptions = {},
): Child {
  const stdin = input === undefined ? "ignore" : "pipe";
  const child = spawn(program, args, { stdio: [stdin, "pipe", "pipe"], ...options });
  const own = { stdout: "", stderr: "", output: "", exit: undefined as Exit | undefined };
  for (const name of ["stdout", "stderr"] as const) {
    const stream = child[name];
    if (stream && onLine) createInterface({ input: stream }).on("line", onLine);
    if (keepsOutput) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        own[name] += text;
        own.output += text;
      });
    }
  }
  child.stdin?.on("error", () => {});
  if (input !== undefined) child.stdin?.end(input);
  const ended = (code: number | null, signal: NodeJS.Signals | null) => {
    own.exit ??= { code, signal, at: performance.now() };
    running.delete(started);
  };
  child.once("exit", ended);
  child.once("error", (error) => {
    own.output += `${error}`;
    ended(127, null);
  });
  const closed = new Promise((resolve) => child.once("close", resolve));

  const started: Child = Object.assign(own, {
    pid: child.pid ?? 0,
    child,
    kill(signal: NodeJS.Signals) {
      if (!options.detached || child.pid === undefined) child.kill(signal);
      else if (own.exit === undefined) process.kill(-child.pid, signal);
    },
    async end(signal: NodeJS.Signals = "SIGKILL") {
      if (own.exit === undefined) started.kill(signal);
      return started.exited();
    },
    async exited(timeoutMs = 15_000) {
      const exit = await until(`${program} has ended`, () => own.exit, timeoutMs);
      await closed;
      return exit;
    },
    async printed(text: string, times = 1, timeoutMs = 5_000) {
      const what = `${program} printed "${text}" ${times} times`;
      await until(what, () => own.stdout.split(text).length > times, timeoutMs);
    },
    until<T>(what: string, check: Parameters<typeof until<T>>[1], timeoutMs = 30_000) {
      const checkRunning = () => {
        if (own.exit === undefined) return check();
        const how = own.exit.signal ?? `code ${own.exit.code}`;
        throw new Error(`${program} ended (${how}): ${own.output}`);
      };
      return until(what, checkRunning, timeoutMs);
    },
  });
  running.add(started);
  return started;
}

export async function runCommand(
  command: readonly [string, ...string[]],
  options: ChildOptions = {},
): Promise<Child & { readonly code: number | null }> {
  const child = startChild(command, options);
  const { code } = await child.exited(Number.POSITIVE_INFINITY);
  return Object.assign(child, { code });
}
