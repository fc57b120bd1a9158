import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { InventoryService } from "../../../gen/inventory/v1/inventory_pb.ts";
import { keepAlive, send } from "../faults/client.ts";
import { count, countsOf, type Failure } from "./failures.ts";

/** The program of the honest clients: sends requests at a steady rate and measures their latency. */

/** Messages to the process: which servers to call, when to begin a period, and when to report it. */
export type HonestOrder =
  | {
      readonly kind: "start";
      readonly port: number;
      readonly key: string;
      readonly controlPort: number;
    }
  | { readonly kind: "begin" }
  | { readonly kind: "end" };

/** The results of the calls of a period. */
export interface HonestReport extends Results {
  /** The same of a server that does nothing: what the machine itself adds. */
  readonly control: Results;
  /** The failures of calls and of the watch. */
  readonly failures: readonly Failure[];
}

/** Results of calls that were made at a steady rate. */
export interface Results {
  /** Calls that were due in the period. */
  readonly calls: number;
  readonly succeeded: number;
  /** Latencies of the calls that succeeded, in ms, measured from the time at which the call was due. */
  readonly p50: number;
  readonly p99: number;
}

/** Calls to the server, and as many to the control. */
const callsPerSecond = 200;
const hangMs = 8_000;
/** Honest clients use only these pets. No attack changes them. */
const firstPet = 9_001;
const pets = 900;

/** The calls to a server in a period. */
interface Calls {
  /** Latencies of the calls that succeeded, in ms. */
  readonly latencies: number[];
  readonly pending: Set<Promise<void>>;
  made: number;
}

interface Period {
  readonly server: Calls;
  readonly control: Calls;
  readonly failures: Map<string, number>;
}

function newPeriod(): Period {
  const calls = (): Calls => ({ latencies: [], pending: new Set(), made: 0 });
  return { server: calls(), control: calls(), failures: new Map() };
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

function failed(what: string, error: unknown, failures = period.failures): void {
  const text = `${what}: ${error instanceof Error ? error.message : error}`;
  count(failures, text);
}

/** Calls at a steady rate, even if earlier calls have not finished. */
function repeat(
  which: "server" | "control",
  call: (sent: number) => { readonly name: string; readonly done: Promise<unknown> },
): void {
  const begun = performance.now();
  let sent = 0;

  function one(): void {
    const { [which]: own, failures } = period;
    const due = begun + ((sent + 1) * 1_000) / callsPerSecond;
    const { name, done } = call(sent);
    const work = done.then(
      () => void own.latencies.push(performance.now() - due),
      (error: unknown) => failed(name, error, failures),
    );
    own.made += 1;
    own.pending.add(work);
    void work.then(() => own.pending.delete(work));
    sent += 1;
  }

  setInterval(() => {
    const due = Math.floor(((performance.now() - begun) * callsPerSecond) / 1_000);
    while (sent < due) one();
  }, 2);
}

function start(port: number, key: string, controlPort: number): void {
  const rota = Object.entries(calls(port, key));
  repeat("server", (sent) => {
    const [name, call] = rota[sent % rota.length] ?? ["", async () => {}];
    return { name, done: call(firstPet + (sent % pets)) };
  });
  void watch(port, key);
  const agent = keepAlive(8);
  repeat("control", () => ({
    name: "the control",
    done: send(`http://127.0.0.1:${controlPort}/`, { agent }),
  }));
}

async function report(): Promise<HonestReport> {
  const { server, control, failures } = period;
  period = newPeriod();
  await Promise.all([...server.pending, ...control.pending]);
  return { ...resultsOf(server), control: resultsOf(control), failures: countsOf(failures) };
}

function resultsOf({ made, latencies }: Calls): Results {
  return {
    calls: made,
    succeeded: latencies.length,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
  };
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

process.on("message", async (order: HonestOrder) => {
  switch (order.kind) {
    case "start":
      start(order.port, order.key, order.controlPort);
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
