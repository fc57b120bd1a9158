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
import { envelope } from "./envelope.ts";
import type { SentError } from "./sent-error.ts";

/** The headers of a protocol. */
export interface HeaderNames {
  /** Names the compression of the messages of a request, or of a response. */
  readonly encoding: Lowercase<string>;
  /** Lists the codings that the sender accepts. */
  readonly accepted: Lowercase<string>;
  readonly timeout: Lowercase<string>;
  /** Returns the timeout in milliseconds, or the error of a malformed one. */
  readonly parseTimeout: typeof parseTimeout;
}

/** Unary calls of Connect: https://connectrpc.com/docs/protocol#unary-rpcs */
export const unaryNames: HeaderNames = {
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
export const connectFraming: Framing = {
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
export const grpcWebFraming: Framing = {
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
