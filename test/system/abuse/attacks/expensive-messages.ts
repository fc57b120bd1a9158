import { setTimeout as delay } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import type { Attack, Target } from "./attack.ts";
import { attacker, bearer, type Headers, http1, open } from "./wire.ts";

/** Short requests whose messages or responses are expensive. */

/** Repeats a few bytes up to a size, and compresses them. */
function compressed(bytes: readonly number[], size: number): Buffer {
  return gzipSync(
    Buffer.from(Array.from({ length: size }, (_, n) => bytes[n % bytes.length] ?? 0)),
  );
}

const ofMessage = 64 * 1024;
const ofBatch = 256 * 1024;
/** A varint in field 15, which no request has. */
const unknownField = [0x78, 0];
/** An empty message in field 1: the updates of a batch. */
const emptyUpdate = [0x0a, 0];
const emptyUpdates = `{"updates":[${Array(87_000).fill("{}")}]}`;
const invalidUpdates = `{"updates":[${Array(1_000).fill('{"petId":0,"quantity":-5}')}]}`;
const spaces = `{"updates":[${" ".repeat(ofBatch - 20)}]}`;

const service = "/inventory.v1.InventoryService";
const batchPath = "/v1/inventory:batchUpdate";

/** Path, media type and body of the requests that a key holder can send. */
const keyedRequests: readonly (readonly [path: string, type: string, body: Buffer])[] = [
  [`${service}/GetInventoryItem`, "application/proto", compressed(unknownField, ofMessage)],
  [`${service}/GetInventoryItem`, "application/proto", compressed([0x08, 0x01], ofMessage)],
  [`${service}/BatchUpdateInventory`, "application/proto", compressed(emptyUpdate, 174_000)],
  [`${service}/BatchUpdateInventory`, "application/json", gzipSync(emptyUpdates)],
  [`${service}/BatchUpdateInventory`, "application/json", gzipSync(invalidUpdates)],
  [batchPath, "application/json", gzipSync(emptyUpdates)],
  [batchPath, "application/json", gzipSync(invalidUpdates)],
  [batchPath, "application/json", gzipSync(spaces)],
];

function keyed(key: string, n: number): Buffer {
  const [path, type, body] = keyedRequests[n % keyedRequests.length] ?? ["/", "", Buffer.alloc(0)];
  const headers = { ...bearer(key), "content-type": type, "content-encoding": "gzip" };
  return http1("POST", path, headers, body);
}

/** Sends requests over pipelined connections, at once. @returns when all connections have had their responses */
async function burst(
  target: Target,
  requests: readonly Buffer[],
  connections: number,
  untilMs: number,
): Promise<void> {
  const sockets = Array.from({ length: connections }, (_, n) =>
    open(target, attacker(20 + (n % 5))),
  );
  let responses = 0;
  const isDone = Promise.withResolvers<void>();
  for (const [n, socket] of sockets.entries()) {
    socket.setEncoding("latin1").on("data", (text: string) => {
      responses += text.split("HTTP/1.1 ").length - 1;
      if (responses >= requests.length) isDone.resolve();
    });
    socket.write(Buffer.concat(requests.filter((_, index) => index % connections === n)));
  }
  await Promise.race([isDone.promise, delay(untilMs)]);
  for (const socket of sockets) socket.destroy();
}

function flood(name: string, sends: string, requestsFor: (target: Target) => Buffer[]): Attack {
  return {
    name,
    sends,
    seconds: 12,
    burstMs: 100,
    async run(target) {
      await burst(target, requestsFor(target), 40, 9_000);
      return [];
    },
  };
}

const publicHeaders: Headers = { "content-type": "application/proto", "content-encoding": "gzip" };
const check = "/grpc.health.v1.Health/Check";

/** A public method is not a way to expensive parsing. */
export const expensivePublic = flood(
  "expensive messages without a key",
  "4,000 health checks of 100 bytes at once, which decompress to 64 KiB of unknown fields",
  () => {
    const request = http1("POST", check, publicHeaders, compressed(unknownField, ofMessage));
    return Array.from({ length: 4_000 }, () => request);
  },
);

/** A key holder cannot harm others by expensive messages, whatever its plan. */
export const expensiveKeyed = flood(
  "expensive messages with keys of two accounts",
  "1,000 requests each at once, which decompress to 64 or 256 KiB: lists that are too long, unknown fields",
  ({ keys }) =>
    Array.from({ length: 2_000 }, (_, n) => keyed(n % 2 === 0 ? keys.rich : keys.other, n >> 1)),
);

/** Requests for the longest pages of the history, by REST and by RPC. */
function historyPages(key: string): readonly Buffer[] {
  const rpc = (method: string, message: string) =>
    http1(
      "POST",
      `${service}/${method}`,
      { ...bearer(key), "content-type": "application/json" },
      message,
    );
  const page = (path: string) => http1("GET", path, { ...bearer(key), "accept-encoding": "gzip" });
  return [
    page("/v1/inventory/changes?pageSize=200"),
    rpc("ListInventoryChanges", '{"pageSize":1000}'),
    page("/v1/inventory/changes?pageSize=200"),
    rpc("ListItemChanges", '{"petId":1,"pageSize":1000}'),
  ];
}

/** Pages of the default size are cheaper, but a plan allows more of them at once. */
export const defaultPages = flood(
  "burst of history pages within a plan's limit",
  "1,000 requests for pages of 100 changes at once; the plan `business` allows 1,000 requests a minute",
  ({ keys }) => {
    const page = http1("GET", "/v1/inventory/changes", bearer(keys.rich));
    return Array.from({ length: 1_000 }, () => page);
  },
);

/** A key holder cannot harm others by expensive responses within the limit of its plan. */
export const longPages = flood(
  "burst of long history pages within a plan's limit",
  "500 requests for pages of 1,000 changes at once; the plan `business` allows 1,000 requests a minute",
  ({ keys }) => {
    const pages = historyPages(keys.rich);
    return Array.from({ length: 500 }, (_, n) => pages[n % pages.length] ?? Buffer.alloc(0));
  },
);
