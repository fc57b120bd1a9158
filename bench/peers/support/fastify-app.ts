import Fastify, { type FastifyInstance } from "fastify";
import type { Redis } from "ioredis";
import { accountOf, listItems, setQuantity } from "./store.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set after the key was looked up. */
    account: string;
  }
}

const itemSchema = {
  type: "object",
  properties: {
    petId: { type: "integer" },
    quantity: { type: "integer" },
    status: { type: "string" },
  },
} as const;

/** Fastify with the two routes of the interface, serialized by schema. The caller adds the limiter. */
export function createFastifyApp(redis: Redis): FastifyInstance {
  const app = Fastify();
  app.decorateRequest("account", "");
  app.addHook("onRequest", async (request, reply) => {
    const account = await accountOf(redis, request.headers.authorization);
    if (account === undefined) return reply.code(401).send({ message: "no such key" });
    request.account = account;
  });
  return app;
}

/** Adds the routes. Call it after the limiter was added, so that the limiter runs first. */
export function addRoutes(app: FastifyInstance, redis: Redis): void {
  app.get(
    "/v1/inventory",
    { schema: { response: { 200: { type: "array", items: itemSchema } } } },
    () => listItems(redis),
  );
  app.patch<{ Params: { petId: string }; Body: { quantity: number } }>(
    "/v1/inventory/:petId",
    {
      schema: {
        body: {
          type: "object",
          required: ["quantity"],
          properties: { quantity: { type: "integer", minimum: 0 } },
        },
        response: { 200: itemSchema },
      },
    },
    async (request, reply) => {
      const item = await setQuantity(redis, request.params.petId, request.body.quantity);
      return item ?? reply.code(404).send({ message: "no such pet" });
    },
  );
}
