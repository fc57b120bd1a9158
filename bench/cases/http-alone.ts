import { httpList, listBody } from "../calls.ts";
import { type Case, ours } from "../case.ts";
import { httpLoad } from "../load/http.ts";
import { bareHttp, fastifyFlexible, ourServer } from "../servers.ts";

const load = httpLoad(httpList(10), 1);

export const httpAloneCase: Case = {
  name: "http-alone",
  about: "`GET /v1/inventory`, 10 items, one request at a time",
  items: 10,
  contestants: [
    { name: ours, server: ourServer, load },
    { name: "bare-http-ping", server: bareHttp(listBody(10), { PING: "1" }), load },
    { name: "fastify-flexible", server: fastifyFlexible, load, fullOnly: true },
  ],
};
