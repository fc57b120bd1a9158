import type { DescMethod } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  type Admission,
  type Admitter,
  type Credentials,
  hasWellFormedKey,
  type UnreadBatch,
} from "../access/admission/admission.ts";
import { type BatchCost, batchCostOf, requestBoundsOf } from "../access/admission/batch-cost.ts";
import { type LimitHeaders, limitHeaderNames } from "../access/admission/limit-headers.ts";
import type { Caller } from "../access/caller.ts";
import type { CallContext } from "../call/context.ts";
import { publicError } from "../call/public-error.ts";
import { type Operation, otherOperation } from "../call/request-record.ts";
import { countBy } from "../http/counted.ts";
import { declaredLength } from "../http/exchange/discard-body.ts";
import {
  forwardedFor,
  type Handler,
  type NodeServerRequest,
  type NodeServerResponse,
  peerAddress,
  recordOf,
  type ThrowHandler,
} from "../http/exchange/node-http.ts";
import { type RequestTarget, readTarget, splitTarget } from "../http/request-target.ts";
import { TickBudget } from "../http/tick-budget.ts";
import { validTimeoutOf } from "../http/timeout-headers.ts";
import type { Transcoder } from "../rest/transcoder.ts";
import { expectsRpc, removeGrpcParameters } from "../rpc/refusal.ts";
import type { Rpc } from "../rpc/rpc.ts";
import type { ClientOf } from "./client-of.ts";
import type { RequestHandler } from "./connections/listener-options.ts";
import type { Cors } from "./cors.ts";
import { createAdmissionQueue } from "./load/admission-queue.ts";
import type { InFlight, RequestKind } from "./load/in-flight.ts";
import type { Arrival, Overload, OverloadCause } from "./load/overload.ts";
import { createRefusalTurns } from "./load/refusal-turns.ts";
import { createPublicRequests, limitPublicBody } from "./public-requests.ts";
import { noSniffing } from "./send-error.ts";
import { createThrowHandler } from "./throw-handler.ts";

/** Paths that are served even when too many requests are in progress, because they report the state of the process. */
const probes: ReadonlySet<string> = new Set(["/livez", "/readyz"]);

export interface FrontDoorOptions {
  /** Handlers that need no API key, by path. */
  readonly publicHandlers: ReadonlyMap<string, Handler>;
  /** Public paths whose clients may take longer to send the body, because they send one message after another. */
  readonly conversations: ReadonlySet<string>;
  readonly clientOf: ClientOf;
  readonly cors: Cors;
  readonly admission: Admitter;
  readonly overload: Overload;
  /** Makes the error of a request that is refused because of overload. */
  readonly overloaded: (cause: OverloadCause) => ConnectError;
  readonly rest: Transcoder<Caller>;
  readonly rpc: Rpc<Caller>;
  /**
   * Functions that begin reads which a method is likely to need. They are called while the caller is being admitted,
   * and only if this process has admitted the same key in the last seconds. They must not throw.
   */
  readonly prefetches: ReadonlyMap<DescMethod, (context: CallContext) => void>;
  readonly inFlight: InFlight;
  /** Called with every error that is not a ConnectError, which is a bug. */
  onFault(error: unknown): void;
}

