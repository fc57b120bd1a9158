import { grpcList, grpcUpdate, httpList, httpUpdate } from "../calls.ts";
import { type Case, ours } from "../case.ts";
import { grpcLoad } from "../load/grpc.ts";
import { httpLoad } from "../load/http.ts";
import { countingServer } from "../servers.ts";

/** What other load on the machine does not change: the promises and ticks of a request. */
export const madeCase: Case = {
  name: "made",
  about:
    "Promises and ticks of a request (ours: `GET /v1/inventory`), counted by a probe that makes the server slower",
  items: 10,
  contestants: [
    { name: ours, server: countingServer, load: httpLoad(httpList(10)) },
    { name: "http-update", server: countingServer, load: httpLoad(httpUpdate) },
    { name: "grpc-list", server: countingServer, load: grpcLoad(grpcList) },
    { name: "grpc-update", server: countingServer, load: grpcLoad(grpcUpdate) },
  ],
};
