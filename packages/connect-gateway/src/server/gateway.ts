import { BlockList } from "node:net";
import type { DescMethod } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { type Annotations, noAnnotations } from "../call/annotations.ts";
import { callError } from "../call/call-error.ts";
import { guarded, notPromise } from "../call/guard.ts";
import type { Method } from "../call/method.ts";
import type { BeforeGate } from "../call/request-gate.ts";
import { requestOf } from "../call/request-info.ts";
import { bindRoutes } from "../call/routes.ts";
import { CallerWork } from "../http/caller-work.ts";
import type { Handler } from "../http/exchange/exchange.ts";
import { begunBefore, type NodeListener, nodeListener } from "../http/exchange/node-listener.ts";
import { setRequestId } from "../http/request-id.ts";
import { createJsonCodec } from "../rest/json/codec.ts";
import { type JsonStyle, protoJsonStyle, rpcJsonStyle } from "../rest/json/style.ts";
import type { Route } from "../rest/path/route.ts";
import { createTranscoder } from "../rest/transcoder.ts";
import { createRpc, rpcPath } from "../rpc/rpc.ts";
import { addressLimits } from "./connections/http2-limits.ts";
import { createListener, type Listener } from "./connections/listener.ts";
import type { RequestHandler } from "./connections/listener-options.ts";
import { createCors } from "./cors.ts";
import { createFrontDoor } from "./front-door.ts";
import {
  checkHandlers,
  checkOptions,
  checkReadMaxBytes,
  type GatewayOptions,
  limitsOf,
} from "./gateway-options.ts";
import { createAddressFloods } from "./load/address-floods.ts";
import { createPools, type RequestKind } from "./load/overload.ts";
import { publicEndpoints } from "./public-requests.ts";
import { endRequest } from "./request-end.ts";

/** A server that does not listen yet. */
export interface Gateway extends Pick<Listener, "listen" | "setTls" | "drain" | "retire"> {
  /**
   * Responds to a request of a server of node:http, or of node:http2 with its compatibility API. Responds 404 to a path that
   * the gateway does not have. The limits of messages and of open requests hold; those of connections are the server's own.
   */
  readonly handler: NodeListener;
  /** The HTTP rules as they are served, in the order of the methods. */
  readonly restRoutes: readonly Route[];
  /** Returns the number of open connections, and of open requests. */
  status(): {
    readonly connections: ReturnType<Listener["connections"]>;
    readonly inFlight: Readonly<Record<RequestKind, number>>;
  };
}

const maxMessageBytes = 4 * 1024 * 1024;

const overloadedByDefault = () =>
  callError("The server is overloaded. The request had no effect. Retry later.", Code.Unavailable);

const anyClient: BeforeGate = {
  callerOf: (context) => requestOf(context).address,
  isAnonymous: () => false,
};

/**
 * Serves the methods of a router by Connect, gRPC, gRPC-Web and, by their google.api.http rules, as JSON over HTTP, all on one
 * port for HTTP/1.1 and HTTP/2.
 *
 * @throws TypeError that names an unknown option or one of the wrong type; RangeError that names a limit that is out of range;
 * Error that names the method when an HTTP rule is invalid or conflicts with another one or with the path of an RPC method, probe
 * or document, when an option of a route would have
 * no effect, or when the method is registered twice, in `routes` or `publicRoutes`; node's error when the certificate or key is invalid
 */
