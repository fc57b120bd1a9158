import { appendFileSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Child } from "../harness/child.ts";
import { freePort } from "../harness/redis-server.ts";
import { runServer } from "../harness/server-process.ts";

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
  let child: Child | undefined;

  async function start(): Promise<void> {
    const lines = readFileSync(settingsFile, "utf8").trim().split("\n");
    const environment = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s, 2)));
    const out = openSync(logFile, "a");
    const before = readFileSync(logFile, "utf8").length;
    const added = () => readFileSync(logFile, "utf8").slice(before);
    child = runServer(environment, { stdio: ["ignore", out, out] });
    try {
      await child.until("the service listens", () => added().includes('"msg":"listening"'));
    } catch (error) {
      throw new Error(`${error}\n${added()}`);
    }
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
    stop: async (signal = "SIGTERM") => void (await child?.end(signal)),
    signal: (signal) => void child?.kill(signal),
  };
}
