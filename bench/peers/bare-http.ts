import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { Redis } from "ioredis";
import { host, port, setting } from "./support/peer.ts";

/**
 * Nothing but node:http: the least that a server on this platform costs. It reads a request's body and
 * sends a fixed answer: a short one as a string, a long one as a Buffer, whichever is cheaper.
 */
const body = readFileSync(setting("BODY_FILE"));
const answer = body.byteLength < 8_192 ? body.toString("latin1") : body;
const encoding = process.env.CONTENT_ENCODING;
const head = {
  "content-type": "application/json",
  "content-length": body.byteLength,
  ...(encoding && { "content-encoding": encoding }),
};
const status = Number(process.env.STATUS ?? 200);
/** With it, each answer waits for one round trip to Redis. */
const redis = process.env.PING && new Redis(setting("REDIS_URL"));

const server = createServer((request, response) => {
  const send = () => response.writeHead(status, head).end(answer);
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
