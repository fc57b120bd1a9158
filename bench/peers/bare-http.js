import { readFileSync } from "node:fs";
import { createServer } from "node:http";

/**
 * node:http alone: the minimum cost of a server on this platform. It reads the request body and sends a fixed response:
 * a short one as a string and a long one as a Buffer, because that is cheapest. Plain JavaScript, and without imports that it
 * does not need, because its start is measured, too.
 */
const {
  BODY_FILE = "",
  CONTENT_ENCODING,
  PING,
  PORT,
  REDIS_URL = "",
  STATUS = "200",
} = process.env;
const body = readFileSync(BODY_FILE);
const fixedBody = body.byteLength < 8_192 ? body.toString("latin1") : body;
const head = {
  "content-type": "application/json",
  "content-length": body.byteLength,
  ...(CONTENT_ENCODING && { "content-encoding": CONTENT_ENCODING }),
};
const status = Number(STATUS);
/** If set, each response waits for one round trip to Redis. */
const redis = PING && new (await import("ioredis")).Redis(REDIS_URL);

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
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    JSON.parse(Buffer.concat(chunks).toString());
    send();
  });
});
server.listen(Number(PORT), "127.0.0.1");
