import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { Redis } from "ioredis";
import { type Child, startChild } from "./child.ts";
import { newDirectory } from "./directory.ts";

const binaries = ["redis-server", "valkey-server"];

let foundBinary: string | undefined;

/** The name of the Redis or Valkey server on the PATH; undefined if there is none. */
export function findRedisBinary(): string | undefined {
  foundBinary ??= binaries.find((binary) => {
    try {
      execFileSync(binary, ["--version"], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  });
  return foundBinary;
}

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** Kills the server with SIGKILL, like a crash. */
  kill(): Promise<void>;
  /** Starts the server again, with the same port and data. */
  start(): Promise<void>;
  /** Suspends the process without closing its connections, until `resume`. */
  pause(): void;
  resume(): void;
  /** Ends the server and removes its data. */
  stop(): Promise<void>;
}

/**
 * Starts a Redis server on a free port of the loopback address.
 *
 * @param options more command-line options, such as `--appendonly yes`
 */
export async function startRedisServer(...options: readonly string[]): Promise<RedisServer> {
  // An outgoing connection could take another port before Redis listens on it. By default, the port of the cluster bus is
  // such a port, 10,000 above.
  const hasBus = options.includes("--cluster-enabled") && !options.includes("--cluster-port");
  const bus = hasBus ? ["--cluster-port", String(await freePort())] : [];
  return startRedisAt(await freePort(), () => [...bus, ...options]);
}

/**
 * Starts a Redis server on a port of the loopback address.
 *
 * @param optionsIn returns more command-line options. It may first write files to the server's directory
 */
export async function startRedisAt(
  port: number,
  optionsIn: (directory: string) => readonly string[],
): Promise<RedisServer> {
  const binary = findRedisBinary();
  if (!binary) {
    throw new Error("Neither redis-server nor valkey-server is on the PATH. Install one of them.");
  }
  const directory = newDirectory();
  const options = optionsIn(directory);
  const own = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", directory];
  // The path of a configuration file comes before all options.
  const args = options[0]?.startsWith("--") === false ? [] : own;
  let child: Child | undefined;

  async function start(): Promise<void> {
    child = startChild([binary as string, ...args, ...options], { stdio: "ignore" });
    await child.until("Redis accepts commands", () => accepts(port), 10_000);
  }

  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    start,
    kill: async () => void (await child?.end()),
    pause: () => void child?.kill("SIGSTOP"),
    resume: () => void child?.kill("SIGCONT"),
    async stop() {
      await child?.end();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The options of a server in a group whose servers have a password. */
export function passwordOptions(password: string | undefined): string[] {
  return password === undefined ? [] : ["--requirepass", password, "--masterauth", password];
}

/** Opens a client to inspect a server, which connects again after it was lost. */
export function inspect({ port }: RedisServer, password: string | undefined): Redis {
  const client = new Redis(port, "127.0.0.1", {
    ...(password !== undefined && { password }),
    retryStrategy: () => 20,
    maxRetriesPerRequest: 10,
  });
  client.on("error", () => {}); // the client reconnects
  return client;
}

/**
 * Counts the replicas that acknowledge what a primary sends. A new replica is up before its primary sends it changes:
 * the primary waits for its first acknowledgement, which comes within a second.
 *
 * @param primary a client of the primary
 */
export async function countAcknowledging(primary: Redis): Promise<number> {
  const [, , replicas] = (await primary.role()) as [string, number, unknown[]];
  return primary.wait(replicas.length, 1_500); // for all that was sent before
}

/**
 * Finds a free port. No outgoing connection of this machine, and no server that listens on port 0, takes the port before
 * its server starts or while its server is down: it is below the ports that Linux gives to them (from 32768).
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => resolve(true));
    });
    if (isFree) {
      server.close();
      await once(server, "close");
      return port;
    }
  }
}

/** Returns true if the server replies to a command, or asks for a password. */
function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("close", () => resolve(false));
    socket.on("error", () => {});
    socket.once("data", (reply) => {
      resolve(/^(?:\+PONG|-NOAUTH)/.test(reply.toString("latin1")));
      socket.destroy();
    });
    socket.write("PING\r\n");
  });
}
