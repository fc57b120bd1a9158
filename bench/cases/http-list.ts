import { httpList, listBody } from "../calls.ts";
import { type Case, ours } from "../case.ts";
import { httpLoad } from "../load/http.ts";
import {
  bareHttp,
  expressFlexible,
  fastifyFlexible,
  fastifyRateLimit,
  goGateway,
  goTuned,
  ourServer,
} from "../servers.ts";

const load = httpLoad(httpList(10));

export const httpListCase: Case = {
  name: "http-list",
  about: "`GET /v1/inventory`, 10 items, 64 connections, 100 keys",
  items: 10,
  contestants: [
    { name: ours, server: ourServer, load },
    { name: "bare-http", server: bareHttp(listBody(10)), load },
    { name: "fastify-flexible", server: fastifyFlexible, load },
    { name: "go-gateway", server: goGateway, load },
    { name: "go-tuned", server: goTuned, load, fullOnly: true },
    { name: "fastify-rate-limit", server: fastifyRateLimit, load, fullOnly: true },
    { name: "express-flexible", server: expressFlexible, load, fullOnly: true },
  ],
};
