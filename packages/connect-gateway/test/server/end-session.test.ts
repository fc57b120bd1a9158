import { once } from "node:events";
import { performServerHandshake, type ServerHttp2Stream } from "node:http2";
import { expect, test } from "vitest";
import { endSession } from "../../src/server/connections/http2-goaway.ts";
import { bufferedRequests } from "./node-internals/support/connections.ts";

test("a session that a listener ends is destroyed after node has processed the read (nodejs/node#64850)", async () => {
  const paths = Array.from({ length: 50 }, (_, index) => `/${index}`);
  const served = await bufferedRequests(paths, 500);
  const streams: ServerHttp2Stream[] = [];
  const session = performServerHandshake(served);
  session.on("stream", (stream) => {
    stream.on("error", () => {});
    streams.push(stream);
    endSession(session);
  });
  await once(served, "close");
  expect(streams).toHaveLength(paths.length);
});
