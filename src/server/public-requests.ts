import { declaredLength } from "../http/exchange/discard-body.ts";
import type { Handler, NodeServerRequest, NodeServerResponse } from "../http/exchange/node-http.ts";
import { TickBudget } from "../http/tick-budget.ts";
import { limitBodyTime } from "./connections/body-time.ts";

/** The work of a public request, in units of a short request. A health watch is a stream, which costs more. */
const steps = 4;

/** How long the body of a public request may take, in milliseconds. A health check has tens of bytes. */
const publicBodyMs = 5_000;

/**
 * Serves a public request, now or in a later event-loop tick. Rejects with the error of the handler.
 *
 * @param client the owner of the request's place
 */
export type ServePublic = (
  handler: Handler,
  request: NodeServerRequest,
  response: NodeServerResponse,
  client: string | undefined,
) => Promise<void>;

/**
 * Limits the public requests that one event-loop tick begins. They wait for no admission, so a client that opens
 * hundreds of health watches at once would block the process. Clients take turns.
 */
export function createPublicRequests(): ServePublic {
  const budget = new TickBudget("public requests");
  return async (handler, request, response, client) => {
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
      budget.defer(client, work, steps, response);
    });
  };
}

/** Limits how long a public request takes to arrive, because nothing but its address limits its client. */
export function limitPublicBody(request: NodeServerRequest, response: NodeServerResponse): void {
  if (declaredLength(request) !== 0 && !request.complete) {
    limitBodyTime(request, response, publicBodyMs);
  }
}
