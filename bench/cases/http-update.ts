import { httpUpdate, itemBody } from "../calls.ts";
import { type Case, ours } from "../case.ts";
import { httpLoad } from "../load/http.ts";
import {
  bareHttp,
  expressFlexible,
  fastifyFlexible,
  goGateway,
  goTuned,
  ourServer,
} from "../servers.ts";

const load = httpLoad(httpUpdate);

export const httpUpdateCase: Case = {
  name: "http-update",
  about: "`PATCH /v1/inventory/{petId}`, 64 connections, 100 keys",
  items: 10,
  contestants: [
    { name: ours, server: ourServer, load },
    { name: "bare-http", server: bareHttp(itemBody), load },
    { name: "fastify-flexible", server: fastifyFlexible, load },
    { name: "express-flexible", server: expressFlexible, load, fullOnly: true },
    { name: "go-gateway", server: goGateway, load, fullOnly: true },
    { name: "go-tuned", server: goTuned, load, fullOnly: true },
  ],
};
