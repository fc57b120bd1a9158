import type { Operation } from "../call/request-record.ts";
import { methodNotAllowed } from "../http/error-response.ts";
import type { Exchange, Handler } from "../http/exchange/exchange.ts";
import { HttpContext, type Open } from "../http/http-context.ts";
import { sendError } from "../http/send-error.ts";
import { TickBudget } from "../http/tick-budget.ts";
import { limitBodyTime } from "./connections/body-time.ts";

export interface PublicEndpoint {
  readonly open: Open;
  /** Whether it is served even when too many requests are in progress, because it reports the state of the process. */
  readonly isProbe: boolean;
}

/** The operation of assets of browser pages. Their names change with each version, so metrics count them together. */
const assetOperation: Operation = { route: "/assets/{name}" };

/** Returns the endpoints of probes and documents by path. @param openUnknown opens requests of them that fail */
export function publicEndpoints(
  probes: ReadonlyMap<string, Handler>,
  documents: ReadonlyMap<string, Handler>,
  openUnknown: Open,
): ReadonlyMap<string, PublicEndpoint> {
  const endpoints = new Map<string, PublicEndpoint>();
  for (const [path, handle] of [...probes, ...documents]) {
    const operation = path.startsWith("/assets/") ? assetOperation : { route: path };
    endpoints.set(path, {
      isProbe: probes.has(path),
      open: (response) => new DocumentRequest(handle, operation, openUnknown, response),
    });
  }
  return endpoints;
}

const allow = "GET, HEAD, OPTIONS";

/** A request for a probe or document. A handler serves GET and HEAD. */
class DocumentRequest extends HttpContext {
  readonly handler: Handler;
  readonly openUnknown: Open;

  constructor(handler: Handler, operation: Operation, openUnknown: Open, response: Exchange) {
    super(undefined, response);
    this.handler = handler;
    this.openUnknown = openUnknown;
    response.record.operation = operation;
  }

  serve(): Promise<void> | void {
    const { response } = this;
    const { method } = response;
    if (method === "GET" || method === "HEAD") return this.handler(response);
    response.discardBody();
    if (method === "OPTIONS") response.writeHead(204, { allow }).end();
    else sendError(response.setHeader("cache-control", "no-store"), methodNotAllowed(allow));
    return undefined;
  }

  refuse(error: unknown): void {
    this.openUnknown(this.response).refuse(error);
  }
}

/** The work of a public request, in units of a short request. A health watch is a stream, which costs more. */
const steps = 4;

/** How long the body of a public request may take, in milliseconds. A health check has tens of bytes. */
const publicBodyMs = 5_000;

/**
 * Limits the public requests that one event-loop tick begins, and how long their bodies may take to arrive. They wait
 * for no admission, so a client that opens hundreds of health watches at once would block the process. Clients take
 * turns.
 *
 * @returns serves a request, now or in a later event-loop tick, and rejects with the error of its handler
 */
export function createPublicRequests() {
  const budget = new TickBudget("public requests");
  return async (context: HttpContext, client: string | undefined): Promise<void> => {
    const { response } = context;
    const serve = async () => context.serve();
    // Nothing but its address limits the client. That of a conversation sends one message after another.
    const isConversation = context.method?.methodKind === "bidi_streaming";
    if (!isConversation && response.declaredLength !== 0 && !response.complete) {
      limitBodyTime(response, publicBodyMs);
    }
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
