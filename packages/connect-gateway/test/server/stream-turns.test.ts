import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { expect, test } from "vitest";
import { handleFor } from "../../../../test/support/endpoint.ts";
import { ShelfService } from "../gen/shelf/v1/shelf_pb.ts";
import { streaming } from "../rest/support/methods.ts";
import { frontDoor, shelfTranscoder } from "../rest/support/shelf.ts";
import { rpcOf } from "../rpc/support.ts";
import { startListener } from "./support/listener.ts";

/** Streams at the same time, all of one caller, and the messages of each. */
const streams = 20;
const messages = 500;
/** Most messages in one event-loop tick, with those that the streams make ahead. */
const mostAtOnce = 128 + 8 + 2 * streams;

/** A method that counts its messages by the event-loop ticks in which they are made. */
function countingScan() {
  const counts = { total: 0, most: 0 };
  let inTick = 0;
  const method = streaming(ShelfService.method.scan, async function* () {
    for (let n = 0; n < messages; n++) {
      if (inTick === 0) {
        setImmediate(() => {
          counts.most = Math.max(counts.most, inTick);
          inTick = 0;
        });
      }
      inTick += 1;
      counts.total += 1;
      yield { book: { title: String(n) } };
    }
  });
  return { counts, method };
}

/** Serves a method as JSON over HTTP and over the RPC protocols. */
async function serve(method: ReturnType<typeof countingScan>["method"]): Promise<string> {
  const rest = frontDoor(shelfTranscoder({ methods: [method] }));
  const rpc = rpcOf([method]);
  const { url } = await startListener({
    handle(exchange) {
      if (exchange.method === "POST") void handleFor("me", rpc, exchange);
      else rest(exchange);
    },
  });
  return url;
}

async function countOf(stream: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _ of stream) count += 1;
  return count;
}

const callers: readonly (readonly [string, (url: string) => Promise<number>])[] = [
  [
    "JSON over HTTP",
    async (url) => {
      const response = await fetch(`${url}/v1/scan`);
      return (await response.text()).match(/"title"/g)?.length ?? 0;
    },
  ],
  [
    "gRPC",
    (baseUrl) => countOf(createClient(ShelfService, createGrpcTransport({ baseUrl })).scan({})),
  ],
  [
    "Connect with JSON",
    (baseUrl) => {
      const transport = createConnectTransport({
        baseUrl,
        httpVersion: "1.1",
        useBinaryFormat: false,
      });
      return countOf(createClient(ShelfService, transport).scan({}));
    },
  ],
];

test.each(callers)("streams over %s make few messages in an event-loop tick", async (_, call) => {
  const { counts, method } = countingScan();
  const url = await serve(method);
  const received = await Promise.all(Array.from({ length: streams }, () => call(url)));
  expect(received).toEqual(Array.from({ length: streams }, () => messages));
  expect(counts.total).toBe(streams * messages);
  expect(counts.most).toBeLessThanOrEqual(mostAtOnce);
});
