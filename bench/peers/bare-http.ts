import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { Redis } from "ioredis";
import { host, port, setting } from "./support/peer.ts";

/**
 * node:http alone: the minimum cost of a server on this platform. It reads the request body and sends a fixed response:
 * a short one as a string and a long one as a Buffer, because that is cheapest.
 */
const body = readFileSync(setting("BODY_FILE"));
const fixedBody = body.byteLength < 8_192 ? body.toString("latin1") : body;
const encoding = process.env.CONTENT_ENCODING;
const head = {
  "content-type": "application/json",
  "content-length": body.byteLength,
  ...(encoding && { "content-encoding": encoding }),
};
const status = Number(process.env.STATUS ?? 200);
/** If set, each response waits for one round trip to Redis. */
const redis = process.env.PING && new Redis(setting("REDIS_URL"));

const server = createServer((request, response) => {
  const send = () => response.writeHead(status, head).end(fixedBody);
  if (redis) {
    redis.ping().then(send);
    return;
  }
  if (request.method === "GET") {
    send();
    return;
  }
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    JSON.parse(Buffer.concat(chunks).toString());
    send();
  });
});
server.listen(port, host);
