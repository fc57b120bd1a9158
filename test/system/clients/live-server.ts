import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { compileCache } from "../harness/compile-cache.ts";

const ownMain = join(import.meta.dirname, "../../../src/main.ts");

/** A server process on a free port. */
export interface LiveServer {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts a server, and waits until it listens.
 *
 * @param settings settings that differ from the defaults
 * @param main the file of the server
 */
export async function startServer(
  settings: Readonly<Record<string, string>>,
  main = ownMain,
): Promise<LiveServer> {
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: compileCache,
      PORT: "0",
      ADMIN_ADDR: "",
      ...settings,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const end = () => child.kill("SIGKILL");
  process.once("exit", end);
  const stopped = once(child, "exit");
  const lines = createInterface({ input: child.stdout });
  const listening = Promise.withResolvers<string>();
  lines.on("line", (line) => {
    const url = /"url":"([^"]+)","msg":"listening"/.exec(line)?.[1];
    if (url) {
      listening.resolve(url);
    }
    if (/"level":[56]0/.test(line)) {
      process.stderr.write(`the server logged: ${line}\n`);
    }
  });
  void stopped.then(() => listening.reject(new Error("the server exited before it listened")));
  return {
    url: await listening.promise,
    async stop() {
      child.kill("SIGTERM");
      await stopped;
      process.off("exit", end);
    },
  };
}
