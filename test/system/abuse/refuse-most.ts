import { EventEmitter } from "node:events";
import { IncomingMessage, ServerResponse } from "node:http";
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";

/**
 * A fault, loaded into the server's process with `--import`: it refuses 90 % of all requests with 503, over both HTTP
 * versions. Probes and watches are served, so that nothing else shows the fault.
 */

const served = /^\/livez|:watch|WatchInventory/;
const { emit } = EventEmitter.prototype;
let requests = 0;

function isRefused(path: string | undefined): boolean {
  if (served.test(path ?? "")) return false;
  requests += 1;
  return requests % 10 !== 0;
}

function emitUnlessRefused(this: EventEmitter, ...event: Parameters<typeof emit>): boolean {
  const [name, first, second] = event;
  if (name === "request" && first instanceof IncomingMessage && second instanceof ServerResponse) {
    if (isRefused(first.url)) {
      first.resume();
      second.writeHead(503, { "content-type": "application/json" }).end("{}");
      return true;
    }
  } else if (name === "stream") {
    const [stream, headers] = [first as ServerHttp2Stream, second as IncomingHttpHeaders];
    if (isRefused(headers[":path"] as string | undefined)) {
      stream.on("error", () => {});
      stream.respond({ ":status": 503, "content-type": "application/json" });
      stream.end("{}");
      return true;
    }
  }
  return emit.apply(this, event);
}

EventEmitter.prototype.emit = emitUnlessRefused;
