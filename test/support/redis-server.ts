import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";

const binaries = ["redis-server", "valkey-server"];

/** The Redis or Valkey server on the PATH; undefined when there is none. */
export function findRedisBinary(): string | undefined {
  return binaries.find((binary) => {
    try {
      execFileSync(binary, ["--version"], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  });
}

/** A private Redis server of one test file. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** Kills it as a crash would, without warning. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data. */
  start(): Promise<void>;
  /** Stops it from running without closing its connections; `resume` undoes it. */
  pause(): void;
  resume(): void;
  /** Ends it for good and removes its data. */
  stop(): Promise<void>;
}

/**
 * Starts a private server on a free port of the loopback address.
 *
 * @param options more of its command-line options, such as `--appendonly yes`
 */
export async function startRedisServer(...options: readonly string[]): Promise<RedisServer> {
  const binary = findRedisBinary();
  if (!binary) {
    throw new Error("no redis-server or valkey-server on the PATH");
  }
  const directory = mkdtempSync(join(tmpdir(), "inventory-redis-"));
  const port = await freePort();
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    child = spawn(
      binary as string,
      ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", directory, ...options],
      { stdio: "ignore" },
    );
    await answering(port);
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (child && child.exitCode === null && child.signalCode === null) {
      const exit = once(child, "exit");
      child.kill(signal);
      await exit;
    }
  }

  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    start,
    kill: () => end("SIGKILL"),
    pause: () => void child?.kill("SIGSTOP"),
    resume: () => void child?.kill("SIGCONT"),
    async stop() {
      await end("SIGKILL");
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A port of the loopback address that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") {
    throw new Error("no port");
  }
  return address.port;
}

async function answering(port: number): Promise<void> {
  const redis = new Redis(port, "127.0.0.1", {
    retryStrategy: () => 10,
    maxRetriesPerRequest: null,
  });
  redis.on("error", () => {});
  await redis.ping();
  redis.disconnect();
}
