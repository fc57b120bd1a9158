import { grpcList } from "../calls.ts";
import { type Case, ours } from "../case.ts";
import { grpcLoadAt } from "../load/grpc.ts";
import { grpcJs, grpcJsSameWork, ourServer } from "../servers.ts";

const load = grpcLoadAt(0.8, grpcList);

export const grpcSteadyCase: Case = {
  name: "grpc-steady",
  about: "gRPC ListInventory at a steady 80 % of each server's own maximum",
  items: 10,
  contestants: [
    { name: ours, server: ourServer, load },
    { name: "grpc-js", server: grpcJs, load },
    { name: "grpc-js-same-work", server: grpcJsSameWork, load, fullOnly: true },
  ],
};
