import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../test/system/harness/redis-server.ts";
import { onCore, serverCore } from "./cores.ts";

/** What is needed to start a server. */
export interface StartContext {
  readonly redisUrl: string;
  /** A folder for files. It is removed at the end. */
  readonly scratch: string;
  /** Options of node for our own server, such as a profiler. */
  readonly nodeOptions: readonly string[];
}

/** A server that can be started. Within a case, the same object is started once. */
export interface ServerSpec {
  readonly command: string;
  args(context: StartContext): readonly string[];
  /** Environment variables in addition to PATH, PORT, GRPC_PORT and REDIS_URL. */
  environment(context: StartContext): Readonly<Record<string, string>>;
  /** Serves gRPC on a separate port, GRPC_PORT. */
  readonly ownGrpcPort?: true;
  /** Loads `probe.js`. */
  readonly hasProbe?: true;
}

/** What a process has made since its start. */
export interface Made {
  /** Bytes on V8's heap. */
  readonly allocated: number;
  /** Promises, and callbacks of `process.nextTick` and `setImmediate`. Absent unless they are counted. */
  readonly promises?: number;
  readonly ticks?: number;
}

/** A running server. */
export interface Server {
  readonly pid: number;
  /** The HTTP port on the loopback address. */
  readonly port: number;
  readonly grpcPort: number;
  /** Returns what the server has made so far. Absent if it has no probe. */
  made?(): Promise<Made>;
  /** Stops it and waits until it has ended. */
  stop(): Promise<void>;
}

const startTimeoutMs = 30_000;
const stopTimeoutMs = 5_000;
const probeTimeoutMs = 5_000;

/** Starts a server on its core, and returns before it listens. */
export async function spawnServer(spec: ServerSpec, context: StartContext): Promise<Server> {
  const port = await freePort();
  const grpcPort = spec.ownGrpcPort ? await freePort() : port;
  const { hasProbe } = spec;
  const probeFile = join(context.scratch, randomUUID());
  const child = spawn(...onCore(serverCore, spec.command, spec.args(context)), {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: "production",
      REDIS_URL: context.redisUrl,
      PORT: String(port),
      GRPC_PORT: String(grpcPort),
      ...(hasProbe && { PROBE_FILE: probeFile }),
      ...spec.environment(context),
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const killed = () => child.kill("SIGKILL");
  process.once("exit", killed);
  child.once("exit", () => process.off("exit", killed));
  return {
    pid: child.pid ?? 0,
    port,
    grpcPort,
    ...(hasProbe && { made: () => made(child, probeFile) }),
    stop: () => stop(child),
  };
}

/** Asks the probe of a server what it has made. */
async function made(child: ChildProcess, file: string): Promise<Made> {
  rmSync(file, { force: true });
  const deadline = performance.now() + probeTimeoutMs;
  child.kill("SIGUSR2");
  while (!existsSync(file)) {
    if (performance.now() > deadline) throw new Error("the probe of the server does not respond");
    await sleep(1);
  }
  return JSON.parse(readFileSync(file, "utf8"));
}

/** Starts a server and waits until it accepts connections. */
export async function startServer(spec: ServerSpec, context: StartContext): Promise<Server> {
  const server = await spawnServer(spec, context);
  const deadline = performance.now() + startTimeoutMs;
  for (const port of new Set([server.port, server.grpcPort])) {
    while (!(await accepts(port))) {
      if (performance.now() > deadline) {
        await server.stop();
        throw new Error("the server does not accept connections");
      }
      await sleep(20);
    }
  }
  return server;
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  const late = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMs);
  child.kill("SIGTERM");
  await ended;
  clearTimeout(late);
}
