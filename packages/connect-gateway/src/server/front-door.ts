import type { DescMethod } from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";
import { callError } from "../call/call-error.ts";
import { deadlineExceeded } from "../call/deadline.ts";
import { notPromise } from "../call/guard.ts";
import type { BeforeGate, GateContext, RequestGate } from "../call/request-gate.ts";
import { addressGroup, addressOf, isTrustedAddress } from "../http/client-address.ts";
import { setCacheControl } from "../http/content/caching.ts";
import { httpError } from "../http/error-response.ts";
import { countBy, type Exchange, type ThrowHandler } from "../http/exchange/exchange.ts";
import { clientDisconnected, type Endpoints, type HttpContext } from "../http/http-context.ts";
import {
  normalizeTarget,
  type RequestTarget,
  splitTarget,
  type TargetFault,
} from "../http/request-target.ts";
import { noSniffing, sendError } from "../http/send-error.ts";
import { expectsRpc } from "../rpc/refusal.ts";
import type { RequestHandler } from "./connections/listener-options.ts";
import type { Cors } from "./cors.ts";
import { Deadlines, type TimedWork } from "./load/deadlines.ts";
import {
  type AdmissionQueue,
  type Arrival,
  createRefusalTurns,
  type InFlight,
  maxWaitMs,
  type OverloadCause,
  type RequestKind,
} from "./load/overload.ts";
import { createPublicRequests, type PublicEndpoint } from "./public-requests.ts";

export interface FrontDoorOptions {
  /** The endpoints of probes and documents, which need no API key, by path. */
  readonly publicEndpoints: ReadonlyMap<string, PublicEndpoint>;
  /** Methods that need no API key in any protocol. */
  readonly publicMethods: ReadonlySet<DescMethod>;
  readonly cors: Cors;
  readonly requestGate: RequestGate;
  /** How long the gate may take after the header section of a request has arrived, in milliseconds. */
  readonly gateTimeoutMs: number;
  readonly beforeGate: BeforeGate;
  /** The requests that wait for {@link requestGate}. */
  readonly queue: AdmissionQueue;
  /**
   * Makes the error of a request that is refused because of overload.
   *
   * @param context of a request that the gate has not seen: headers of the response can be set
   */
  readonly overloaded: (cause: OverloadCause, context: GateContext | undefined) => ConnectError;
  readonly rest: Endpoints;
  readonly rpc: Endpoints;
  readonly inFlight: InFlight;
  /** Called with every error that is not a ConnectError, which is a bug. */
  onFault(error: unknown): void;
}

/** The functions that a listener calls. */
export interface FrontDoor {
  /** Responds to every request. */
  readonly handle: RequestHandler;
  /** Responds with an error that a callback of a request has thrown, in the request's protocol. */
  readonly onThrow: ThrowHandler;
}

/**
 * Creates the front door, which decides what happens to a request:
 *
 * 1. It responds to malformed requests, CORS preflights, public paths and public methods at once.
 * 2. It refuses requests beyond the limits of open requests and of overload with 503.
 * 3. It passes the request through the gate, which decides by the headers alone, before the client's deadline.
 * 4. It passes the request to REST or RPC.
 */
