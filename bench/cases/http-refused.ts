import { httpRefused, refusalBody } from "../calls.ts";
import { type Case, ours } from "../case.ts";
import { httpLoad } from "../load/http.ts";
import { bareHttp, ourServer } from "../servers.ts";

const load = httpLoad(httpRefused);

export const httpRefusedCase: Case = {
  name: "http-refused",
  about: "A request refused with 429, 64 connections, 100 keys",
  items: 10,
  contestants: [
    { name: ours, server: ourServer, load },
    { name: "bare-http", server: bareHttp(refusalBody, { STATUS: "429" }), load },
  ],
};
