import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { type Child, type ChildOptions, startChild } from "./child.ts";

const ownMain = join(import.meta.dirname, "../../../src/main.ts");

/** Node's compile cache, which halves the start-up time of servers. Its entries depend on the contents of the files. */
export const compileCache = join(tmpdir(), "inventory-compile-cache");

export interface ServerProcess extends Child {
  readonly url: string;
  readonly port: number;
}

type Environment = Readonly<Record<string, string>>;

/** How a server process is started. */
export interface ServerOptions extends ChildOptions {
  /** The program; this repository's by default. */
  readonly main?: string;
  readonly nodeOptions?: readonly string[];
  /** Called before the process listens. */
  readonly onStart?: (server: Child) => void;
}

/**
 * Starts a server process, as users run it, without waiting for it to listen.
 *
 * @param environment the whole environment, except for what node itself needs. There is no admin port by default
 */
export function runServer(
  environment: Environment,
  { main = ownMain, nodeOptions = [], onStart, ...options }: ServerOptions = {},
): Child {
  const own = { PATH: process.env.PATH, NODE_COMPILE_CACHE: compileCache, ADMIN_ADDR: "" };
  const env = { ...own, ...environment };
  const server = startChild([process.execPath, ...nodeOptions, main], { env, ...options });
  onStart?.(server);
  return server;
}

/** Starts a server process on a free port, and waits until it listens. */
export async function startServer(
  environment: Environment = {},
  options: ServerOptions = {},
): Promise<ServerProcess> {
  const each = runServer({ PORT: "0", LOG_LEVEL: "info", ...environment }, options);
  const url = await each.until("the server listens", () => listeningUrl(each.stdout));
  return Object.assign(each, { url, port: Number(new URL(url).port) });
}

/** The URL of a server: from its log, or, without Redis, from its human-readable output. */
export function listeningUrl(stdout: string): string | undefined {
  const logged = /"url":"([^"]+)","msg":"listening"/.exec(stdout);
  const printed = /^Inventory service on (\S+)\n[\s\S]*\n\n$/m.exec(stdout);
  return (logged ?? printed)?.[1];
}

export interface Servers {
  /** Starts a process without waiting for it to listen. See {@link runServer}. */
  run(environment: Environment, ...nodeOptions: readonly string[]): Child;
  /** Starts a process on a free port, and waits until it listens. */
  start(environment?: Environment, ...nodeOptions: readonly string[]): Promise<ServerProcess>;
}

/**
 * Starts server processes, and ends them after the tests of the file. Call it once in a test file.
 *
 * @param main the program; this repository's by default
 */
export function useServers(main = ownMain): Servers {
  const processes: Child[] = [];
  afterAll(() => Promise.all(processes.map((each) => each.end())));
  const onStart = (each: Child) => void processes.push(each);
  return {
    run: (environment, ...nodeOptions) => runServer(environment, { main, nodeOptions, onStart }),
    start: (environment = {}, ...nodeOptions) =>
      startServer(environment, { main, nodeOptions, onStart }),
  };
}
