import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { directoryOfTest } from "../../support/directory.ts";
import { useRedis } from "../../support/stores.ts";
import { freePort } from "../harness/redis-server.ts";
import { openTerminal, type Terminal } from "../harness/terminal.ts";
import { until } from "../harness/until.ts";
import { useStores } from "./stores.ts";

const redis = useRedis();
const own = useStores(redis);

/** Begins a request. @returns a function that completes it and returns everything that was received */
async function beginRequest(port: number): Promise<() => Promise<string>> {
  const body = '{"quantity":7}';
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  let received = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    received += text;
  });
  socket.write(
    `PATCH /v1/inventory/1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${own.key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  await until("the server asks for the body", () => received.startsWith("HTTP/1.1 100 Continue"));
  const closed = once(socket, "close");
  return async () => {
    socket.write(body);
    await closed;
    return received;
  };
}

/** The processes of a started service. */
interface Started {
  readonly port: number;
  /** The processes that serve, and their parent if they are workers. */
  readonly pids: readonly number[];
  log(): string;
}

const commands = ["npm start", "node_modules/.bin/node src/start.js"];

/** Types a command that starts the service, and waits until it listens. */
async function start(
  terminal: Terminal,
  command: string,
  workers: number,
  isBackground: boolean,
): Promise<Started> {
  const folder = directoryOfTest();
  const [port, file] = [await freePort(), join(folder, "log")];
  const settings = `REDIS_URL=${redis.url} WORKERS=${workers} PORT=${port} ADMIN_ADDR=`;
  terminal.type(`${settings} ${command} > ${file}${isBackground ? " &" : "; echo code=$?"}`);
  const log = () => readFileSync(file, "utf8");
  const pids = await until(
    "the service listens",
    () => {
      const found = [...(read(log) ?? "").matchAll(/"pid":(\d+)/g)].map(([, pid]) => Number(pid));
      return found.length === workers && found;
    },
    20_000,
  );
  const parents = workers > 1 ? [parentOf(pids[0] ?? 0)] : [];
  const all = [...pids, ...parents];
  onTestFinished(() => {
    for (const pid of all) if (isRunning(pid)) process.kill(pid, "SIGKILL");
  });
  return { port, pids: all, log };
}

function read(log: () => string): string | undefined {
  try {
    return log();
  } catch {
    return undefined; // The shell has not created it yet.
  }
}

const parentOf = (pid: number) =>
  Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);

/** Whether a process runs. One that nobody has waited for is a zombie. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** Ways to stop a job, the signal that it gets, and whether it was started in the background. */
const ways: Readonly<
  Record<string, readonly [signal: NodeJS.Signals, isBackground: boolean, stop: Stop]>
> = {
  "kill %1": ["SIGTERM", true, (terminal) => terminal.type("kill %1; wait %1; echo code=$?")],
  "Ctrl-C": ["SIGINT", false, (terminal) => terminal.interrupt()],
  "fg and Ctrl-C": ["SIGINT", true, foregroundAndInterrupt],
  "closing the terminal of a job in the foreground": ["SIGHUP", false, (each) => each.close()],
  "closing the terminal of a job in the background": ["SIGHUP", true, waitAndClose],
};
type Stop = (terminal: Terminal) => Promise<void> | void;

async function foregroundAndInterrupt(terminal: Terminal): Promise<void> {
  terminal.type("fg; echo code=$?");
  // The shell prints the command when the job has the terminal.
  await terminal.printed(/fg; echo[\s\S]*start(?:\.js)? > /);
  terminal.interrupt();
}

/**
 * Closes the terminal while the shell waits for its job. A shell that reads from the terminal may see its end before the
 * signal. Bash then leaves its jobs alone, as `exit` does.
 */
async function waitAndClose(terminal: Terminal): Promise<void> {
  terminal.type("echo wait''ing; wait");
  await terminal.printed(/waiting/);
  terminal.close();
}

describe.each(Object.keys(ways))("%s", (way) => {
  const [signal, isBackground, stop] = ways[way] ?? ["SIGTERM", false, () => {}];

  test.each(commands.flatMap((command) => [1, 2].map((workers) => [command, workers] as const)))(
    "lets a request complete that is in progress: %s, WORKERS=%i",
    async (command, workers) => {
      const terminal = openTerminal({});
      const service = await start(terminal, command, workers, isBackground);
      const complete = await beginRequest(service.port);
      await stop(terminal);
      await until(
        "all drain",
        () => service.log().split(`"reason":"${signal}","msg":"draining"`).length > workers,
      );
      // npm passes a signal on at any time. Here, it certainly does so during the drain.
      for (const pid of service.pids) if (isRunning(pid)) process.kill(pid, "SIGTERM");
      for (const pid of service.pids) if (isRunning(pid)) process.kill(pid, "SIGINT");
      expect(await complete()).toMatch(/HTTP\/1\.1 200 OK[\s\S]*"quantity":7/);
      await until("all have exited", () => !service.pids.some(isRunning), 10_000);
      expect(service.log().split('"msg":"stopped"')).toHaveLength(workers + 1);
      if (signal !== "SIGHUP") await terminal.printed(/code=0/);
    },
  );
});
