import { addressGroup } from "../access/client-address.ts";
import {
  type Handler,
  type NodeServerRequest,
  type NodeServerResponse,
  peerAddress,
} from "../http/node-http.ts";
import { TickBudget } from "../http/tick-budget.ts";

/** The work of a public request, in units of a short request. A health watch is a stream, which costs more. */
const steps = 4;

/** Serves a public request, now or in a later event-loop tick. Rejects with the error of the handler. */
export type ServePublic = (
  handler: Handler,
  request: NodeServerRequest,
  response: NodeServerResponse,
) => Promise<void>;

/**
 * Limits the public requests that one event-loop tick begins. They wait for no admission, so a client that opens
 * hundreds of health watches at once would block the process. Clients take turns by address.
 */
export function createPublicRequests(): ServePublic {
  const budget = new TickBudget();
  return async (handler, request, response) => {
    if (!budget.hasDeferred && budget.take(steps)) {
      await handler(request, response);
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const work = () => {
        const served = async () => {
          if (!response.destroyed) await handler(request, response);
        };
        served().then(resolve, reject);
        return true;
      };
      budget.defer(addressGroup(peerAddress(request) ?? ""), work, steps);
    });
  };
}
