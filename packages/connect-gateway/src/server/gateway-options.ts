import { BlockList } from "node:net";
import type { DescMethod, Registry } from "@bufbuild/protobuf";
import type { ConnectError, ConnectRouter, Interceptor } from "@connectrpc/connect";
import type { Annotations } from "../call/annotations.ts";
import {
  all,
  allOf,
  anyFunction,
  fits,
  integer,
  milliseconds,
  options,
  texts,
} from "../call/option-checks.ts";
import type { BeforeGate, GateContext, RequestGate } from "../call/request-gate.ts";
import type { Guards } from "../call/routes.ts";
import type { ErrorTerms } from "../http/error-response.ts";
import type { Handler } from "../http/exchange/exchange.ts";
import type { JsonCodec } from "../rest/json/codec.ts";
import type { Route } from "../rest/path/route.ts";
import type { Policy } from "../rest/rest-context.ts";
import type { RefuseField } from "../rpc/codec.ts";
import type { ErrorOptions } from "../rpc/sent-error.ts";
import type { ConnectionAge } from "./connections/connection-age.ts";
import {
  type ConnectionLimits,
  checkTls,
  type ListenerOptions,
} from "./connections/listener-options.ts";
import type { UnreadLimits } from "./connections/unread.ts";
import type { CorsOptions } from "./cors.ts";
import type { InFlightLimits, OverloadCause } from "./load/overload.ts";

/** Times in milliseconds, at most 2147483647, which is 24 days. Sizes in bytes. All are integers greater than 0. */
export interface GatewayLimits extends ConnectionLimits, InFlightLimits {
  readonly unread: UnreadLimits;
}

const defaultLimits: GatewayLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 65_000,
  sendTimeoutMs: 30_000,
  maxConnections: 10_000,
  maxConnectionsPerAddress: 1_000,
  maxHeaderBytes: 16_384,
  maxRequests: 10_000,
  maxStreams: 10_000,
  unread: { maxBytes: 64 * 1024 * 1024, maxBytesPerAddress: 16 * 1024 * 1024 },
};

/** How errors are made and described. If one of these functions throws, the client gets `internal`, and `onFault` the error. */
export interface GatewayErrors {
  /** The HTTP status, code and reason of an error; by default those of its Connect code. */
  readonly terms?: ErrorTerms;
  /** Makes the error of a field that has no valid value. */
  readonly fieldInvalid?: RefuseField;
  /** Returns the details to add to an error that the gateway or Connect has made; none by default. */
  readonly missingDetails?: ErrorOptions["missingDetails"];
  /**
   * Makes the error of a request that is refused because there is too much to do.
   *
   * @param context of a request that the gate has not seen: headers of the response can be set
   */
  readonly overloaded?: (cause: OverloadCause, context?: GateContext) => ConnectError;
  /** Makes the error of an admitted request for whose work there is no room. */
  readonly noRoom?: () => ConnectError;
}

/**
 * Functions that observe the server. What they throw, or what the promises that they return reject with, changes no response and
 * goes to `onFault`; that of `onFault` itself goes to `console.error`.
 */
export interface GatewayObservers
  extends Pick<ListenerOptions, "onRequest" | "onRequestEnd" | "onConnectionDropped"> {
  /**
   * Called with every bug: an error that is not a ConnectError, one whose code is not between 1 and 16, or one that cannot be
   * sent. Its client gets `internal` without its text. By default, `console.error`.
   */
  readonly onFault?: (error: unknown) => void;
}

/** Options of {@link createGateway}. */
export interface GatewayOptions extends GatewayErrors, GatewayObservers {
  /** Registers services as with Connect's own servers. */
  readonly routes: (router: ConnectRouter) => void;
  /**
   * Registers services whose requests do not pass the gate in any protocol, such as health checks. Guards and interceptors are
   * those of {@link routes} only.
   */
  readonly publicRoutes?: (router: ConnectRouter) => void;
  /** What surrounds the methods of {@link routes}. Cheaper than interceptors. */
  readonly guards?: Guards;
  /** Interceptors of Connect around the methods of {@link routes}, in all protocols. They run after the guards. */
  readonly interceptors?: Interceptor[];
  /** Decides on requests by their headers. By default, all pass. */
  readonly requestGate?: RequestGate;
  /** By default, the client's address counts, and nobody is anonymous. */
  readonly beforeGate?: BeforeGate;
  /**
   * The largest message of a method before and after decompression, in bytes; 4 MiB by default. The option `readMaxBytes`
   * of a route takes precedence.
   */
  readonly readMaxBytes?: number | ((method: DescMethod) => number);
  /** What the contract's own options say, such as how long lists may be. */
  readonly annotations?: Partial<Annotations>;
  /** The types that a google.protobuf.Any, and the details of errors over HTTP, may have in JSON; none by default. */
  readonly registry?: Registry;
  /**
   * The JSON of HTTP and of RPC, in place of {@link annotations} and {@link registry}. By default, ProtoJSON. RPC ignores unknown
   * fields, as with Connect.
   */
  readonly json?: { readonly http?: JsonCodec; readonly rpc?: JsonCodec };
  /** Headers of all responses of a method over HTTP, or an error in place of the call. */
  readonly policy?: (method: DescMethod) => Policy | undefined;
  /** Handlers by path that do not pass the gate. Probes are served even under overload. */
  readonly probes?: ReadonlyMap<string, Handler>;
  /** The same for documents. @param routes the HTTP rules as they are served */
  readonly documents?: (routes: readonly Route[]) => ReadonlyMap<string, Handler>;
  /** Which pages of other origins may call the service; none by default. */
  readonly cors?: CorsOptions;
  /** Proxies whose X-Forwarded-For header is trusted; none by default. */
  readonly trustedProxies?: BlockList;
  readonly limits?: Partial<GatewayLimits>;
  /** Without it, the port accepts cleartext only. */
  readonly tls?: ListenerOptions["tls"];
}

