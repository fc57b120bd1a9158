import { readFileSync } from "node:fs";
import { createServer, type ServerHttp2Stream } from "node:http2";
import { host, port, setting } from "./support/peer.ts";

/** node:http2 alone, shaped like gRPC: it reads a message, and sends a fixed message and a trailer. */
const frame = readFileSync(setting("BODY_FILE"));

const server = createServer();
server.on("stream", (stream: ServerHttp2Stream) => {
  stream.on("error", () => {});
  stream.on("data", () => {});
  stream.on("end", () => {
    stream.respond(
      { ":status": 200, "content-type": "application/grpc" },
      { waitForTrailers: true },
    );
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    stream.end(frame);
  });
});
server.listen(port, host);
