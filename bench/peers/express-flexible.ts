import express from "express";
import { Redis } from "ioredis";
import { host, port, setting } from "./support/peer.ts";
import { accountOf, listItems, setQuantity } from "./support/store.ts";
import { createTwoWindows } from "./support/two-windows.ts";

/** Express 5 with two windows of rate-limiter-flexible. */
const redis = new Redis(setting("REDIS_URL"));
const count = createTwoWindows(redis);
const app = express();
app.use(async (request, response, next) => {
  const account = await accountOf(redis, request.headers.authorization);
  if (account === undefined) {
    response.status(401).json({ message: "no such key" });
    return;
  }
  const limits = await count(account);
  if (!limits) {
    response.status(429).json({ message: "too many requests" });
    return;
  }
  response.set(limits);
  next();
});
app.use(express.json());
app.get("/v1/inventory", async (_request, response) => {
  response.json(await listItems(redis));
});
app.patch("/v1/inventory/:petId", async (request, response) => {
  const item = await setQuantity(redis, request.params.petId, Number(request.body.quantity));
  response.status(item ? 200 : 404).json(item ?? { message: "no such pet" });
});
app.listen(port, host);