/** The range of Connect. */
export const checkReadMaxBytes = integer(1, 2 ** 32 - 1);

const positive = integer(1);
const isFunction = (value: unknown) => typeof value === "function";

/** RFC 3986, section 3.3 */
const absolutePath = /^\/(?:[-._~0-9A-Za-z!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*$/;

export const checkHandlers = fits(
  "a Map of functions by paths that begin with / and are percent-encoded",
  (value) =>
    value instanceof Map &&
    [...value].every(([path, handle]) => absolutePath.test(path) && isFunction(handle)),
);

/** RFC 9110, section 5.6.2 */
const headerName = /^[\w!#$%&'*+.^`|~-]+$/;

const headerNames = fits(
  "an array of names of headers",
  (value) => Array.isArray(value) && value.every((name) => headerName.test(name)),
);

/** Makes the check of an object by one of its functions. */
const has = (name: string, expected: string) =>
  fits(expected, (value) => isFunction((value as Record<string, unknown> | null)?.[name]));

const registry = has("getMessage", "a registry, such as of createRegistry");
const codec = has("encodeJson", "a codec of createJsonCodec");

/** Checks the options of a gateway. @throws TypeError for an unknown name or a wrong type; RangeError for a number */
export const checkOptions = options<GatewayOptions>(
  {
    ...all(anyFunction, "routes", "publicRoutes", "requestGate", "policy", "documents"),
    ...all(anyFunction, "fieldInvalid", "missingDetails", "overloaded", "noRoom"),
    ...all(anyFunction, "onFault", "onRequest", "onRequestEnd", "onConnectionDropped"),
    guards: options<Guards>(all(anyFunction, "before", "message", "around", "isLong", "error")),
    interceptors: fits(
      "an array of functions",
      (value) => Array.isArray(value) && value.every(isFunction),
    ),
    beforeGate: allOf<BeforeGate>(all(anyFunction, "callerOf", "isAnonymous")),
    readMaxBytes: (value, name) => typeof value === "function" || checkReadMaxBytes(value, name),
    annotations: options<Annotations>(
      all(anyFunction, "isRpcOnly", "isOutputOnly", "isEventId", "boundsOf"),
    ),
    registry,
    json: options<NonNullable<GatewayOptions["json"]>>(all(codec, "http", "rpc")),
    probes: checkHandlers,
    cors: options<CorsOptions>(
      { origins: texts, ...all(headerNames, "requestHeaders", "responseHeaders") },
      ["origins"],
    ),
    trustedProxies: fits("a BlockList", (value) => value instanceof BlockList),
    limits: options<GatewayLimits>({
      ...all(milliseconds, "headersTimeoutMs", "requestTimeoutMs"),
      ...all(milliseconds, "keepAliveTimeoutMs", "sendTimeoutMs"),
      ...all(positive, "maxConnections", "maxConnectionsPerAddress", "maxRequests", "maxStreams"),
      maxHeaderBytes: integer(1, 2 ** 31 - 1),
      unread: allOf<UnreadLimits>(all(positive, "maxBytes", "maxBytesPerAddress")),
      age: allOf<ConnectionAge>({ ...all(milliseconds, "maxMs", "graceMs"), ended: anyFunction }),
    }),
    tls: checkTls,
    terms: options<ErrorTerms>({ ...all(anyFunction, "kindOf", "reasonOf"), registry }),
  },
  ["routes"],
);

/** Returns all limits. @throws RangeError when they contradict each other */
export function limitsOf({ limits: given = {} }: GatewayOptions): GatewayLimits {
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  const limits: GatewayLimits = { ...defaultLimits, ...Object.fromEntries(set) };
  const { headersTimeoutMs, requestTimeoutMs } = limits;
  if (headersTimeoutMs > requestTimeoutMs) {
    throw new RangeError(
      `limits.headersTimeoutMs must be at most limits.requestTimeoutMs, which is ${requestTimeoutMs}, not ${headersTimeoutMs}`,
    );
  }
  return limits;
}
