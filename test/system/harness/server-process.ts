import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll } from "vitest";
import { compileCache } from "./compile-cache.ts";
import { until } from "./until.ts";

const ownMain = fileURLToPath(new URL("../../../src/main.ts", import.meta.url));

/** How a process exited. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The time of `performance.now()` at the exit, in ms. */
  readonly at: number;
}

/** A server process, as users run it. */
export interface Process {
  readonly pid: number;
  /** All output so far. */
  readonly stdout: string;
  readonly stderr: string;
  /** How the process exited; undefined while it runs. */
  readonly exit: Exit | undefined;
  kill(signal: NodeJS.Signals): void;
  /** Waits until the process has exited and its output is closed. */
  exited(timeoutMs?: number): Promise<Exit>;
  /** Waits until the process has printed a text to standard output `times` times. */
  printed(text: string, times?: number, timeoutMs?: number): Promise<void>;
}

/** A server process that listens. */
export interface ServerProcess extends Process {
  readonly url: string;
  readonly port: number;
}

type Environment = Readonly<Record<string, string>>;

/** Starts server processes. */
export interface Servers {
  /**
   * Starts a process without waiting for it to listen.
   *
   * @param environment the whole environment, except for what node itself needs
   * @param nodeOptions options of node
   */
  run(environment: Environment, ...nodeOptions: readonly string[]): Process;
  /** Starts a process on a free port, and waits until it listens. */
  start(environment?: Environment, ...nodeOptions: readonly string[]): Promise<ServerProcess>;
}

/**
 * Starts server processes, and ends them after the tests of the file. Call it once in a test file.
 *
 * @param main the program; this repository's by default
 */
export function useServers(main = ownMain): Servers {
  const processes: Process[] = [];
  const killAll = () => {
    for (const each of processes) {
      each.kill("SIGKILL");
    }
  };
  beforeAll(() => void process.once("exit", killAll));
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
            throw new Error(`the server exited: ${each.stderr}`);
          }
          return listeningUrl(each.stdout);
        },
        30_000,
      );
      return Object.assign(each, { url, port: Number(new URL(url).port) });
    },
  };
}

/** The URL of a server: from its log, or, without Redis, from its human-readable output. */
function listeningUrl(stdout: string): string | undefined {
  const logged = /"url":"([^"]+)","msg":"listening"/.exec(stdout);
  const printed = /^Inventory service on (\S+)\n[\s\S]*\n\n$/m.exec(stdout);
  return (logged ?? printed)?.[1];
}

function spawnServer(
  main: string,
  environment: Environment,
  nodeOptions: readonly string[],
): Process {
  const child = spawn(process.execPath, [...nodeOptions, main], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: compileCache,
      ADMIN_ADDR: "",
      ...environment,
    },
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
      const ended = await until("the process has exited", () => exit, timeoutMs);
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