export function createGateway(options: GatewayOptions): Gateway {
  checkOptions(options, "");
  const { cors: corsOptions = { origins: [] }, terms = {} } = options;
  const { trustedProxies = new BlockList(), tls, onFault: report = console.error } = options;
  const onFault = (fault: unknown) =>
    guarded((error) => console.error("onFault failed:", error, "with:", fault), report)(fault);
  const observed = <A extends readonly unknown[]>(observe: (...args: A) => unknown = () => {}) =>
    guarded(onFault, observe);
  const limits = limitsOf(options);
  const { readMaxBytes: most = maxMessageBytes } = options;
  const readMaxBytes = typeof most === "number" ? () => most : most;
  const json = codecsOf(options);
  const methods = methodsOf(options, readMaxBytes);
  const common = {
    methods,
    work: new CallerWork(options.noRoom),
    publicWork: new CallerWork(options.noRoom),
    readMaxBytes,
    onFault,
  };
  const rest = createTranscoder({
    ...common,
    json: json.http,
    errorTerms: { registry: options.registry, ...terms },
    policy: options.policy,
  });
  const rpc = createRpc({
    ...common,
    json: json.rpc,
    refuseField: options.fieldInvalid,
    missingDetails: options.missingDetails ?? (() => []),
    reasonOf: terms.reasonOf,
  });
  const pools = createPools(limits);
  const cors = createCors(corsOptions);
  const documents = notPromise(options.documents?.(rest.routes), "documents") ?? new Map();
  checkHandlers(documents, "the result of documents");
  const { probes = new Map() } = options;
  checkPaths(methods, rest.routes, probes, documents);
  const { handle, onThrow } = createFrontDoor({
    publicEndpoints: publicEndpoints(probes, documents, rest.openUnknown),
    publicMethods: new Set(methods.filter(({ isPublic }) => isPublic).map(({ desc }) => desc)),
    cors,
    requestGate: options.requestGate ?? (() => {}),
    gateTimeoutMs: limits.requestTimeoutMs,
    beforeGate: options.beforeGate ?? anyClient,
    overloaded: options.overloaded ?? overloadedByDefault,
    rest,
    rpc,
    pools,
    onFault,
  });
  const onRequestEnd = observed(options.onRequestEnd);
  const begun = observed(options.onRequest);
  const onRequest: RequestHandler = (exchange) => {
    cors.begin(exchange);
    begun(exchange);
  };
  const serveOther: Handler = (exchange) => {
    setRequestId(exchange);
    exchange.once("close", () => endRequest(exchange, onRequestEnd));
    onRequest(exchange);
    const fault = begunBefore(exchange);
    if (!fault) handle(exchange);
    else if (exchange.writableEnded) onFault(fault);
    else onThrow(exchange, fault);
  };
  const { listen, setTls, retire, drain, connections } = createListener({
    ...limits,
    trustedProxies,
    handle,
    onRequest,
    rejectionHeaders: cors.headersFor,
    onRequestEnd,
    onConnectionDropped: observed(options.onConnectionDropped),
    onThrow,
    tls,
    addressFloods: createAddressFloods(addressLimits, trustedProxies),
    onFault,
  });
  const { unary, stream, public: open } = pools;
  return {
    handler: nodeListener(serveOther, onThrow, trustedProxies),
    listen,
    setTls,
    retire,
    drain,
    restRoutes: rest.routes,
    status: () => ({
      connections: connections(),
      inFlight: { unary: unary.held, stream: stream.held, public: open.held },
    }),
  };
}

/** @throws Error that names a path that would never be reached, because something else has it */
function checkPaths(
  methods: readonly Method[],
  routes: readonly Route[],
  probes: ReadonlyMap<string, unknown>,
  documents: ReadonlyMap<string, unknown>,
): void {
  const taken = new Map(methods.map(({ desc }) => [rpcPath(desc), `${desc}`]));
  const rules = routes.map(({ template: { segments, verb }, name }): [string, string] => [
    `/${segments.join("/")}${verb && `:${verb}`}`,
    `an HTTP rule of ${name}`,
  ]);
  const names = (map: ReadonlyMap<string, unknown>, kind: string) =>
    [...map.keys()].map((path): [string, string] => [path, kind]);
  // Several rules may have one path, with different HTTP methods.
  for (const others of [rules, names(probes, "a probe"), names(documents, "a document")]) {
    for (const [path, name] of others) {
      const other = taken.get(path);
      if (other !== undefined) throw new Error(`${name} and ${other} both have the path ${path}`);
    }
    for (const [path, name] of others) taken.set(path, name);
  }
}

function codecsOf({ registry, json = {}, annotations: given }: GatewayOptions) {
  const annotations = { ...noAnnotations, ...given };
  const codecOf = (style: JsonStyle, own: Annotations) =>
    createJsonCodec({ ...style, annotations: own }, registry);
  return {
    http: json.http ?? codecOf(protoJsonStyle, annotations),
    rpc: json.rpc ?? codecOf(rpcJsonStyle, { ...annotations, isRpcOnly: () => false }),
  };
}

/** Returns the methods of all routes. @throws Error when one is registered twice; RangeError when `readMaxBytes` is out of range */
function methodsOf(
  options: GatewayOptions,
  readMaxBytes: (method: DescMethod) => number,
): readonly Method[] {
  const { publicRoutes: routes = () => {} } = options;
  const methods = [...bindRoutes(options), ...bindRoutes({ routes, isPublic: true })];
  const names = new Set<string>();
  for (const { desc, readMaxBytes: own = readMaxBytes(desc) } of methods) {
    const name = `${desc}`;
    checkReadMaxBytes(notPromise(own, "readMaxBytes"), `readMaxBytes of ${name}`);
    if (names.has(name)) {
      throw new Error(`${name} is registered twice: keep it in routes or publicRoutes`);
    }
    names.add(name);
  }
  return methods;
}
