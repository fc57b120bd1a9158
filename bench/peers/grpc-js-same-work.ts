import {
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type sendUnaryData,
  status,
} from "@grpc/grpc-js";
import { Redis } from "ioredis";
import { grpcItem, inventoryDefinition } from "./support/grpc-service.ts";
import { host, port, setting } from "./support/peer.ts";
import { accountOf, listItems, setQuantity } from "./support/store.ts";
import { createTwoWindows } from "./support/two-windows.ts";

/** grpc-js that does the work of our server: it looks up a key, counts two windows and reads items from Redis. */
const redis = new Redis(setting("REDIS_URL"));
const count = createTwoWindows(redis);

interface Update {
  readonly petId: string;
  readonly update: { readonly quantity: number };
}

class Refusal extends Error {
  readonly code: status;
  constructor(code: status, message: string) {
    super(message);
    this.code = code;
  }
}

function admitted<T>(serve: (request: T) => Promise<object>) {
  async function run({ metadata, request }: ServerUnaryCall<T, object>): Promise<object> {
    const account = await accountOf(redis, String(metadata.get("authorization")[0]));
    if (account === undefined) throw new Refusal(status.UNAUTHENTICATED, "no such key");
    if (!(await count(account))) throw new Refusal(status.RESOURCE_EXHAUSTED, "too many requests");
    return serve(request);
  }
  return (call: ServerUnaryCall<T, object>, done: sendUnaryData<object>) => {
    run(call).then((value) => done(null, value), done);
  };
}

const server = new Server();
server.addService(inventoryDefinition(), {
  ListInventory: admitted(async () => ({ items: (await listItems(redis)).map(grpcItem) })),
  UpdateInventory: admitted(async ({ petId, update }: Update) => {
    const item = await setQuantity(redis, petId, update.quantity);
    if (!item) throw new Refusal(status.NOT_FOUND, "no such pet");
    return { item: grpcItem(item) };
  }),
});
server.bindAsync(`${host}:${port}`, ServerCredentials.createInsecure(), (error) => {
  if (error) throw error;
});
