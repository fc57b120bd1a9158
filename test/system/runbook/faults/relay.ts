import { appendFileSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { type Child, startChild } from "../../harness/child.ts";
import { freePort } from "../../harness/redis-server.ts";
import { until } from "../../harness/until.ts";
import type { Drill, Fault } from "../drill.ts";

const cli = join(import.meta.dirname, "../../../../src/cli/main.ts");

/** Starts a relay to a port as a unit of systemd, which Prometheus watches, too. @returns a function that ends it */
async function startRelay(drill: Drill, port: number): Promise<() => Promise<unknown>> {
  const adminPort = await freePort();
  const logFile = join(drill.directory, "relay.log");
  appendFileSync(logFile, "");
  const to = `http://127.0.0.1:${port}/`;
  let relay: Child | undefined;

  async function start(): Promise<void> {
    const out = openSync(logFile, "a");
    const args = ["history", "relay", "erp", "--to", to, "--from-beginning"] as const;
    relay = startChild([process.execPath, cli, ...args], {
      stdio: ["ignore", out, out],
      env: {
        ...process.env,
        REDIS_URL: drill.variables.REDIS_URL,
        ADMIN_ADDR: `127.0.0.1:${adminPort}`,
        RELAY_SECRET: `whsec_${Buffer.alloc(32, 7).toString("base64")}`,
      },
    });
  }

  await start();
  const failed = () => readFileSync(logFile, "utf8").includes("a change was not delivered");
  await until("the relay fails", failed, 20_000);
  drill.prometheus.addTarget(drill.job, adminPort);
  Object.assign(drill.variables, {
    ADMIN: `http://127.0.0.1:${adminPort}`,
    INVENTORY_LOG: logFile,
  });
  drill.units["inventory-relay@erp"] = {
    async restart() {
      await relay?.end("SIGTERM");
      await start();
    },
  };
  return async () => relay?.end();
}

/** A receiver is down until the operator repairs it. */
const receiverDown: Fault = {
  name: "receiver-down",
  async run(drill) {
    const port = await freePort();
    const end = await startRelay(drill, port);
    const receiver = createServer((request, response) => {
      request.resume();
      response.writeHead(204).end();
    });
    try {
      await drill.proves("InventoryRelayStuck", () => void receiver.listen(port, "127.0.0.1"));
    } finally {
      await end();
      receiver.close();
    }
  },
};

export const relayFaults: readonly Fault[] = [receiverDown];
