import { gzipSync } from "node:zlib";
import { httpList, listBody } from "../calls.ts";
import { type Case, ours } from "../case.ts";
import { httpLoad } from "../load/http.ts";
import { bareHttp, ourServer } from "../servers.ts";

const count = 10_000;
const plain = httpLoad(httpList(count));
const gzip = httpLoad(httpList(count, { "accept-encoding": "gzip" }));

export const httpLongCase: Case = {
  name: "http-long",
  about: "`GET /v1/inventory`, 10,000 items that do not change",
  items: count,
  contestants: [
    { name: ours, server: ourServer, load: plain },
    { name: "bare-http", server: bareHttp(listBody(count)), load: plain },
  ],
};

export const httpLongGzipCase: Case = {
  name: "http-long-gzip",
  about: "The same, compressed by gzip",
  items: count,
  contestants: [
    { name: ours, server: ourServer, load: gzip },
    {
      name: "bare-http",
      server: bareHttp(gzipSync(listBody(count)), { CONTENT_ENCODING: "gzip" }),
      load: gzip,
    },
  ],
};
