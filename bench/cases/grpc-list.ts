import { grpcList, listFrame } from "../calls.ts";
import { type Case, ours } from "../case.ts";
import { grpcLoad } from "../load/grpc.ts";
import { bareHttp2, goGateway, goTuned, grpcJs, grpcJsSameWork, ourServer } from "../servers.ts";

const load = grpcLoad(grpcList);

export const grpcListCase: Case = {
  name: "grpc-list",
  about: "gRPC ListInventory over h2c, 10 items, 64 concurrent calls",
  items: 10,
  contestants: [
    { name: ours, server: ourServer, load },
    { name: "grpc-js", server: grpcJs, load },
    { name: "grpc-js-same-work", server: grpcJsSameWork, load, fullOnly: true },
    { name: "bare-http2", server: bareHttp2(listFrame()), load, fullOnly: true },
    { name: "grpc-go-same-work", server: goGateway, load, fullOnly: true },
    { name: "go-tuned", server: goTuned, load, fullOnly: true },
  ],
};
