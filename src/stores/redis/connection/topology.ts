import type { NodeFactory, RedisNode } from "./node.ts";
import { type Outages, watchNode } from "./outages.ts";
import { addressText, type RedisAddress } from "./settings.ts";

/** The servers, and the slots that each of them has. Both change while the process runs. */
export interface Topology {
  /** Returns the slot of a key. Keys of one slot are on one server and may be in one command. */
  slotOf(key: string): number;
  /** Returns the server that has a slot; undefined when it is not known. */
  nodeOf(slot: number): RedisNode | undefined;
  nodes(): readonly RedisNode[];
  /**
   * Follows a redirection. Returns the server at the address; undefined when there are no redirections in this topology.
   *
   * @param slot the slot that has moved; undefined when it is still moving
   * @param address `<host>:<port>`, as the server at `from` wrote it
   */
  redirect(slot: number | undefined, address: string, from: RedisNode): RedisNode | undefined;
  /** Looks for new servers soon, because a command failed. */
  refresh(): void;
  /** Waits until all servers can be used. @returns whether they can */
  ready(timeoutMs: number): Promise<boolean>;
  /** Returns why the servers cannot be used; undefined when they can, or when the reason is unknown. */
  failure(): Error | undefined;
  /** Stops looking for servers. The connections of nodes that have slots stay open. */
  stop(): void;
}

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
