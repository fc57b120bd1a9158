import type { BlockList } from "node:net";
import type { DescMethod } from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";
import {
  type Admission,
  type Admitter,
  type Applicant,
  type LimitHeaders,
  limitHeaderNames,
  type UnreadBatch,
} from "../access/admission/admission.ts";
import { type BatchCost, batchCostOf, requestBoundsOf } from "../access/admission/batch-cost.ts";
import { callerKey } from "../access/caller.ts";
import type { Network } from "../access/network.ts";
import { callError } from "../call/call-error.ts";
import type { CallContext } from "../call/context.ts";
import type { MapError } from "../call/method.ts";
import { publicError } from "../call/public-error.ts";
import type { RequestRecord } from "../call/request-record.ts";
import { countBy } from "../http/counted.ts";
import type { Endpoint, Endpoints } from "../http/endpoint.ts";
import type {
  NodeServerRequest,
  NodeServerResponse,
  ThrowHandler,
} from "../http/exchange/node-http.ts";
import { RequestValues } from "../http/http-context.ts";
import { normalizeTarget, type RequestTarget, splitTarget } from "../http/request-target.ts";
import { noSniffing } from "../http/send-error.ts";
import { validTimeoutOf } from "../http/timeout-headers.ts";
import { expectsRpc } from "../rpc/refusal.ts";
import { addressOf, createClientOf, networkOfClient } from "./client-of.ts";
import type { RequestHandler } from "./connections/listener-options.ts";
import type { Cors } from "./cors.ts";
import type {
  AdmissionQueue,
  Arrival,
  InFlight,
  OverloadCause,
  RequestKind,
} from "./load/overload.ts";
import { createRefusalTurns } from "./load/refusal-turns.ts";
import { createPublicRequests, type PublicEndpoint } from "./public-requests.ts";
import { createThrowHandler } from "./throw-handler.ts";

