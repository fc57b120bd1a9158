import { Code, type ConnectError } from "@connectrpc/connect";
import {
  endStreamFlag,
  endStreamToJson,
  parseTimeout as parseConnectTimeout,
} from "@connectrpc/connect/protocol-connect";
import {
  grpcStatusOk,
  headerGrpcStatus,
  parseTimeout,
  setTrailerStatus,
} from "@connectrpc/connect/protocol-grpc";
import { trailerFlag, trailerSerialize } from "@connectrpc/connect/protocol-grpc-web";
import { appendAll, type HeaderValues, recordOf } from "../call/call-error.ts";
import type { Protocol } from "../call/request-record.ts";
import { isUtf8, mediaTypeOf } from "../http/content/media-type.ts";
import type { Exchange } from "../http/exchange/exchange.ts";
import { envelope } from "./envelope.ts";
import { type BodyForm, base64, plain } from "./grpc-web/text.ts";
import type { SentError } from "./sent-error.ts";

/** The headers of a protocol. */
interface HeaderNames {
  /** Names the compression of the messages of a request, or of a response. */
  readonly encoding: Lowercase<string>;
  /** Lists the codings that the sender accepts. */
  readonly accepted: Lowercase<string>;
  readonly timeout: Lowercase<string>;
  /** Returns the timeout in milliseconds, or the error of a malformed one. */
  readonly parseTimeout: typeof parseTimeout;
}

/** Unary calls of Connect: https://connectrpc.com/docs/protocol#unary-rpcs */
const unaryNames: HeaderNames = {
  encoding: "content-encoding",
  accepted: "accept-encoding",
  timeout: "connect-timeout-ms",
  parseTimeout: parseConnectTimeout,
};

export interface Framing {
  readonly names: HeaderNames;
  /** Returns what follows the last message: the last bytes of the body, or the trailers of HTTP. @param error undefined after success */
  ending(error: SentError | undefined, trailers: Trailers): Uint8Array | HeaderValues;
}

type Trailers = HeaderValues | undefined;

const connectSuccess = envelope(endStreamFlag, "{}");

/** Streams of Connect: https://connectrpc.com/docs/protocol#streaming-rpcs */
const connectFraming: Framing = {
  names: {
    ...unaryNames,
    encoding: "connect-content-encoding",
    accepted: "connect-accept-encoding",
  },
  ending(error, trailers) {
    if (!error && !trailers) return connectSuccess;
    const bare = error as unknown as ConnectError | undefined;
    const all = joined(trailers, error);
    const end: { metadata?: Record<string, string[]> } = endStreamToJson(all, bare, undefined);
    // Connect takes only the last one.
    if (end.metadata?.["set-cookie"]) end.metadata["set-cookie"] = all.getSetCookie();
    return envelope(endStreamFlag, JSON.stringify(end));
  },
};

const statusHeader = headerGrpcStatus.toLowerCase();
const grpcSuccess = { [statusHeader]: grpcStatusOk };

/** gRPC: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md */
export const grpcFraming: Framing = {
  names: {
    encoding: "grpc-encoding",
    accepted: "grpc-accept-encoding",
    timeout: "grpc-timeout",
    parseTimeout,
  },
  ending(error, trailers) {
    if (error) return recordOf(withStatus(trailers, error));
    return trailers ? { ...grpcSuccess, ...trailers } : grpcSuccess;
  },
};

const webSuccess = envelope(trailerFlag, `${statusHeader}: ${grpcStatusOk}\r\n`);

/** gRPC-Web, which has its trailers in the body: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md */
const grpcWebFraming: Framing = {
  names: grpcFraming.names,
  ending(error, trailers) {
    if (!error && !trailers) return webSuccess;
    const all = error ? withStatus(trailers, error) : appendAll(new Headers(grpcSuccess), trailers);
    return envelope(trailerFlag, trailerSerialize(all));
  },
};

/** The longest wait that client libraries are asked for, in milliseconds. The application decides about longer ones. */
const longestPushbackMs = 10_000;

