import type { DescMethod } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { callError } from "../call/call-error.ts";
import { addressGroup, addressOf, isTrustedAddress } from "../http/client-address.ts";
import { setCacheControl } from "../http/content/caching.ts";
import { httpError } from "../http/error-response.ts";
import type { Exchange, ThrowHandler } from "../http/exchange/exchange.ts";
import type { Endpoints, HttpContext } from "../http/http-context.ts";
import { normalizeTarget, type RequestTarget, splitTarget } from "../http/request-target.ts";
import { noSniffing, sendError } from "../http/send-error.ts";
import { expectsRpc } from "../rpc/refusal.ts";
import { Admission, type AdmissionOptions } from "./admission.ts";
import type { RequestHandler } from "./connections/listener-options.ts";
import type { Cors } from "./cors.ts";
import { createPublicRequests, type PublicEndpoint } from "./public-requests.ts";

export interface FrontDoorOptions extends Omit<AdmissionOptions, "onThrow"> {
  /** The endpoints of probes and documents, which need no API key, by path. */
  readonly publicEndpoints: ReadonlyMap<string, PublicEndpoint>;
  /** Methods that need no API key in any protocol. */
  readonly publicMethods: ReadonlySet<DescMethod>;
  readonly cors: Cors;
  readonly rest: Endpoints;
  readonly rpc: Endpoints;
  onFault(error: unknown): void;
}

export interface FrontDoor {
  readonly handle: RequestHandler;
  /** Responds with an error that a callback of a request has thrown, in the request's protocol. */
  readonly onThrow: ThrowHandler;
}

/**
 * Creates the front door, which decides what happens to a request:
 *
 * 1. It responds to malformed requests, CORS preflights and probes at once.
 * 2. It refuses requests beyond the limits of open requests and of overload with 503.
 * 3. It serves documents and public methods. It passes other requests through the gate, which decides by the headers
 *    alone, before the client's deadline.
 * 4. It passes the admitted request to REST or RPC.
 */
export function createFrontDoor(options: FrontDoorOptions): FrontDoor {
  const { publicEndpoints, publicMethods, cors, overloaded, rest, rpc } = options;
  const onThrow = createThrowHandler(options.onFault, (response, error) => {
    const target = splitTarget(response.url ?? "/");
    const context = publicEndpoints.get(target.path)?.open(response) ?? open(target, response);
    context.refuse(error);
  });
  const admission = new Admission({ ...options, onThrow });
  const servePublic = createPublicRequests();

  function open(target: RequestTarget, response: Exchange): HttpContext {
    return (
      rpc.open(target, response) ??
      rest.open(target, response) ??
      (expectsRpc(response) ? rpc : rest).openUnknown(response)
    );
  }

  function refuseMalformed(response: Exchange, fault: string): void {
    if (expectsRpc(response)) {
      rpc.openUnknown(response).refuse(callError(fault, Code.InvalidArgument));
      return;
    }
    response.discardBody();
    setCacheControl(response);
    sendError(response, httpError("MESSAGE_INVALID", fault));
  }

  /** Responds to a request, or admits it. */
  function respond(response: Exchange): Promise<void> | void {
    response.setHeader(noSniffing[0], noSniffing[1]);
    const target = normalizeTarget(response);
    if (typeof target === "string") return refuseMalformed(response, target);
    if (cors.respond(response)) return undefined;
    const client = clientOf(response);
    response.record.values.owner = client ?? addressOf(response);
    const endpoint = publicEndpoints.get(target.path);
    const context = endpoint?.open(response) ?? open(target, response);
    if (endpoint?.isProbe) return context.serve();
    if (!endpoint && !publicMethods.has(context.method)) return admission.decide(context, client);
    const cause = admission.count(response, "public", client);
    if (!cause) return servePublic(context, client);
    const refuse = () => context.refuse(overloaded(cause, undefined));
    return admission.refuseLater(response, client, refuse);
  }

  return {
    handle(exchange) {
      try {
        const served = respond(exchange);
        // A handler in JavaScript may return anything.
        if (served) Promise.resolve(served).catch((error: unknown) => onThrow(exchange, error));
      } catch (error) {
        onThrow(exchange, error);
      }
    },
    onThrow,
  };
}

/** Returns the owner of a request's places: its client's address (IPv6: its /64); undefined for a request of a trusted proxy itself. */
function clientOf(request: Exchange): string | undefined {
  const { connection } = request;
  if (typeof connection.client === "string") return connection.client;
  const { peer = "", trustedProxies } = connection;
  if (connection.client === undefined && !isTrustedAddress(peer, trustedProxies)) {
    connection.client = addressGroup(peer);
    return connection.client;
  }
  connection.client = null;
  const address = addressOf(request);
  return address === addressGroup(peer) ? undefined : address;
}

/**
 * Makes the handler of errors that callbacks throw. It sends the error if no part of the response was sent. Otherwise it aborts
 * the response, so that the client sees that it is incomplete. @param respond reports and sends an error
 */
export function createThrowHandler(
  onFault: (error: unknown) => void,
  respond: ThrowHandler,
): ThrowHandler {
  return (response, error) => {
    try {
      if (response.headersSent || response.writableEnded || response.destroyed) {
        onFault(error);
        response.destroy();
      } else respond(response, error);
    } catch (second) {
      onFault(second);
      response.destroy();
    }
  };
}
