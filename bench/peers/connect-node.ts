import { createServer } from "node:http";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { InventoryService } from "../../gen/inventory/v1/inventory_pb.ts";
import { petStatus } from "../item-status.ts";
import { benchItems } from "../items.ts";
import { host, port } from "./support/peer.ts";

/** The handler of connect-node with a list that never changes: no key, no limits, no store. */
const items = benchItems(10).map(({ petId, quantity, status }) => ({
  petId: BigInt(petId),
  quantity,
  status: petStatus(status),
}));

const handler = connectNodeAdapter({
  routes(router) {
    router.rpc(InventoryService.method.listInventory, () => ({ items }));
  },
});
createServer(handler).listen(port, host);
