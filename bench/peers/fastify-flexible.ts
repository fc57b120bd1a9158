import { Redis } from "ioredis";
import { addRoutes, createFastifyApp } from "./support/fastify-app.ts";
import { host, port, setting } from "./support/peer.ts";
import { createTwoWindows } from "./support/two-windows.ts";

/** Fastify 5 with two windows of rate-limiter-flexible. */
const redis = new Redis(setting("REDIS_URL"));
const count = createTwoWindows(redis);
const app = createFastifyApp(redis);
app.addHook("onRequest", async (request, reply) => {
  const limits = await count(request.account);
  if (!limits) return reply.code(429).send({ message: "too many requests" });
  reply.headers(limits);
});
addRoutes(app, redis);
await app.listen({ port, host });
