import type { NodeFactory } from "./node.ts";
import { type Outages, watchNode } from "./outages.ts";
import { addressText, type RedisAddress } from "./settings.ts";
import type { Topology } from "./topology.ts";

/** Connects to one server that has all keys. */
export function useSingleServer(
  address: RedisAddress,
  createNode: NodeFactory,
  outages: Outages,
): Topology {
  const node = createNode(address, watchNode(outages, addressText(address)));
  return {
    slotOf: () => 0,
    nodeOf: () => node,
    nodes: () => [node],
    redirect: () => undefined,
    refresh() {},
    ready: (timeoutMs) => node.ready(timeoutMs),
    failure: () => node.failure(),
    stop() {},
  };
}
