import { Agent, request } from "node:http";
import type { Load, Run } from "../case.ts";
import { median } from "../median.ts";
import { metered } from "./metered.ts";
import type { Traffic } from "./traffic.ts";

/** The number of requests of a run. All holds of a run stay below the limit of their accounts. */
const requests = 4_000;
const connections = 64;

/** A request that is sent once for each number. */
interface Numbered {
  readonly method: "PUT" | "POST" | "PATCH";
  /** Each run has numbers of its own. */
  path(number: number): string;
  readonly body: string;
}

const order: Numbered = {
  method: "POST",
  path: () => "/v1/store/orders",
  body: '{"petId":1,"quantity":1}',
};
const put: Numbered = {
  method: "PUT",
  path: (number) => `/v1/store/holds/cart-${number}`,
  body: '{"items":[{"petId":1,"quantity":1}]}',
};
const confirm: Numbered = {
  method: "POST",
  path: (number) => `/v1/store/holds/cart-${number}:confirm`,
  body: "{}",
};

/** Enough units for all runs. */
const stock: Numbered = {
  method: "PATCH",
  path: () => "/v1/inventory/1",
  body: '{"quantity":1000000000}',
};

/** Places orders of one unit. */
export const orderLoad: Load = async (run) => {
  await sendAll(run, stock, [0]);
  return metered(run, () => sendAll(run, order, nextNumbers()));
};

/** Holds one unit each time. The holds are confirmed when the run is over. */
export const holdLoad: Load = async (run) => {
  const numbers = nextNumbers();
  await sendAll(run, stock, [0]);
  const sample = await metered(run, () => sendAll(run, put, numbers));
  await sendAll(run, confirm, numbers);
  return sample;
};

/** Confirms holds of one unit. */
export const confirmLoad: Load = async (run) => {
  const numbers = nextNumbers();
  await sendAll(run, stock, [0]);
  await sendAll(run, put, numbers);
  return metered(run, () => sendAll(run, confirm, numbers));
};

let last = 0;

function nextNumbers(): readonly number[] {
  last += requests;
  return Array.from({ length: requests }, (_, index) => last - index);
}

/** Sends a request for each number, one after another on each connection. @throws Error if one is not answered 200 */
async function sendAll(run: Run, call: Numbered, numbers: readonly number[]): Promise<Traffic> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const left = [...numbers];
  const latencies: number[] = [];
  const began = performance.now();
  try {
    await Promise.all(
      Array.from({ length: connections }, async () => {
        for (let number = left.pop(); number !== undefined; number = left.pop()) {
          const sentAt = performance.now();
          await send(run, agent, call, number);
          latencies.push(performance.now() - sentAt);
        }
      }),
    );
  } finally {
    agent.destroy();
  }
  const seconds = (performance.now() - began) / 1_000;
  latencies.sort((a, b) => a - b);
  const p99 = latencies[Math.floor(0.99 * latencies.length)] ?? 0;
  return { requests: numbers.length, seconds, p50: median(latencies), p99 };
}

function send(
  { server, data }: Run,
  agent: Agent,
  { method, path, body }: Numbered,
  number: number,
): Promise<void> {
  const key = data.keys[number % data.keys.length] ?? "";
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "content-length": body.length,
  };
  const options = { agent, host: "127.0.0.1", port: server.port, method, headers };
  return new Promise((resolve, reject) => {
    request({ ...options, path: path(number) }, (response) => {
      response.resume().on("end", resolve).on("error", reject);
      if (response.statusCode !== 200) {
        reject(new Error(`${method} ${path(number)}: ${response.statusCode}`));
      }
    })
      .on("error", reject)
      .end(body);
  });
}
