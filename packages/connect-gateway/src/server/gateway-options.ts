import { BlockList } from "node:net";
import type { Annotations } from "../call/annotations.ts";
import { anyFunction, fits, integer, milliseconds, options, texts } from "../call/option-checks.ts";
import type { BeforeGate } from "../call/request-gate.ts";
import type { Guards } from "../call/routes.ts";
import type { ErrorTerms } from "../http/error-response.ts";
import type { ConnectionAge } from "./connections/connection-age.ts";
import { checkTls } from "./connections/listener-options.ts";
import type { CorsOptions } from "./cors.ts";
import type { GatewayLimits, GatewayOptions } from "./gateway.ts";

type Member<Name extends keyof GatewayOptions> = NonNullable<GatewayOptions[Name]>;

/** The range of Connect. */
export const checkReadMaxBytes = integer(1, 2 ** 32 - 1);

const positive = integer(1);
const isFunction = (value: unknown) => typeof value === "function";

export const checkHandlers = fits(
  "a Map of functions by paths that begin with /",
  (value) =>
    value instanceof Map &&
    [...value].every(([path, handle]) => `${path}`.startsWith("/") && isFunction(handle)),
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
    routes: anyFunction,
    publicRoutes: anyFunction,
    guards: options<Guards>({
      before: anyFunction,
      message: anyFunction,
      around: anyFunction,
      isLong: anyFunction,
      error: anyFunction,
    }),
    interceptors: fits(
      "an array of functions",
      (value) => Array.isArray(value) && value.every(isFunction),
    ),
    requestGate: anyFunction,
    beforeGate: options<BeforeGate>({ callerOf: anyFunction, isAnonymous: anyFunction }, [
      "callerOf",
      "isAnonymous",
    ]),
    readMaxBytes: (value, name) => typeof value === "function" || checkReadMaxBytes(value, name),
    annotations: options<Annotations>({
      isRpcOnly: anyFunction,
      isOutputOnly: anyFunction,
      isEventId: anyFunction,
      boundsOf: anyFunction,
    }),
    registry,
    json: options<Member<"json">>({ http: codec, rpc: codec }),
    policy: anyFunction,
    probes: checkHandlers,
    documents: anyFunction,
    cors: options<CorsOptions>(
      { origins: texts, requestHeaders: headerNames, responseHeaders: headerNames },
      ["origins"],
    ),
    trustedProxies: fits("a BlockList", (value) => value instanceof BlockList),
    limits: options<GatewayLimits>({
      headersTimeoutMs: milliseconds,
      requestTimeoutMs: milliseconds,
      keepAliveTimeoutMs: milliseconds,
      sendTimeoutMs: milliseconds,
      maxConnections: positive,
      maxConnectionsPerAddress: positive,
      maxHeaderBytes: integer(1, 2 ** 31 - 1),
      maxRequests: positive,
      maxStreams: positive,
      unread: options<GatewayLimits["unread"]>(
        { maxBytes: positive, maxBytesPerAddress: positive },
        ["maxBytes", "maxBytesPerAddress"],
      ),
      age: options<ConnectionAge>(
        { maxMs: milliseconds, graceMs: milliseconds, ended: anyFunction },
        ["maxMs", "graceMs", "ended"],
      ),
    }),
    tls: checkTls,
    terms: options<ErrorTerms>({ kindOf: anyFunction, reasonOf: anyFunction, registry }),
    fieldInvalid: anyFunction,
    missingDetails: anyFunction,
    overloaded: anyFunction,
    noRoom: anyFunction,
    onFault: anyFunction,
    onRequest: anyFunction,
    onRequestEnd: anyFunction,
    onConnectionDropped: anyFunction,
  },
  ["routes"],
);
