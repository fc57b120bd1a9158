import type { BlockList } from "node:net";
import { peerKey } from "../call/peer.ts";
import type { Operation } from "../call/request-record.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { discardBody } from "../http/exchange/discard-body.ts";
import type { Handler, NodeServerRequest, NodeServerResponse } from "../http/exchange/node-http.ts";
import { RequestValues } from "../http/http-context.ts";
import { methodNotAllowed } from "../http/http-failure.ts";
import { sendError } from "../http/send-error.ts";
import { TickBudget } from "../http/tick-budget.ts";
import { RequestPeer } from "./client-of.ts";
import { limitBodyTime } from "./connections/body-time.ts";

/** The endpoint of a path that needs no API key. */
export interface PublicEndpoint extends Endpoint {
  /** Whether it is served even when too many requests are in progress, because it reports the state of the process. */
  readonly isProbe: boolean;
}

/** What is served without an API key, by path. */
export interface PublicPaths {
  readonly probes: ReadonlyMap<string, Handler>;
  readonly documents: ReadonlyMap<string, Handler>;
  readonly methods: ReadonlyMap<string, Endpoint>;
}

/** The operation of assets of browser pages. Their names change with each version, so metrics count them together. */
const assetOperation: Operation = { route: "/assets/{name}" };

/**
 * Returns the endpoints of public paths.
 *
 * @param unknown the endpoint whose form the errors of probes and documents have
 */
export function publicEndpoints(
  { probes, documents, methods }: PublicPaths,
  unknown: Endpoint,
): ReadonlyMap<string, PublicEndpoint> {
  const endpoints = new Map<string, PublicEndpoint>();
  for (const [path, handle] of [...probes, ...documents]) {
    const operation = path.startsWith("/assets/") ? assetOperation : { route: path };
    endpoints.set(path, {
      method: undefined,
      operation,
      isProbe: probes.has(path),
      handle: (request, response) => read(handle, request, response),
      refuse: (request, response, error) => unknown.refuse(request, response, error),
      protocolOf: (request) => unknown.protocolOf(request),
    });
  }
  for (const [path, endpoint] of methods) endpoints.set(path, { ...endpoint, isProbe: false });
  return endpoints;
}

const allow = "GET, HEAD, OPTIONS";

/** Serves GET and HEAD of a probe or document by a handler, and responds to other methods. */
function read(
  handle: Handler,
  request: NodeServerRequest,
  response: NodeServerResponse,
): Promise<void> | void {
  const { method } = request;
  if (method === "GET" || method === "HEAD") return handle(request, response);
  discardBody(response);
  if (method === "OPTIONS") response.writeHead(204, { allow }).end();
  else sendError(response, methodNotAllowed(allow), { "cache-control": "no-store" });
  return undefined;
}

/** The work of a public request, in units of a short request. A health watch is a stream, which costs more. */
const steps = 4;

/** How long the body of a public request may take, in milliseconds. A health check has tens of bytes. */
const publicBodyMs = 5_000;

/** Serves a public request, now or in a later event-loop tick. Rejects with the error of the endpoint. */
export type ServePublic = (
  endpoint: PublicEndpoint,
  request: NodeServerRequest,
  response: NodeServerResponse,
  client: string | undefined,
) => Promise<void>;

/**
 * Limits the public requests that one event-loop tick begins, and how long their bodies may take to arrive. They wait
 * for no admission, so a client that opens hundreds of health watches at once would block the process. Clients take
 * turns.
 *
 * @param trustedProxies proxies whose X-Forwarded-For header is trusted
 */
export function createPublicRequests(trustedProxies: BlockList): ServePublic {
  const budget = new TickBudget("public requests");
  return async (endpoint, request, response, client) => {
    const serve = async () => {
      const peer = new RequestPeer(request, trustedProxies);
      const values = new RequestValues(client ?? peer.address, peerKey, peer);
      return endpoint.handle(request, response, values);
    };
    if (endpoint.isProbe) return serve();
    // The client of a conversation sends one message after another.
    if (endpoint.method?.methodKind !== "bidi_streaming") limitPublicBody(request, response);
    if (!budget.hasDeferred && budget.take(steps)) return serve();
    await new Promise<void>((resolve, reject) => {
      const work = () => {
        if (response.destroyed) resolve();
        else serve().then(resolve, reject);
        return true;
      };
      budget.defer(client, work, steps, response);
    });
  };
}

/** Limits how long a public request takes to arrive, because nothing but its address limits its client. */
function limitPublicBody(request: NodeServerRequest, response: NodeServerResponse): void {
  if (request.declaredLength !== 0 && !request.complete) {
    limitBodyTime(response, publicBodyMs);
  }
}