/** The handler of one request, by REST or RPC. */
interface Endpoint {
  /** The method that the request calls; undefined for an unknown path. */
  readonly method: DescMethod | undefined;
  readonly operation: Operation;
  /** Whether the request is of an RPC protocol. */
  readonly isRpc: boolean;
  handle(caller: Caller): void;
  refuse(error: ConnectError): void;
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
    publicHandlers,
    conversations,
    clientOf,
    cors,
    admission: admitter,
    inFlight,
    overload,
    overloaded,
    rest,
    rpc,
    prefetches,
    onFault,
  } = options;
  const { backlog } = overload;
  const queue = createAdmissionQueue(new TickBudget("admissions"), (request) =>
    admitter.callerOf(credentialsOf(request)),
  );

  const servePublic = createPublicRequests();
  const refusals = createRefusalTurns();
  const costs = new Map<DescMethod, BatchCost | undefined>();
  const publicOperations = new Map(
    [...publicHandlers.keys()].map((path) => [path, publicOperation(path)] as const),
  );

  function endpointOf(
    target: RequestTarget,
    request: NodeServerRequest,
    response: NodeServerResponse,
  ): Endpoint {
    const { path } = target;
    const method = rpc.methodOf(path);
    if (method) {
      return {
        method: method.desc,
        operation: method.operation,
        isRpc: true,
        handle: (caller) => rpc.handle(path, request, response, caller),
        refuse: (error) => rpc.refuse(request, response, error),
      };
    }
    const match = rest.match(request.method ?? "GET", target);
    if (match.kind === "not_found" && expectsRpc(request)) {
      return {
        method: undefined,
        operation: otherOperation,
        isRpc: true,
        handle: () => rpc.refusePath(path, request, response),
        refuse: (error) => rpc.refuse(request, response, error),
      };
    }
    const route = match.kind === "route" ? match.route : undefined;
    return {
      method: route?.method.desc,
      operation: route?.operation ?? otherOperation,
      isRpc: false,
      handle: (caller) => void rest.handle(match, request, response, caller),
      refuse: (error) => rest.refuse(match, request, response, error),
    };
  }

  /**
   * Begins reads that the method needs if the key was admitted recently. Other clients must not cause reads before they
   * are admitted.
   */
  function prefetch(
    method: DescMethod,
    { headers }: NodeServerRequest,
    context: CallContext,
  ): void {
    const begin = prefetches.get(method);
    if (begin && admitter.wasAdmitted(headers.authorization)) begin(context);
  }

  /** Returns how many requests a call can count as; undefined when it counts as one. */
  function unreadBatch(method: DescMethod, request: NodeServerRequest): UnreadBatch | undefined {
    const cost = costs.getOrInsertComputed(method, batchCostOf);
    if (!cost) return undefined;
    const bounds = requestBoundsOf(cost, request.headers, declaredLength(request));
    return { ...bounds, itemsPerRequest: cost.itemsPerRequest };
  }

  /** Responds 400 to a request without a valid target, or without a valid Host. */
  function refuseMalformed(
    fault: string,
    request: NodeServerRequest,
    response: NodeServerResponse,
  ): void {
    const error = new ConnectError(fault, Code.InvalidArgument);
    if (expectsRpc(request)) {
      rpc.refuse(request, response, error);
    } else {
      rest.refuse({ kind: "not_found" }, request, response, error);
    }
  }

  /** Counts a request for its owner. @returns false when it must be refused */
  function enter(
    response: NodeServerResponse,
    kind: RequestKind,
    owner: string | undefined,
  ): boolean {
    return !("counter" in response) || inFlight.enter(response, kind, owner);
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
    refusals.refuse(client, () => {
      if (response.destroyed) return;
      try {
        refuse();
      } catch (error) {
        onThrow(request, response, error);
      }
    });
  }

  async function respond(request: NodeServerRequest, response: NodeServerResponse): Promise<void> {
    removeGrpcParameters(request);
    response.setHeader(...noSniffing);
    const target = readTarget(request);
    if ("fault" in target) {
      refuseMalformed(target.fault, request, response);
      return;
    }
    if (cors(request, response)) {
      return;
    }
    const record = recordOf(response);
    const client = clientOf(request);
    const publicHandler = publicHandlers.get(target.path);
    if (publicHandler) {
      record.operation = publicOperations.get(target.path) ?? otherOperation;
      if (probes.has(target.path)) await publicHandler(request, response);
      else if (enter(response, "public", client)) {
        if (!conversations.has(target.path)) limitPublicBody(request, response);
        await servePublic(publicHandler, request, response, client);
      } else {
        const { refuse } = endpointOf(target, request, response);
        refuseLater(request, response, client, () => refuse(noPlace("public")));
      }
      return;
    }
    const { method, operation, isRpc, handle, refuse } = endpointOf(target, request, response);
    record.operation = operation;
    const refuseUncounted = (error: ConnectError) => {
      const limits = admitter.lastLimits(request.headers.authorization);
      if (limits) setLimits(response, limits);
      refuse(error);
    };
    const kind = method === undefined || method.methodKind === "unary" ? "unary" : "stream";
    if (!enter(response, kind, client)) {
      refuseLater(request, response, client, () => refuseUncounted(noPlace(kind)));
      return;
    }
    if (
      overload.refuses(
        () => arrivalOf(request),
        "counter" in response ? response.counter : undefined,
      )
    ) {
      if ("counter" in response) countBy(response, undefined);
      refuseLater(request, response, client, () => refuseUncounted(overloaded("backlog")));
      return;
    }
    let isBegun = false;
    let admission: Admission | undefined;
    backlog.begin();
    try {
      isBegun = queue.begin(request) || (await queue.wait(request));
      if (isBegun && !response.destroyed) {
        const context = { record };
        const batch = method && unreadBatch(method, request);
        const decision = admitter.admit(credentialsOf(request), context, batch);
        if (method) prefetch(method, request, context);
        admission = await decision;
      }
    } catch (error) {
      refuseUncounted(publicError(error, onFault));
      return;
    } finally {
      if (isBegun) queue.end();
      backlog.end();
    }
    if (admission) {
      record.verdict = admission.verdict;
      record.plan = admission.plan;
      record.caller = admission.caller;
    }
    if (response.destroyed) {
      if (isRpc) rpc.identify(request, response);
      return; // The client has cancelled the request. If it was admitted, it counts against the limits.
    }
    if (!admission) {
      refuseUncounted(overloaded("queue"));
      return;
    }
    setLimits(response, admission.limits);
    if (admission.refusal) {
      refuse(admission.refusal);
    } else if (!enter(response, kind, admission.caller.accountId)) {
      refuseLater(request, response, client, () => refuse(noPlace(kind)));
    } else {
      handle(admission.caller);
    }
  }

  const onThrow = createThrowHandler(onFault, (request, response, error) => {
    endpointOf(splitTarget(request.url ?? "/"), request, response).refuse(
      publicError(error, onFault),
    );
  });

  return {
    handle(request, response) {
      respond(request, response).catch((error: unknown) => onThrow(request, response, error));
    },
    onThrow,
  };
}

/** The operation of assets of browser pages. Their names change with each version, so metrics count them together. */
const assetOperation: Operation = { route: "/assets/{name}" };

function publicOperation(path: string): Operation {
  return path.startsWith("/assets/") ? assetOperation : { route: path };
}

function credentialsOf(request: NodeServerRequest): Credentials {
  return {
    authorization: request.headers.authorization,
    peer: peerAddress(request),
    forwardedFor: forwardedFor(request),
  };
}

function setLimits(response: NodeServerResponse, limits: LimitHeaders): void {
  for (const name of limitHeaderNames) {
    response.setHeader(name, limits[name]);
  }
}

function arrivalOf(request: NodeServerRequest): Arrival {
  return {
    hasKey: hasWellFormedKey(request.headers.authorization),
    timeoutMs: validTimeoutOf(request),
  };
}
