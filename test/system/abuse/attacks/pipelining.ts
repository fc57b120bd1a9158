import { flag, frame, frameType, headerBlock, pseudo } from "../../../support/http2-frames.ts";
import type { Attack, Target } from "./attack.ts";
import { bearer, type Headers, http1, openHttp2, openMany, pour, times } from "./wire.ts";

const connections = 300;
const perConnection = 2_000;
const seconds = 5;

/** Sends requests without waiting for the responses, but reads them. */
async function pipeline(target: Target, request: Buffer): Promise<readonly string[]> {
  const until = performance.now() + seconds * 900;
  const sockets = await openMany(target, connections);
  const block = Buffer.concat([...times(100, request)]);
  await Promise.all(
    sockets.map((socket) => pour(socket.resume(), times(perConnection / 100, block), until)),
  );
  return [];
}

function pipelined(what: string, path: string, headers: (target: Target) => Headers): Attack {
  return {
    name: `pipelined ${what}`,
    sends: `${connections} connections × ${perConnection} GET ${path} at once`,
    seconds,
    run: (target) => pipeline(target, http1("GET", path, headers(target))),
  };
}

export const pipelinedKeyless = pipelined("requests without a key", "/v1/inventory", () => ({}));
export const pipelinedKeyed = pipelined("requests with a key", "/v1/inventory/1", ({ keys }) =>
  bearer(keys.rich),
);
export const pipelinedPublic = pipelined("public documents", "/openapi.json", () => ({}));

/** As many concurrent streams as the server allows, on many connections, repeatedly. */
export const streamBursts: Attack = {
  name: "bursts of HTTP/2 streams",
  sends: "100 connections × 20 bursts of 100 requests without a key",
  seconds,
  async run(target) {
    const until = performance.now() + seconds * 900;
    const sockets = await openHttp2(target, 100);
    const block = headerBlock(pseudo("GET", "/v1/inventory"));
    await Promise.all(sockets.map((socket) => pour(socket.resume(), bursts(block), until)));
    return [];
  },
};

function* bursts(block: Buffer): Generator<Buffer> {
  for (let burst = 0; burst < 20; burst++) {
    yield Buffer.concat(
      Array.from({ length: 100 }, (_, n) =>
        frame(
          frameType.headers,
          flag.endHeaders | flag.endStream,
          1 + 2 * (burst * 100 + n),
          block,
        ),
      ),
    );
  }
}
