import rateLimit from "@fastify/rate-limit";
import { Redis } from "ioredis";
import { addRoutes, createFastifyApp } from "./support/fastify-app.ts";
import { host, port, setting } from "./support/peer.ts";
import { peerLimits } from "./support/store.ts";

/** Fastify 5 with its own rate limiter. It has one window, so it does less than the others. */
const redis = new Redis(setting("REDIS_URL"));
const app = createFastifyApp(redis);
await app.register(rateLimit, {
  redis,
  max: peerLimits.perMinute,
  timeWindow: 60_000,
  keyGenerator: (request) => request.account,
});
app.register(async (scope) => addRoutes(scope, redis));
await app.listen({ port, host });
