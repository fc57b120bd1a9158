import { BlockList } from "node:net";
import type { DescMethod, Registry } from "@bufbuild/protobuf";
import { Code, type ConnectError, type ConnectRouter, type Interceptor } from "@connectrpc/connect";
import { type Annotations, noAnnotations } from "../call/annotations.ts";
import { callError } from "../call/call-error.ts";
import { guarded, notPromise } from "../call/guard.ts";
import type { BeforeGate, GateContext, RequestGate } from "../call/request-gate.ts";
import { requestOf } from "../call/request-info.ts";
import { bindRoutes, type Guards } from "../call/routes.ts";
import { CallerWork } from "../http/caller-work.ts";
import type { ErrorTerms } from "../http/error-response.ts";
import type { Handler } from "../http/exchange/exchange.ts";
import { begunBefore, nodeListener } from "../http/exchange/node-listener.ts";
import { setRequestId } from "../http/request-id.ts";
import { createJsonCodec, type JsonCodec } from "../rest/json/codec.ts";
import { type JsonStyle, protoJsonStyle, rpcJsonStyle } from "../rest/json/style.ts";
import type { Route } from "../rest/path/route.ts";
import type { RestOptions } from "../rest/rest-context.ts";
import { createTranscoder } from "../rest/transcoder.ts";
import type { RefuseField } from "../rpc/codec.ts";
import { createRpc } from "../rpc/rpc.ts";
import type { ErrorOptions } from "../rpc/sent-error.ts";
import { addressLimits } from "./connections/http2-limits.ts";
import { createListener } from "./connections/listener.ts";
import type { ListenerOptions, RequestHandler } from "./connections/listener-options.ts";
import type { UnreadLimits } from "./connections/unread.ts";
import { type CorsOptions, createCors } from "./cors.ts";
import { createFrontDoor } from "./front-door.ts";
import { checkHandlers, checkOptions, checkReadMaxBytes } from "./gateway-options.ts";
import { createAddressFloods } from "./load/address-floods.ts";
import {
  createAdmissionQueue,
  createInFlight,
  type InFlightLimits,
  type OverloadCause,
} from "./load/overload.ts";
import { publicEndpoints } from "./public-requests.ts";
import { endRequest } from "./request-end.ts";