export interface FrontDoorOptions {
  /** The endpoints of requests that need no API key, by path. */
  readonly publicEndpoints: ReadonlyMap<string, PublicEndpoint>;
  /** Proxies whose X-Forwarded-For header is trusted. */
  readonly trustedProxies: BlockList;
  readonly cors: Cors;
  readonly admission: Admitter;
  /** The requests that wait for {@link admission}. */
  readonly queue: AdmissionQueue;
  /** Makes the error of a request that is refused because of overload. */
  readonly overloaded: (cause: OverloadCause) => ConnectError;
  readonly rest: Endpoints;
  readonly rpc: Endpoints;
  /**
   * Functions that begin reads which a method is likely to need. They are called while the caller is being admitted,
   * and only if this process has admitted the same key in the last seconds. They must not throw.
   */
  readonly prefetches: ReadonlyMap<DescMethod, (context: CallContext) => void>;
  readonly inFlight: InFlight;
  /** Returns what maps the errors of a method's calls (see Guards). */
  errorMapper(method: DescMethod): MapError | undefined;
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
 * 1. It responds to malformed requests, CORS preflights and public paths at once.
 * 2. It refuses requests beyond the limits of open requests and of overload with 503.
 * 3. It admits the caller by the headers alone, and sets the caller's limits on the response.
 * 4. It passes the request to REST or RPC.
 */
export function createFrontDoor(options: FrontDoorOptions): FrontDoor {
  const {
    publicEndpoints,
    trustedProxies,
    cors,
    admission: admitter,
    inFlight,
    queue,
    overloaded,
    rest,
    rpc,
    prefetches,
    errorMapper,
    onFault,
  } = options;
  const clientOf = createClientOf(trustedProxies);
  const servePublic = createPublicRequests(trustedProxies);
  const refuseInTurn = createRefusalTurns();
  const costs = new Map<DescMethod, BatchCost | undefined>();

  /** Returns the endpoint that refuses a request in the form that its client expects. It serves no path. */
  function unknown(request: NodeServerRequest): Endpoint {
    return expectsRpc(request) ? rpc.unknown : rest.unknown;
  }

  function find(target: RequestTarget, request: NodeServerRequest): Endpoint {
    return rpc.find(target, request) ?? rest.find(target, request) ?? unknown(request);
  }

  /**
   * Begins reads that the method needs if the key was admitted recently. Other clients must not cause reads before they
   * are admitted.
   */
  function prefetch(method: DescMethod, applicant: Applicant, context: CallContext): void {
    const begin = prefetches.get(method);
    if (begin && admitter.wasAdmitted(applicant)) begin(context);
  }

  /** Returns how many requests a call can count as; undefined when it counts as one. */
  function unreadBatch(method: DescMethod, request: NodeServerRequest): UnreadBatch | undefined {
    const cost = costs.getOrInsertComputed(method, batchCostOf);
    if (!cost) return undefined;
    const bounds = requestBoundsOf(cost, request.headers, request.declaredLength);
    return { ...bounds, itemsPerRequest: cost.itemsPerRequest };
  }

  function noPlace(kind: RequestKind): ConnectError {
    return overloaded(inFlight.isFull(kind) ? "in_flight" : "share");
  }

  /** Refuses a request without a place when it is its client's turn. @param refuse sends the error */
  function refuseLater(
    request: NodeServerRequest,
    response: NodeServerResponse,
    client: string | undefined,
    refuse: () => void,
  ): void {
    refuseInTurn(client, () => {
      if (response.destroyed) return;
      try {
        refuse();
      } catch (error) {
        onThrow(request, response, error);
      }
    });
  }

  /** Responds to a request, or admits it. */
  function respond(
    request: NodeServerRequest,
    response: NodeServerResponse,
  ): Promise<void> | undefined {
    response.setHeader(noSniffing[0], noSniffing[1]);
    const target = normalizeTarget(request);
    if ("fault" in target) {
      const error = callError(target.fault, Code.InvalidArgument);
      unknown(request).refuse(request, response, error);
      return undefined;
    }
    if (cors.respond(request, response)) return undefined;
    const client = clientOf(request);
    const open = publicEndpoints.get(target.path);
    if (!open) {
      new Visit(request, response, client, find(target, request)).enter();
      return undefined;
    }
    response.record.operation = open.operation;
    if (open.isProbe || inFlight.enter(response, "public", client)) {
      return servePublic(open, request, response, client);
    }
    refuseLater(request, response, client, () => open.refuse(request, response, noPlace("public")));
    return undefined;
  }

  /**
   * A request that needs admission. It is the only object of the front door for a request, and its methods run one
   * after another, because async functions and their closures would cost more than all else here.
   */
  class Visit implements Arrival, Applicant, CallContext {
    readonly #request: NodeServerRequest;
    readonly #response: NodeServerResponse;
    readonly #client: string | undefined;
    readonly #endpoint: Endpoint;
    readonly key: Applicant["key"];
    readonly fault: Applicant["fault"];
    readonly record: RequestRecord;
    readonly #kind: RequestKind;

    constructor(
      request: NodeServerRequest,
      response: NodeServerResponse,
      client: string | undefined,
      endpoint: Endpoint,
    ) {
      this.#request = request;
      this.#response = response;
      this.#client = client;
      this.#endpoint = endpoint;
      const { method, operation } = endpoint;
      this.#kind = method === undefined || method.methodKind === "unary" ? "unary" : "stream";
      const { key, fault } = admitter.credentialsOf(request.headers.authorization);
      this.key = key;
      this.fault = fault;
      this.record = response.record;
      this.record.operation = operation;
    }

    address(): string {
      return addressOf(this.#request, trustedProxies);
    }

    network(): Network {
      return networkOfClient(this.#request, trustedProxies);
    }

    /** Refuses the request if there is too much to do. Otherwise begins its admission, now or later. */
    enter(): void {
      const response = this.#response;
      if (!inFlight.enter(response, this.#kind, this.#client)) {
        this.#refuseLater(() => this.#refuseUncounted(noPlace(this.#kind)));
        return;
      }
      if (queue.refuses(this, response.counter)) {
        countBy(response, undefined);
        this.#refuseLater(() => this.#refuseUncounted(overloaded("backlog")));
        return;
      }
      const begun = queue.enter(this);
      if (begun === true) this.#endWait(true);
      else void begun.then((isBegun) => this.#endWait(isBegun));
    }

    /** Whether the request has a well-formed API key. */
    get hasKey(): boolean {
      return this.key !== undefined;
    }

    /** How long the client waits, in milliseconds; undefined for no limit. */
    get timeoutMs(): number | undefined {
      return validTimeoutOf(this.#request);
    }

    /** @param isBegun false when the request has waited for too long */
    #endWait(isBegun: boolean): void {
      if (isBegun && !this.#response.destroyed) this.#admit();
      else {
        this.#end(isBegun, () => {
          if (!this.#isCancelled()) this.#refuseUncounted(overloaded("queue"));
        });
      }
    }

    #admit(): void {
      const { method } = this.#endpoint;
      try {
        const batch = method && unreadBatch(method, this.#request);
        const decision = admitter.admit(this, this, batch);
        if (method) prefetch(method, this, this);
        decision.then(
          (admission) => this.#end(true, () => this.#decided(admission)),
          (error) => this.#failed(error),
        );
      } catch (error) {
        this.#failed(error);
      }
    }

    /**
     * Ends the admission, then goes on. An error becomes the error of the request, because the caller is the event loop.
     *
     * @param isBegun whether the request has a place among those that are being decided
     */
    #end(isBegun: boolean, next: () => void): void {
      try {
        queue.leave(isBegun);
        next();
      } catch (error) {
        onThrow(this.#request, this.#response, error);
      }
    }

    #failed(error: unknown): void {
      const { method } = this.#endpoint;
      const mapped = (method && errorMapper(method)?.(error, this)) ?? error;
      this.#end(true, () => this.#refuseUncounted(publicError(mapped, onFault)));
    }

    #decided(admission: Admission): void {
      const request = this.#request;
      const response = this.#response;
      const { record } = this;
      record.verdict = admission.verdict;
      record.plan = admission.plan;
      record.caller = admission.caller;
      if (this.#isCancelled()) return; // If it was admitted, it counts against the limits.
      setLimits(response, admission.limits);
      if (admission.refusal) {
        this.#endpoint.refuse(request, response, admission.refusal);
      } else if (!inFlight.enter(response, this.#kind, admission.caller.accountId)) {
        this.#refuseLater(() => this.#endpoint.refuse(request, response, noPlace(this.#kind)));
      } else {
        const { caller } = admission;
        const values = new RequestValues(caller.accountId, callerKey, caller);
        void this.#endpoint.handle(request, response, values);
      }
    }

    /** Whether the client has cancelled the request, which gets no response then. */
    #isCancelled(): boolean {
      if (!this.#response.destroyed) return false;
      this.#response.record.protocol = this.#endpoint.protocolOf(this.#request);
      return true;
    }

    /** Refuses a request that was not counted. */
    #refuseUncounted(error: ConnectError): void {
      const limits = admitter.lastLimits(this);
      if (limits) setLimits(this.#response, limits);
      this.#endpoint.refuse(this.#request, this.#response, error);
    }

    #refuseLater(refuse: () => void): void {
      refuseLater(this.#request, this.#response, this.#client, refuse);
    }
  }

  const onThrow = createThrowHandler(onFault, (request, response, error) => {
    const target = splitTarget(request.url ?? "/");
    const endpoint = publicEndpoints.get(target.path) ?? find(target, request);
    endpoint.refuse(request, response, publicError(error, onFault));
  });

  return {
    handle(request, response) {
      try {
        respond(request, response)?.catch((error: unknown) => onThrow(request, response, error));
      } catch (error) {
        onThrow(request, response, error);
      }
    },
    onThrow,
  };
}

function setLimits(response: NodeServerResponse, limits: LimitHeaders): void {
  for (let at = 0; at < limitHeaderNames.length; at += 1) {
    const name = limitHeaderNames[at] as keyof LimitHeaders;
    response.setHeader(name, limits[name]);
  }
}
