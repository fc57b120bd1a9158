import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { InventoryService } from "../../gen/inventory/v1/inventory_pb.ts";
import { keepAlive, send } from "../faults/client.ts";

/** The program of the honest clients: sends requests at a steady rate and measures their latency. */

/** Messages to the process: which server to call, when to begin a period, and when to report it. */
export type HonestOrder =
  | { readonly kind: "start"; readonly port: number; readonly key: string }
  | { readonly kind: "begin" }
  | { readonly kind: "end" };

/** The results of the requests of a period. */
export interface HonestReport {
  readonly requests: number;
  /** Latencies in ms, measured from the time at which the request was due. */
  readonly p50: number;
  readonly p99: number;
  /** p99 latency of a server that does nothing, in ms: the delay that the machine itself adds. */
  readonly controlP99: number;
  /** Each kind of failure, with its count. */
  readonly failures: readonly string[];
}

const requestsPerSecond = 200;
const controlRequestsPerSecond = 100;
const hangMs = 8_000;
/** Honest clients use only these pets. No attack changes them. */
const firstPet = 9_001;
const pets = 900;

interface Period {
  readonly latencies: number[];
  readonly controlLatencies: number[];
  readonly failures: Map<string, number>;
  readonly pending: Set<Promise<void>>;
}

function newPeriod(): Period {
  return { latencies: [], controlLatencies: [], failures: new Map(), pending: new Set() };
}

let period = newPeriod();
let stopped = false;

type Call = (petId: number) => Promise<unknown>;

function calls(port: number, key: string): Record<string, Call> {
  const url = `http://127.0.0.1:${port}`;
  const agent = keepAlive(8);
  const nodeOptions = { agent };
  const connect = createClient(
    InventoryService,
    createConnectTransport({ baseUrl: url, httpVersion: "1.1", nodeOptions }),
  );
  const web = createClient(
    InventoryService,
    createGrpcWebTransport({ baseUrl: url, httpVersion: "1.1", nodeOptions }),
  );
  const grpc = createClient(InventoryService, createGrpcTransport({ baseUrl: url }));
  const options = () => ({
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(hangMs),
  });

  async function rest(path: string, body?: string): Promise<void> {
    const patch = { method: "PATCH", headers: { "content-type": "application/json" }, body };
    const reply = await send(url + path, { key, agent, ...(body !== undefined && patch) });
    if (reply.status !== 200) throw new Error(`${reply.status} ${reply.body.slice(0, 200)}`);
    JSON.parse(reply.body);
  }

  return {
    "REST get": (petId) => rest(`/v1/inventory/${petId}`),
    "gRPC get": (petId) => grpc.getInventoryItem({ petId: BigInt(petId) }, options()),
    "Connect get": (petId) => connect.getInventoryItem({ petId: BigInt(petId) }, options()),
    "REST update": (petId) => rest(`/v1/inventory/${petId}`, `{"quantity":${petId}}`),
    "gRPC-Web page": () => web.listInventory({ pageSize: 10 }, options()),
    "gRPC update": (petId) =>
      grpc.updateInventory({ petId: BigInt(petId), update: { quantity: 5 } }, options()),
    "REST page": () => rest("/v1/inventory?pageSize=10"),
    "Connect adjust": (petId) =>
      connect.adjustInventory({ petId: BigInt(petId), delta: 1 }, options()),
  };
}

/** Keeps a watch open: an attack must not end an honest watch. */
async function watch(port: number, key: string): Promise<void> {
  const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${port}` });
  const client = createClient(InventoryService, transport);
  while (!stopped) {
    let resumeToken = "";
    try {
      const headers = { authorization: `Bearer ${key}` };
      for await (const message of client.watchInventory({ resumeToken }, { headers })) {
        resumeToken = message.resumeToken;
      }
      failed("the watch", "ended");
    } catch (error) {
      failed("the watch", error);
    }
    await delay(100);
  }
}

function failed(what: string, error: unknown, { failures } = period): void {
  const text = `${what}: ${error instanceof Error ? error.message : error}`;
  failures.set(text, (failures.get(text) ?? 0) + 1);
}

/** Calls at a steady rate, even if earlier calls have not finished. */
function repeat(
  perSecond: number,
  latencies: (of: Period) => number[],
  call: (count: number, own: Period) => Promise<void>,
): void {
  const begun = performance.now();
  let sent = 0;

  function one(): void {
    const own = period;
    const due = begun + ((sent + 1) * 1_000) / perSecond;
    const work = call(sent, own).then(() => {
      latencies(own).push(performance.now() - due);
      own.pending.delete(work);
    });
    own.pending.add(work);
    sent += 1;
  }

  setInterval(() => {
    const due = Math.floor(((performance.now() - begun) * perSecond) / 1_000);
    while (sent < due) one();
  }, 2);
}

async function start(port: number, key: string): Promise<void> {
  const rota = Object.entries(calls(port, key));
  repeat(
    requestsPerSecond,
    ({ latencies }) => latencies,
    async (count, own) => {
      const [name, call] = rota[count % rota.length] ?? ["", async () => {}];
      await call(firstPet + (count % pets)).catch((error: unknown) => failed(name, error, own));
    },
  );
  void watch(port, key);

  const control = fork(join(import.meta.dirname, "control.ts"));
  const [controlPort] = (await once(control, "message")) as [number];
  const agent = keepAlive(8);
  repeat(
    controlRequestsPerSecond,
    ({ controlLatencies }) => controlLatencies,
    async (_, own) => {
      await send(`http://127.0.0.1:${controlPort}/`, { agent }).catch((error: unknown) =>
        failed("the control", error, own),
      );
    },
  );
}

async function report(): Promise<HonestReport> {
  const own = period;
  period = newPeriod();
  await Promise.all(own.pending);
  return {
    requests: own.latencies.length,
    p50: quantile(own.latencies, 0.5),
    p99: quantile(own.latencies, 0.99),
    controlP99: quantile(own.controlLatencies, 0.99),
    failures: [...own.failures].map(([text, count]) => `${text} (${count} times)`),
  };
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

process.on("message", async (order: HonestOrder) => {
  switch (order.kind) {
    case "start":
      await start(order.port, order.key);
      break;
    case "begin":
      period = newPeriod();
      break;
    case "end":
      process.send?.(await report());
      break;
  }
});
process.once("disconnect", () => {
  stopped = true;
  process.exit();
});