function joined(trailers: Trailers, error: SentError | undefined): Headers {
  return appendAll(appendAll(new Headers(), trailers), error?.headers);
}

/** Returns the trailers of a failed gRPC or gRPC-Web call, with its status: code, message, details, and when to retry. */
function withStatus(trailers: Trailers, error: SentError): Headers {
  const target = setTrailerStatus(joined(trailers, error), error as unknown as ConnectError);
  target.set("grpc-message", encodeMessage(error.rawMessage));
  const pushbackMs = pushbackOf(error);
  if (pushbackMs !== undefined) target.set("grpc-retry-pushback-ms", String(pushbackMs));
  return target;
}

/**
 * Encodes `%` and characters outside printable ASCII, and nothing else: some clients show the message undecoded.
 * https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md#responses (Percent-Encoded)
 */
function encodeMessage(message: string): string {
  return message.replace(/[^ -$&-~]+/gu, encodeURIComponent);
}

/**
 * Returns the time in milliseconds after which a client library with a retry policy should retry; -1 for never. Without it,
 * libraries retry within a second, and a key with too many refused calls is banned.
 * https://github.com/grpc/proposal/blob/master/A6-client-retries.md#pushback
 */
function pushbackOf({ code, headers }: SentError): number | undefined {
  if (code !== Code.Unavailable && code !== Code.ResourceExhausted) return undefined;
  const seconds = headers["retry-after"];
  // Some calls exceed a limit on every retry, such as those with too large a message.
  if (seconds === undefined) return code === Code.ResourceExhausted ? -1 : undefined;
  const ms = 1_000 * Number(seconds);
  return ms <= longestPushbackMs ? ms : -1;
}

export interface RpcMediaType {
  /** As in a response: complete, and without parameters. */
  readonly name: string;
  readonly protocol: Exclude<Protocol, "http">;
  /** Whether messages are binary protobuf, rather than ProtoJSON. */
  readonly isBinary: boolean;
  readonly names: HeaderNames;
  /** How messages are enveloped; undefined for unary calls of Connect. */
  readonly framing: Framing | undefined;
  readonly form: BodyForm;
}

function typesOf(
  base: string,
  messages: readonly string[],
  common: Pick<RpcMediaType, "protocol" | "framing"> & { readonly form?: BodyForm },
): [name: string, RpcMediaType][] {
  return messages.map((message) => {
    const name = `application/${base}${message || "+proto"}`;
    const names = common.framing?.names ?? unaryNames;
    const type = { form: plain, ...common, name, isBinary: !message.endsWith("json"), names };
    return [`application/${base}${message}`, type];
  });
}

const grpcMessages = ["", "+proto", "+json"];
const grpcWeb = { protocol: "grpc_web", framing: grpcWebFraming } as const;

/**
 * The media types of Connect (https://connectrpc.com/docs/protocol), gRPC
 * (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md) and gRPC-Web
 * (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md), by name.
 */
const types: ReadonlyMap<string, RpcMediaType> = new Map([
  ...typesOf("grpc", grpcMessages, { protocol: "grpc", framing: grpcFraming }),
  ...typesOf("grpc-web", grpcMessages, grpcWeb),
  ...typesOf("grpc-web-text", grpcMessages, { ...grpcWeb, form: base64 }),
  ...typesOf("connect", ["+proto", "+json"], { protocol: "connect", framing: connectFraming }),
  ...typesOf("", ["proto", "json"], { protocol: "connect", framing: undefined }),
]);

export const unaryBinary = types.get("application/proto") as RpcMediaType;
export const unaryJson = types.get("application/json") as RpcMediaType;

/** Returns the media type of an RPC request; undefined for one of no RPC protocol, and for JSON that is not in UTF-8. */
export function rpcMediaTypeOf({ headers }: Exchange): RpcMediaType | undefined {
  const named = mediaTypeOf(headers["content-type"]);
  const type = named && types.get(named.essence);
  return type && (type.isBinary || isUtf8(named)) ? type : undefined;
}
