import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { compileCache } from "./compile-cache.ts";

const main = fileURLToPath(new URL("../../../src/main.ts", import.meta.url));
const memoryProbe = fileURLToPath(new URL("./memory-probe.ts", import.meta.url));
const startTimeoutMs = 15_000;
/** Number of log lines that are kept: enough to diagnose a failure. */
const heldLines = 50;

/** The log of a server. */
export interface LiveLog {
  /** Bytes written so far to standard output and standard error. */
  readonly bytes: number;
  /** The lines that report a bug, at most 50. */
  readonly bugs: readonly string[];
  /** The last 50 lines. */
  readonly tail: readonly string[];
}

/** A server process under heavy load. It keeps only the end of its log, and shows its resource use. */
export interface LiveServer {
  readonly pid: number;
  readonly port: number;
  readonly log: LiveLog;
  /** The signal or exit code with which the process exited; undefined while it runs. */
  readonly ended: string | undefined;
  /** Resident memory, in MB; 0 if the process has exited. */
  residentMegabytes(): number;
  /** Collects garbage. @returns the bytes of live objects and the resident bytes of the process */
  memory(): Promise<{ live: number; rss: number }>;
  kill(): Promise<void>;
}

/**
 * Starts the server on a free port and waits until it listens.
 *
 * @param onBug called with each log line that reports a bug
 * @throws Error with the last log lines if the server does not start
 */
export async function startLiveServer(
  environment: Readonly<Record<string, string>>,
  nodeOptions: readonly string[] = [],
  onBug: (line: string) => void = () => {},
): Promise<LiveServer> {
  const child = spawn(
    process.execPath,
    ["--expose-gc", "--import", memoryProbe, ...nodeOptions, main],
    {
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: compileCache,
        PORT: "0",
        ADMIN_ADDR: "",
        ...environment,
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const log = { bytes: 0, bugs: [] as string[], tail: [] as string[] };
  const listening = Promise.withResolvers<number>();
  const probes: ((line: string) => void)[] = [];
  let ended: string | undefined;

  function take(line: string): void {
    if (line.startsWith("memory ")) {
      probes.shift()?.(line);
      return;
    }
    log.bytes += line.length + 1;
    // Node warns of too many listeners, for example.
    if (
      line.includes("a request failed because of a bug") ||
      /^\(node:\d+\) .*Warning/.test(line)
    ) {
      if (log.bugs.length < heldLines) log.bugs.push(line);
      onBug(line);
    }
    log.tail.push(line.slice(0, 2_000));
    if (log.tail.length > heldLines) log.tail.shift();
    const url = /"url":"([^"]+)","msg":"listening"/.exec(line)?.[1];
    if (url) listening.resolve(Number(new URL(url).port));
  }

  createInterface({ input: child.stdout }).on("line", take);
  createInterface({ input: child.stderr }).on("line", take);
  const kill = () => void child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", (code, signal) => {
    process.off("exit", kill);
    ended = signal ?? `exit code ${code}`;
    listening.reject(new Error(`the server did not start: ${log.tail.join("\n")}`));
    for (const probe of probes.splice(0)) probe("memory 0 0");
  });
  const late = setTimeout(
    () => listening.reject(new Error(`the server did not listen within ${startTimeoutMs} ms`)),
    startTimeoutMs,
  );
  const port = await listening.promise.finally(() => clearTimeout(late));
  const pid = child.pid ?? 0;

  return {
    pid,
    port,
    log,
    get ended() {
      return ended;
    },
    residentMegabytes: () => residentMegabytes(pid),
    async memory() {
      if (ended !== undefined) return { live: 0, rss: 0 };
      const line = await new Promise<string>((resolve) => {
        probes.push(resolve);
        child.kill("SIGUSR2");
      });
      const [, live = 0, rss = 0] = line.split(" ").map(Number);
      return { live, rss };
    },
    async kill() {
      if (ended !== undefined) return;
      const exit = once(child, "exit");
      kill();
      await exit;
    },
  };
}

/** Resident memory of a process, in MB; 0 if it does not exist. */
function residentMegabytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1_024) / 1_000_000;
  } catch {
    return 0;
  }
}
