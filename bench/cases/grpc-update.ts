import { grpcList, grpcUpdate } from "../calls.ts";
import { type Case, ours } from "../case.ts";
import { grpcLoad } from "../load/grpc.ts";
import { goGateway, goTuned, grpcJsSameWork, ourServer } from "../servers.ts";

const load = grpcLoad(grpcUpdate);

export const grpcUpdateCase: Case = {
  name: "grpc-update",
  about: "gRPC UpdateInventory over h2c, 64 concurrent calls",
  items: 10,
  contestants: [
    { name: ours, server: ourServer, load },
    { name: "our-list", server: ourServer, load: grpcLoad(grpcList) },
    { name: "grpc-js-same-work", server: grpcJsSameWork, load, fullOnly: true },
    { name: "grpc-go-same-work", server: goGateway, load, fullOnly: true },
    { name: "go-tuned", server: goTuned, load, fullOnly: true },
  ],
};