/** Times in milliseconds, at most 2147483647, which is 24 days. Sizes in bytes. All are integers greater than 0. */
export interface GatewayLimits
  extends Pick<
      ListenerOptions,
      | "headersTimeoutMs"
      | "requestTimeoutMs"
      | "keepAliveTimeoutMs"
      | "sendTimeoutMs"
      | "maxConnections"
      | "maxConnectionsPerAddress"
      | "maxHeaderBytes"
      | "age"
    >,
    InFlightLimits {
  /** The bounds of the memory that waits for clients to read. */
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
  readonly policy?: RestOptions["policy"];
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

/** A server that does not listen yet. */
export type Gateway = ReturnType<typeof createGateway>;

const maxMessageBytes = 4 * 1024 * 1024;

const overloadedByDefault = () =>
  callError("The server is overloaded. The request had no effect. Retry later.", Code.Unavailable);

/**
 * Serves the methods of a router by Connect, gRPC, gRPC-Web and, by their google.api.http rules, as JSON over HTTP, all on one
 * port for HTTP/1.1 and HTTP/2.
 *
 * @throws TypeError that names an unknown option or one of the wrong type; RangeError that names a limit that is out of range;
 * Error that names the method when an HTTP rule is invalid or conflicts with another one, when an option of a route would have
 * no effect, or when the method is registered twice, in `routes` or `publicRoutes`; node's error when the certificate or key is invalid
 */
export function createGateway(options: GatewayOptions) {
  checkOptions(options, "");
  const {
    requestGate = () => {},
    beforeGate = { callerOf: (context) => requestOf(context).address, isAnonymous: () => false },
    terms = {},
    overloaded = overloadedByDefault,
    trustedProxies = new BlockList(),
    onFault: report = console.error,
  } = options;
  const onFault = (fault: unknown) =>
    guarded((error) => console.error("onFault failed:", error, "with:", fault), report)(fault);
  const observed = <A extends readonly unknown[]>(observe: (...args: A) => unknown = () => {}) =>
    guarded(onFault, observe);
  const annotations = { ...noAnnotations, ...options.annotations };
  const codecOf = (style: JsonStyle, isRpcOnly = annotations.isRpcOnly) =>
    createJsonCodec({ ...style, annotations: { ...annotations, isRpcOnly } }, options.registry);
  const http = options.json?.http ?? codecOf(protoJsonStyle);
  const rpc = options.json?.rpc ?? codecOf(rpcJsonStyle, () => false);
  const { readMaxBytes: most = maxMessageBytes } = options;
  const readMaxBytes = typeof most === "number" ? () => most : most;
  const given = Object.entries(options.limits ?? {}).filter(([, value]) => value !== undefined);
  const limits: GatewayLimits = { ...defaultLimits, ...Object.fromEntries(given) };
  const { headersTimeoutMs, requestTimeoutMs } = limits;
  if (headersTimeoutMs > requestTimeoutMs) {
    throw new RangeError(
      `limits.headersTimeoutMs must be at most limits.requestTimeoutMs, which is ${requestTimeoutMs}, not ${headersTimeoutMs}`,
    );
  }
  const methods = bindRoutes(options);
  const publicMethods = bindRoutes({ routes: options.publicRoutes ?? (() => {}), isPublic: true });
  const allMethods = [...methods, ...publicMethods];
  const names = new Set<string>();
  for (const { desc, readMaxBytes: own = readMaxBytes(desc) } of allMethods) {
    const name = `${desc}`;
    checkReadMaxBytes(notPromise(own, "readMaxBytes"), `readMaxBytes of ${name}`);
    if (names.has(name)) {
      throw new Error(`${name} is registered twice: keep it in routes or publicRoutes`);
    }
    names.add(name);
  }
  const common = {
    methods: allMethods,
    work: new CallerWork(options.noRoom),
    publicWork: new CallerWork(options.noRoom),
    onFault,
  };
  const rest = createTranscoder({
    ...common,
    json: http,
    maxBodyBytes: readMaxBytes,
    errorTerms: { registry: options.registry, ...terms },
    policy: options.policy,
  });
  const inFlight = createInFlight(limits);
  const cors = createCors(options.cors ?? { origins: [] });
  const documents = notPromise(options.documents?.(rest.routes), "documents") ?? new Map();
  checkHandlers(documents, "the result of documents");
  const frontDoor = createFrontDoor({
    publicEndpoints: publicEndpoints(options.probes ?? new Map(), documents, rest.openUnknown),
    publicMethods: new Set(publicMethods.map(({ desc }) => desc)),
    cors,
    requestGate,
    gateTimeoutMs: requestTimeoutMs,
    beforeGate,
    queue: createAdmissionQueue(
      (context) => notPromise(beforeGate.callerOf(context), "beforeGate.callerOf"),
      (context) => context.timeoutMs(),
    ),
    overloaded,
    rest,
    rpc: createRpc({
      ...common,
      maxMessageBytes: readMaxBytes,
      json: rpc,
      ...(options.fieldInvalid && { refuseField: options.fieldInvalid }),
      missingDetails: options.missingDetails ?? (() => []),
      ...(terms.reasonOf && { reasonOf: terms.reasonOf }),
    }),
    inFlight,
    onFault,
  });
  const { tls } = options;
  const onRequestEnd = observed(options.onRequestEnd);
  const begun = observed(options.onRequest);
  const onRequest: RequestHandler = (exchange) => {
    cors.begin(exchange);
    begun(exchange);
  };
  const listener = createListener({
    ...limits,
    trustedProxies,
    handle: frontDoor.handle,
    onRequest,
    rejectionHeaders: cors.headersFor,
    onRequestEnd,
    onConnectionDropped: observed(options.onConnectionDropped),
    onThrow: frontDoor.onThrow,
    ...(tls && { tls }),
    addressFloods: createAddressFloods(addressLimits, trustedProxies),
    onFault,
  });
  const { listen, setTls, retireHttp1, drain, connections } = listener;
  return {
    /**
     * Responds to a request of a server of node:http, or of node:http2 with its compatibility API. Responds 404 to a path that
     * the gateway does not have. The limits of messages and of open requests hold; those of connections are the server's own.
     */
    handler: nodeListener(
      (exchange) => {
        setRequestId(exchange);
        exchange.once("close", () => endRequest(exchange, onRequestEnd));
        onRequest(exchange);
        const fault = begunBefore(exchange);
        if (!fault) frontDoor.handle(exchange);
        else if (exchange.writableEnded) onFault(fault);
        else frontDoor.onThrow(exchange, fault);
      },
      frontDoor.onThrow,
      trustedProxies,
    ),
    listen,
    setTls,
    /** Closes HTTP/1 connections after their next response. Still accepts connections and requests. */
    retire: retireHttp1,
    drain,
    /** The HTTP rules as they are served, in the order of the methods. */
    restRoutes: rest.routes,
    /** Returns the number of open connections, and of open requests. */
    status: () => ({
      connections: connections(),
      inFlight: {
        unary: inFlight.count("unary"),
        stream: inFlight.count("stream"),
        public: inFlight.count("public"),
      },
    }),
  };
}
