import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compileCache } from "../harness/compile-cache.ts";
import { freePort } from "../harness/redis-server.ts";
import { until } from "../harness/until.ts";

const main = join(import.meta.dirname, "../../../src/main.ts");

/** The service as a unit of systemd would run it: settings in a file, log in another, the same ports after a restart. */
export interface Service {
  readonly port: number;
  readonly adminPort: number;
  /** The file with the settings, as lines `NAME=value`. */
  readonly settingsFile: string;
  readonly logFile: string;
  readonly pid: number;
  readonly log: string;
  start(): Promise<void>;
  /** Stops the process, with SIGTERM unless it is given another signal. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  signal(signal: NodeJS.Signals): void;
}

/** Prepares the service. @param settings its environment variables; later lines of the file override them */
export async function createService(
  directory: string,
  settings: Readonly<Record<string, string>>,
): Promise<Service> {
  const [port, adminPort] = [await freePort(), await freePort()];
  const settingsFile = join(directory, "inventory.env");
  const logFile = join(directory, "inventory.log");
  const all = {
    DRAIN_TIMEOUT_MS: "1000",
    PORT: `${port}`,
    ADMIN_ADDR: `127.0.0.1:${adminPort}`,
    ...settings,
  };
  writeFileSync(
    settingsFile,
    Object.entries(all)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(""),
  );
  appendFileSync(logFile, "");
  let child: ChildProcess | undefined;
  const kill = () => void child?.kill("SIGKILL");
  process.once("exit", kill);

  async function start(): Promise<void> {
    const lines = readFileSync(settingsFile, "utf8").trim().split("\n");
    const environment = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s, 2)));
    const out = openSync(logFile, "a");
    const before = readFileSync(logFile, "utf8").length;
    const started = spawn(process.execPath, [main], {
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: compileCache, ...environment },
      stdio: ["ignore", out, out],
    });
    child = started;
    await until(
      "the service listens",
      () => {
        const log = readFileSync(logFile, "utf8").slice(before);
        if (started.exitCode !== null) throw new Error(`the service exited: ${log}`);
        return log.includes('"msg":"listening"');
      },
      30_000,
    );
  }

  return {
    port,
    adminPort,
    settingsFile,
    logFile,
    get pid() {
      return child?.pid ?? 0;
    },
    get log() {
      return readFileSync(logFile, "utf8");
    },
    start,
    async stop(signal = "SIGTERM") {
      if (child && child.exitCode === null && child.signalCode === null) {
        const exit = once(child, "exit");
        child.kill(signal);
        await exit;
      }
    },
    signal: (signal) => void child?.kill(signal),
  };
}
