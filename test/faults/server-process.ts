import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { until } from "./until.ts";

const ownMain = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

/** Halves the time to start. What is in it holds for one content of a file only. */
const compileCache = join(tmpdir(), "inventory-compile-cache");

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** When, on the clock of `performance.now()`. */
  readonly at: number;
}

/** The server as its users run it: a process of its own. */
export interface Process {
  readonly pid: number;
  /** All that it wrote so far. */
  readonly stdout: string;
  readonly stderr: string;
  /** How it ended, once it has. */
  readonly exit: Exit | undefined;
  kill(signal: NodeJS.Signals): void;
  /** Waits until it has ended, with its output closed. */
  exited(timeoutMs?: number): Promise<Exit>;
  /** Waits until it has written a text to its standard output, so many times. */
  printed(text: string, times?: number, timeoutMs?: number): Promise<void>;
}

/** A process that listens. */
export interface ServerProcess extends Process {
  readonly url: string;
  readonly port: number;
}

type Environment = Readonly<Record<string, string>>;

/** Starts server processes. */
export interface Servers {
  /**
   * Runs one, whatever becomes of it.
   *
   * @param environment its whole environment; it has what the runtime needs besides and nothing else
   * @param nodeOptions options of the runtime
   */
  run(environment: Environment, ...nodeOptions: readonly string[]): Process;
  /** Runs one on a free port and waits until it listens. */
  start(environment?: Environment, ...nodeOptions: readonly string[]): Promise<ServerProcess>;
}

/**
 * To be called once in a test file: whatever it starts has ended when the file has.
 *
 * @param main the program, when it is not this repository's
 */
export function useServers(main = ownMain): Servers {
  const processes: Process[] = [];
  const killAll = () => {
    for (const each of processes) {
      each.kill("SIGKILL");
    }
  };
  process.once("exit", killAll);
  afterAll(async () => {
    process.off("exit", killAll);
    killAll();
    await Promise.all(processes.map((each) => each.exited()));
  });

  function run(environment: Environment, ...nodeOptions: readonly string[]): Process {
    const each = spawnServer(main, environment, nodeOptions);
    processes.push(each);
    return each;
  }

  return {
    run,
    async start(environment = {}, ...nodeOptions) {
      const each = run({ PORT: "0", LOG_LEVEL: "info", ...environment }, ...nodeOptions);
      const url = await until(
        "the server listens",
        () => {
          if (each.exit) {
            throw new Error(`the server ended: ${each.stderr}`);
          }
          return listeningUrl(each.stdout);
        },
        15_000,
      );
      return Object.assign(each, { url, port: Number(new URL(url).port) });
    },
  };
}

/** With Redis it logs where it listens; without, it says so to people. */
function listeningUrl(stdout: string): string | undefined {
  const logged = /"url":"([^"]+)","msg":"listening"/.exec(stdout);
  const told = /^Inventory service on (\S+)\n[\s\S]*\n\n$/m.exec(stdout);
  return (logged ?? told)?.[1];
}

function spawnServer(
  main: string,
  environment: Environment,
  nodeOptions: readonly string[],
): Process {
  const child = spawn(process.execPath, [...nodeOptions, main], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: compileCache, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
    });
  }
  let exit: Exit | undefined;
  child.once("exit", (code, signal) => {
    exit = { code, signal, at: performance.now() };
  });
  const closed = once(child, "close");

  return {
    pid: child.pid ?? 0,
    get stdout() {
      return output.stdout;
    },
    get stderr() {
      return output.stderr;
    },
    get exit() {
      return exit;
    },
    kill: (signal) => void child.kill(signal),
    async exited(timeoutMs = 15_000) {
      const ended = await until("the process has ended", () => exit, timeoutMs);
      await closed;
      return ended;
    },
    printed: async (text, times = 1, timeoutMs = 5_000) => {
      await until(
        `the server printed "${text}" ${times} times`,
        () => output.stdout.split(text).length > times,
        timeoutMs,
      );
    },
  };
}
