import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listeningUrl, runServer } from "./server-process.ts";

const memoryProbe = join(import.meta.dirname, "memory-probe.ts");
/** Number of log lines that are kept: enough to diagnose a failure. */
const heldLines = 50;

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
  const log = { bytes: 0, bugs: [] as string[], tail: [] as string[] };
  const probes: ((line: string) => void)[] = [];

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
  }

  const server = runServer(
    { PORT: "0", ...environment },
    {
      nodeOptions: ["--expose-gc", "--import", memoryProbe, ...nodeOptions],
      onLine: take,
      keepsOutput: false,
    },
  );
  server.child.once("exit", () => {
    for (const probe of probes.splice(0)) probe("memory 0 0");
  });
  const url = await server
    .until("the server listens", () => listeningUrl(log.tail.join("\n")), 15_000)
    .catch((error: unknown) => {
      throw new Error(`${error}\n${log.tail.join("\n")}`);
    });

  return {
    pid: server.pid,
    port: Number(new URL(url).port),
    log,
    get ended() {
      return server.exit && (server.exit.signal ?? `exit code ${server.exit.code}`);
    },
    residentMegabytes: () => residentMegabytes(server.pid),
    async memory() {
      if (server.exit) return { live: 0, rss: 0 };
      const line = await new Promise<string>((resolve) => {
        probes.push(resolve);
        server.kill("SIGUSR2");
      });
      const [, live = 0, rss = 0] = line.split(" ").map(Number);
      return { live, rss };
    },
    kill: async () => void (await server.end()),
  };
}

/** Resident memory of a process, in MB; 0 if it does not exist. */
export function residentMegabytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1_024) / 1_000_000;
  } catch {
    return 0;
  }
}
