import type { Socket } from "node:net";
import type { Holder } from "../../call/shared-pool.ts";
import { TickBudget } from "../../http/tick-budget.ts";
import { clientOfConnection } from "../client-of.ts";
import type { AdmissionQueue } from "../load/overload.ts";

/** Longest time for which the held connections are work for the process, in milliseconds. */
const maxHeldMs = 250;

/** Idle connections that the process does not read for a while. */
export type HeldConnections = ReturnType<typeof createHeldConnections>;

/**
 * Leaves requests in the kernel's buffers while the process is busy. This is cheaper than refusing them, and a client that
 * waits for its response sends no more. After a response, a connection is read when it is its client's turn. Connections
 * that the process could not serve in {@link maxHeldMs} are read at once, and their requests are refused.
 *
 * @param holderOf returns the places of a client's requests
 */
export function createHeldConnections(
  queue: Pick<AdmissionQueue, "rate" | "isBusyFor">,
  holderOf: (client: string | undefined) => Holder,
) {
  const turns = new TickBudget("held connections");
  let count = 0;
  let isStopped = false;
  return {
    /** Call it when a connection has no open request any more. */
    idle(socket: Socket): void {
      if (!queue.rate().isBusy) return;
      const client = clientOfConnection(socket);
      const mustWait = () => !(isStopped || socket.destroyed) && queue.isBusyFor(holderOf(client));
      if (!mustWait() || count >= queue.rate().perMs * maxHeldMs) return;
      socket.pause();
      count += 1;
      const release = () => {
        if (mustWait()) return false;
        count -= 1;
        socket.resume();
        return true;
      };
      turns.defer(client, release, 1, socket);
    },
    /** Reads all connections. From then on, none is held. */
    stop(): void {
      isStopped = true;
    },
  };
}
