import { Server, ServerCredentials, type sendUnaryData } from "@grpc/grpc-js";
import { benchItems } from "../items.ts";
import { grpcItem, inventoryDefinition } from "./support/grpc-service.ts";
import { host, port } from "./support/peer.ts";

/** grpc-js with a list that never changes: no key, no limits, no store. */
const list = { items: benchItems(10).map(grpcItem) };
const server = new Server();
server.addService(inventoryDefinition(), {
  ListInventory: (_call: unknown, done: sendUnaryData<object>) => done(null, list),
});
server.bindAsync(`${host}:${port}`, ServerCredentials.createInsecure(), (error) => {
  if (error) throw error;
});