export function createFrontDoor(options: FrontDoorOptions): FrontDoor {
  const {
    publicEndpoints,
    publicMethods,
    cors,
    requestGate,
    gateTimeoutMs,
    beforeGate,
    inFlight,
    queue,
    overloaded,
    rest,
    rpc,
    onFault,
  } = options;
  const servePublic = createPublicRequests();
  const refuseInTurn = createRefusalTurns();
  const deadlines = new Deadlines();

  /**
   * Returns the owner of a request's places in shared pools: the address of the client (IPv6: its /64).
   *
   * @returns undefined for a request of a trusted proxy itself, which serves many clients
   */
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

  /** Opens a request that is refused in the form that its client expects. */
  function openUnknown(response: Exchange): HttpContext {
    return (expectsRpc(response) ? rpc : rest).openUnknown(response);
  }

  function open(target: RequestTarget, response: Exchange): HttpContext {
    return rpc.open(target, response) ?? rest.open(target, response) ?? openUnknown(response);
  }

  function refuseMalformed(response: Exchange, { fault }: TargetFault): void {
    if (expectsRpc(response)) {
      rpc.openUnknown(response).refuse(callError(fault, Code.InvalidArgument));
      return;
    }
    response.discardBody();
    setCacheControl(response);
    sendError(response, httpError("MESSAGE_INVALID", fault));
  }

  const noPlace = (kind: RequestKind) => (inFlight.isFull(kind) ? "in_flight" : "share");

  /** Refuses a request without a place when it is its client's turn. @param refuse sends the error */
  function refuseLater(response: Exchange, client: string | undefined, refuse: () => void): void {
    // A body that waited, too, would take up to 64 KiB of memory.
    if (response.declaredLength !== 0) response.body.resume();
    refuseInTurn(client, () => {
      if (response.destroyed) return;
      try {
        refuse();
      } catch (error) {
        onThrow(response, error);
      }
    });
  }

  /** Responds to a request, or admits it. */
  function respond(response: Exchange): Promise<void> | undefined {
    response.setHeader(noSniffing[0], noSniffing[1]);
    const target = normalizeTarget(response);
    if ("fault" in target) {
      refuseMalformed(response, target);
      return undefined;
    }
    if (cors.respond(response)) return undefined;
    const client = clientOf(response);
    const endpoint = publicEndpoints.get(target.path);
    response.record.values.owner = client ?? addressOf(response);
    const context = endpoint?.open(response) ?? open(target, response);
    if (!endpoint && !publicMethods.has(context.method)) {
      new Visit(context, client).enter();
      return undefined;
    }
    const isProbe = endpoint?.isProbe ?? false;
    if (isProbe || inFlight.enter(response, "public", client)) {
      return servePublic(context, isProbe, client);
    }
    const cause = noPlace("public");
    refuseLater(response, client, () => context.refuse(overloaded(cause, undefined)));
    return undefined;
  }

  /**
   * A request that the gate decides on. Its methods run one after another: async functions would cost more than all else.
   */
  class Visit implements Arrival, TimedWork {
    readonly #response: Exchange;
    readonly #client: string | undefined;
    readonly #kind: RequestKind;
    #isEnded = false;
    place = -1;
    readonly context: HttpContext;

    constructor(context: HttpContext, client: string | undefined) {
      const { method, response } = context;
      this.#response = response;
      this.#client = client;
      this.#kind = method === undefined || method.methodKind === "unary" ? "unary" : "stream";
      this.context = context;
    }

    /** Refuses the request if there is too much to do. Otherwise begins its admission, now or later. */
    enter(): void {
      const response = this.#response;
      if (!inFlight.enter(response, this.#kind, this.#client)) {
        this.#refuseBusy(noPlace(this.#kind), this.context);
        return;
      }
      if (queue.refuses(this, response.counter)) {
        countBy(response, undefined);
        this.#refuseBusy("backlog", this.context);
        return;
      }
      const begun = queue.enter(this.context);
      if (begun === true) this.#endWait(true);
      else void begun.then((isBegun) => this.#endWait(isBegun));
    }

    get isAnonymous(): boolean {
      return notPromise(beforeGate.isAnonymous(this.context), "beforeGate.isAnonymous");
    }

    get timeoutMs(): number | undefined {
      return this.context.timeoutMs();
    }

    get endsAt(): number {
      const { arrivedAt, deadline = Number.POSITIVE_INFINITY } = this.context;
      return Math.min(deadline, arrivedAt + gateTimeoutMs);
    }

    /** @param isBegun false when the request has waited for too long */
    #endWait(isBegun: boolean): void {
      if (isBegun && !this.#response.destroyed) this.#pass();
      else {
        this.#end(isBegun, () => {
          const { context } = this;
          if (this.#response.destroyed) return;
          // Timers can be early, so the deadline may not have passed yet.
          const isLate = this.endsAt < context.arrivedAt + maxWaitMs;
          context.refuse(isLate ? deadlineExceeded() : overloaded("queue", context));
        });
      }
    }

    /** Passes the gate. */
    #pass(): void {
      try {
        const decision = requestGate(this.context);
        if (decision) {
          this.#response.admission = this;
          deadlines.add(this);
          decision.then(
            () => this.#passed(),
            (error) => this.#failed(error),
          );
        } else this.#passed();
      } catch (error) {
        this.#failed(error);
      }
    }

    /** Ends the admission of a request whose response is closed already. */
    abandon(): void {
      this.#end(true, () => this.context.abort(clientDisconnected()));
    }

    /** Refuses a request on which the gate has not decided in time. */
    expire(): void {
      this.#end(true, () => {
        const error = deadlineExceeded();
        this.context.abort(error);
        this.context.refuse(error);
      });
    }

    /**
     * Ends the admission unless it has ended already, then goes on. An error becomes the error of the request, because the
     * caller is the event loop.
     *
     * @param isBegun whether the request has a place among those that are being decided
     */
    #end(isBegun: boolean, next: () => void): void {
      if (this.#isEnded) return;
      this.#isEnded = true;
      this.#response.admission = undefined;
      deadlines.delete(this);
      try {
        queue.leave(isBegun);
        next();
      } catch (error) {
        onThrow(this.#response, error);
      }
    }

    #failed(error: unknown): void {
      this.#end(true, () => {
        if (!this.#response.destroyed) this.context.refuse(error);
      });
    }

    #passed(): void {
      this.#end(true, () => {
        if (this.#response.destroyed) return; // If it was admitted, it counts against the limits.
        const { context } = this;
        context.hasHeaders = false;
        if (inFlight.enter(this.#response, this.#kind, context.owner)) void context.serve();
        else this.#refuseBusy(noPlace(this.#kind), undefined);
      });
    }

    /** Refuses the request when it is its client's turn. @param unseen undefined when the gate has seen it */
    #refuseBusy(cause: OverloadCause, unseen: GateContext | undefined): void {
      const refuse = () => this.context.refuse(overloaded(cause, unseen));
      refuseLater(this.#response, this.#client, refuse);
    }
  }

  const onThrow = createThrowHandler(onFault, (response, error) => {
    const target = splitTarget(response.url ?? "/");
    const endpoint = publicEndpoints.get(target.path);
    const context = endpoint?.open(response) ?? open(target, response);
    context.refuse(error);
  });

  return {
    handle(exchange) {
      try {
        respond(exchange)?.catch((error: unknown) => onThrow(exchange, error));
      } catch (error) {
        onThrow(exchange, error);
      }
    },
    onThrow,
  };
}

/**
 * Makes the handler of errors that callbacks throw. It sends the error if no part of the response was sent. Otherwise
 * it aborts the response, so that the client sees that it is incomplete.
 *
 * @param onFault reports an error that cannot be sent
 * @param respond reports and sends an error
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
