import type { BlockList } from "node:net";
import type { Peer } from "../call/peer.ts";
import type { Operation } from "../call/request-record.ts";
import type { Endpoint } from "../http/endpoint.ts";
import type { Handler, NodeServerRequest, NodeServerResponse } from "../http/exchange/node-http.ts";
import type { RequestTarget } from "../http/request-target.ts";
import { TickBudget } from "../http/tick-budget.ts";
import { peerOf } from "./client-of.ts";
import { limitBodyTime } from "./connections/body-time.ts";

/** A path that needs no API key. */
export interface PublicPath {
  /** The operation that requests are counted by. */
  readonly operation: Operation;
  /** Whether clients may take longer to send the body, because they send one message after another. */
  readonly isConversation: boolean;
  readonly handle: Handler;
}

/** The operation of assets of browser pages. Their names change with each version, so metrics count them together. */
const assetOperation: Operation = { route: "/assets/{name}" };

/**
 * Returns a function that finds the public path of a request.
 *
 * @param handlers handlers of documents and health checks, by path
 * @param methods the endpoints of public methods, by path
 * @param trustedProxies proxies whose X-Forwarded-For header is trusted
 */
export function createPublicPaths(
  handlers: ReadonlyMap<string, Handler>,
  methods: ReadonlyMap<string, Endpoint<Peer>>,
  trustedProxies: BlockList,
): (target: RequestTarget) => PublicPath | undefined {
  const paths = new Map<string, PublicPath>();
  for (const [path, handle] of handlers) {
    const operation = path.startsWith("/assets/") ? assetOperation : { route: path };
    paths.set(path, { operation, isConversation: false, handle });
  }
  for (const [path, endpoint] of methods) {
    paths.set(path, {
      operation: endpoint.operation,
      isConversation: endpoint.method?.methodKind === "bidi_streaming",
      handle: (request, response) =>
        endpoint.handle(request, response, peerOf(request, trustedProxies)),
    });
  }
  return ({ path }) => paths.get(path);
}

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
  if (request.declaredLength !== 0 && !request.complete) {
    limitBodyTime(response, publicBodyMs);
  }
}
