import { Code, ConnectError } from "@connectrpc/connect";
import { type Admission, type Admitter, hasWellFormedKey } from "../access/admission.ts";
import type { Caller } from "../access/caller.ts";
import { type LimitHeaders, limitHeaderNames } from "../access/limit-headers.ts";
import { publicError } from "../call/public-error.ts";
import {
  type Handler,
  isGone,
  type NodeServerRequest,
  type NodeServerResponse,
  peerAddress,
  type ThrowHandler,
} from "../http/node-http.ts";
import { type RequestTarget, readTarget, splitTarget } from "../http/request-target.ts";
import { timeoutOf } from "../rest/deadline.ts";
import type { Transcoder } from "../rest/transcoder.ts";
import { expectsRpc, removeGrpcParameters } from "../rpc/refusal.ts";
import type { Rpc } from "../rpc/rpc.ts";
import type { Cors } from "./cors.ts";
import { noSniffing } from "./error-response.ts";
import type { InFlight, RequestKind } from "./in-flight.ts";
import type { RequestHandler } from "./listener-options.ts";
import type { Arrival, Overload } from "./overload.ts";
import { forwardedFor } from "./peer.ts";
import { createThrowHandler } from "./throw-handler.ts";

/** Always served, also at the bound of requests under way, because they report whether the process is alive. */
const probes: ReadonlySet<string> = new Set(["/livez", "/readyz"]);

/** What stands behind the door. */
export interface FrontDoorOptions {
  /** What is open to everyone, by path: answered without a key. */
  readonly publicHandlers: ReadonlyMap<string, Handler>;
  readonly cors: Cors;
  readonly admission: Admitter;
  readonly overload: Overload;
  /** Makes the error of a request that is refused because of overload. */
  readonly overloaded: () => ConnectError;
  readonly rest: Transcoder<Caller>;
  readonly rpc: Rpc<Caller>;
  readonly inFlight: InFlight;
  /** Told of every error that is not a ConnectError: a bug. */
  onFault(error: unknown): void;
}

/** One side of the server, chosen for a request by its path. */
interface Destination {
  readonly isStream: boolean;
  /** Begins what the response is likely to need, before the caller is admitted. */
  prepare(): void;
  handle(caller: Caller): void;
  refuse(error: ConnectError): void;
}

/** The functions that a listener calls. */
export interface FrontDoor {
  /**
   * Answers every request: what is public at once; all else after admission, which looks at the header
   * section alone and puts the caller's limits on the response before anything else can answer.
   */
  readonly handle: RequestHandler;
  /** Makes an error thrown in a callback of a request the response, in the request's protocol. */
  readonly onThrow: ThrowHandler;
}

/** Makes the front door. */
export function createFrontDoor(options: FrontDoorOptions): FrontDoor {
  const {
    publicHandlers,
    cors,
    admission: admitter,
    inFlight,
    overload,
    overloaded,
    rest,
    rpc,
    onFault,
  } = options;
  const { backlog } = overload;

  function destination(
    target: RequestTarget,
    request: NodeServerRequest,
    response: NodeServerResponse,
  ): Destination {
    const { path } = target;
    if (rpc.serves(path)) {
      return {
        isStream: rpc.streams(path),
        prepare: () => rpc.prepare(path),
        handle: (caller) => rpc.handle(path, request, response, caller),
        refuse: (error) => rpc.refuse(request, response, error),
      };
    }
    const match = rest.match(request.method ?? "GET", target);
    if (match.kind === "not_found" && expectsRpc(request)) {
      return {
        isStream: false,
        prepare: () => {},
        handle: () => rpc.refusePath(path, request, response),
        refuse: (error) => rpc.refuse(request, response, error),
      };
    }
    return {
      isStream: match.kind === "route" && match.route.method.kind !== "unary",
      prepare: () => rest.prepare(match),
      handle: (caller) => void rest.handle(match, request, response, caller),
      refuse: (error) => rest.refuse(match, request, response, error),
    };
  }

  function decide(request: NodeServerRequest, prepare: () => void): Promise<Admission> {
    const credentials = {
      authorization: request.headers.authorization,
      peer: peerAddress(request),
      forwardedFor: forwardedFor(request),
    };
    return admitter.admit(credentials, prepare);
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

  function enter(response: NodeServerResponse, kind: RequestKind): boolean {
    return !("counter" in response) || inFlight.enter(response, kind);
  }

  async function answer(request: NodeServerRequest, response: NodeServerResponse): Promise<void> {
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
    const open = publicHandlers.get(target.path);
    if (open) {
      // Probes have neither a body nor a response that could hold anything up.
      if (probes.has(target.path) || enter(response, "public")) await open(request, response);
      else destination(target, request, response).refuse(overloaded());
      return;
    }
    const { isStream, prepare, handle, refuse } = destination(target, request, response);
    const refuseUncounted = (error: ConnectError) => {
      const limits = admitter.lastLimits(request.headers.authorization);
      if (limits) setLimits(response, limits);
      refuse(error);
    };
    if (!enter(response, isStream ? "stream" : "unary")) {
      refuseUncounted(overloaded());
      return;
    }
    if (overload.refuses(() => arrivalOf(request))) {
      refuseUncounted(overloaded());
      return;
    }
    let admission: Admission;
    backlog.begin();
    try {
      admission = await decide(request, prepare);
    } catch (error) {
      refuseUncounted(publicError(error, onFault));
      return;
    } finally {
      backlog.end();
    }
    if (isGone(response)) {
      return; // the client has cancelled the request: it counts, but nothing is done
    }
    setLimits(response, admission.limits);
    if (admission.refusal) {
      refuse(admission.refusal);
    } else {
      handle(admission.caller);
    }
  }

  const onThrow = createThrowHandler(onFault, (request, response, error) => {
    destination(splitTarget(request.url ?? "/"), request, response).refuse(
      publicError(error, onFault),
    );
  });

  return {
    handle(request, response) {
      answer(request, response).catch((error: unknown) => onThrow(request, response, error));
    },
    onThrow,
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
    timeoutMs: saidTimeout(request),
  };
}

/** How long the client waits, in milliseconds; undefined when the request has no valid time-out. */
function saidTimeout(request: NodeServerRequest): number | undefined {
  try {
    return timeoutOf(request);
  } catch {
    return undefined;
  }
}
