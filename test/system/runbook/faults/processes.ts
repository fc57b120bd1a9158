import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createCertificate } from "../../../support/certificate.ts";
import { listen } from "../../../support/listen.ts";
import { freePort } from "../../harness/redis-server.ts";
import { until } from "../../harness/until.ts";
import type { Drill, Fault } from "../drill.ts";

/** Opens connections that send the beginning of a request, or nothing. */
async function openConnections(
  port: number,
  count: number,
  sent = "",
  localAddress = "127.0.0.1",
): Promise<Socket[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect({ port, host: "127.0.0.1", localAddress });
      socket.on("error", () => {});
      await once(socket, "connect");
      socket.write(sent);
      return socket;
    }),
  );
}

/** Sends a request without its body, and waits until the service reads the body. */
async function holdRequest(port: number, key: string): Promise<void> {
  const [socket] = await openConnections(
    port,
    1,
    `PATCH /v1/inventory/1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n`,
  );
  if (socket) await once(socket, "data");
}

/** The beginning of a header section. */
const begunRequest = "GET / HTTP/1.1\r\n";

function workerOf({ service }: Drill): number {
  const children = execFileSync("pgrep", ["-P", `${service.pid}`], { encoding: "utf8" });
  return Number(children.trim().split("\n")[0]);
}

export const notScraped: Fault = {
  name: "not-scraped",
  watched: false,
  async run(drill) {
    await drill.proves("InventoryNotScraped", () =>
      drill.prometheus.addTarget(drill.job, drill.service.adminPort),
    );
  },
};

const killed: Fault = {
  name: "killed",
  async run(drill) {
    const startTime = async () =>
      (await drill.prometheus.value("process_start_time_seconds", drill.job)) ?? 0;
    await drill.service.stop("SIGKILL");
    await drill.proves("InventoryDown");
    for (let restarts = 1; restarts < 3; restarts += 1) {
      const before = await startTime();
      await drill.service.stop("SIGKILL");
      await drill.service.start();
      await until(
        "Prometheus sees the new process",
        async () => (await startTime()) > before,
        10_000,
      );
    }
    await drill.proves("InventoryRestarts");
  },
};

const killedWorker: Fault = {
  name: "killed-worker",
  settings: () => ({ WORKERS: "2" }),
  async run(drill) {
    await until("the workers serve", () => drill.get().then((status) => status === 200));
    process.kill(workerOf(drill), "SIGKILL");
    await drill.proves("InventoryWorkerReplaced");
  },
};

const bug: Fault = {
  name: "bug",
  async run(drill) {
    execFileSync("redis-cli", ["-u", drill.redis.url, "hset", "inv:{stock}:items", "1", "damaged"]);
    await drill.get();
    await drill.proves("InventoryFaults");
  },
};

const tooManyRequests: Fault = {
  name: "too-many-requests",
  settings: () => ({ MAX_REQUESTS_IN_FLIGHT: "10" }),
  async run(drill) {
    // No account gets all places.
    for (const count of [6, 3, 1]) {
      const key = await drill.newKey();
      for (let n = 0; n < count; n++) await holdRequest(drill.service.port, key);
    }
    await drill.fires("InventoryRequestsNearLimit");
    drill.load();
    await drill.fires("InventoryOverloaded");
    await drill.types("InventoryRequestsNearLimit");
    await drill.types("InventoryOverloaded");
    await drill.clears("InventoryRequestsNearLimit", "InventoryOverloaded");
  },
};

const tooManyConnections: Fault = {
  name: "too-many-connections",
  settings: () => ({ MAX_CONNECTIONS: "20" }),
  async run(drill) {
    // No address gets all places.
    await openConnections(drill.service.port, 11, begunRequest, "127.0.0.2");
    await openConnections(drill.service.port, 5, begunRequest, "127.0.0.3");
    await openConnections(drill.service.port, 2, begunRequest, "127.0.0.4");
    await drill.proves("InventoryConnectionsNearLimit");
  },
};

const fewDescriptors: Fault = {
  name: "few-descriptors",
  async run(drill) {
    const sockets = await openConnections(drill.service.port, 100, begunRequest);
    execFileSync("prlimit", ["--pid", `${drill.service.pid}`, "--nofile=140:"]);
    await drill.proves("InventoryFileDescriptorsNearLimit");
    for (const socket of sockets) socket.destroy();
  },
};

const noProcessor: Fault = {
  name: "no-processor",
  async run(drill) {
    let isBusy = true;
    // Another process that takes the core would have this effect.
    const pauses = (async () => {
      while (isBusy) {
        drill.service.signal("SIGSTOP");
        await delay(250);
        drill.service.signal("SIGCONT");
        await delay(50);
      }
    })();
    await drill.fires("InventoryEventLoopDelayed");
    await drill.types("InventoryEventLoopDelayed");
    isBusy = false;
    await pauses;
    await drill.clears("InventoryEventLoopDelayed");
  },
};

const oldCertificate: Fault = {
  name: "old-certificate",
  settings(directory) {
    createCertificate(join(directory, "tls"), "IP:127.0.0.1", undefined, 1);
    return { TLS_CERT: join(directory, "tls.crt"), TLS_KEY: join(directory, "tls.key") };
  },
  async run(drill) {
    drill.variables.TLS_CERT = join(drill.directory, "tls.crt");
    await drill.fires("InventoryCertificateExpiresSoon", "InventoryCertificateExpiresNow");
    await drill.types("InventoryCertificateExpiresSoon", () =>
      createCertificate(join(drill.directory, "tls"), "IP:127.0.0.1"),
    );
    await drill.types("InventoryCertificateExpiresNow");
    await drill.clears("InventoryCertificateExpiresSoon", "InventoryCertificateExpiresNow");
  },
};

/** A collector that accepts everything, when it runs. */
const collectorPort = await freePort();

const deadCollector: Fault = {
  name: "dead-collector",
  settings: () => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collectorPort}`,
    OTEL_TRACES_EXPORTER: "otlp",
    OTEL_BSP_MAX_QUEUE_SIZE: "200",
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "50",
    OTEL_BSP_SCHEDULE_DELAY: "100",
    OTEL_EXPORTER_OTLP_TIMEOUT: "2000",
  }),
  async run(drill) {
    const collector = createServer((request, response) => {
      request.resume().once("end", () => response.end());
    });
    drill.variables.OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${collectorPort}`;
    drill.units.otelcol = {
      restart: async () => {
        await listen(collector, collectorPort);
      },
    };
    drill.load();
    await drill.proves("InventorySpansDropped");
    collector.close();
    collector.closeAllConnections();
  },
};

/** Faults of the service's processes and of their surroundings. */
export const processFaults: readonly Fault[] = [
  killed,
  killedWorker,
  bug,
  tooManyRequests,
  tooManyConnections,
  fewDescriptors,
  noProcessor,
  oldCertificate,
  deadCollector,
];
