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
import { envelope } from "./envelope.ts";

/** The headers of a protocol, in lower case. */
export interface HeaderNames {
  /** Names the compression of the messages of a request, or of a response. */
  readonly encoding: Lowercase<string>;
  /** Lists the codings that the sender accepts. */
  readonly accepted: Lowercase<string>;
  readonly timeout: Lowercase<string>;
  /** Returns the timeout in milliseconds, or the error of a malformed one. */
  readonly parseTimeout: (
    value: string | null,
    maxTimeoutMs: number,
  ) => { readonly timeoutMs?: number; readonly error?: ConnectError };
}

/** Unary calls of Connect: https://connectrpc.com/docs/protocol#unary-rpcs */
export const unaryNames: HeaderNames = {
  encoding: "content-encoding",
  accepted: "accept-encoding",
  timeout: "connect-timeout-ms",
  parseTimeout: parseConnectTimeout,
};

/** How a protocol sends messages in envelopes. */
export interface Framing {
  readonly names: HeaderNames;
  /** The bit of the flags of an envelope that ends a stream; 0 if there is none. */
  readonly endBit: number;
  /**
   * Returns what follows the last message: the last bytes of the body, or the trailers of HTTP.
   *
   * @param error undefined after success
   * @param trailers those that the method has set
   * @throws URIError when the message of the error has a lone surrogate
   */
  ending(error: ConnectError | undefined, trailers: Trailers): Uint8Array | Record<string, string>;
}

type Trailers = Readonly<Record<string, string>> | undefined;

const connectSuccess = envelope(endStreamFlag, "{}");

/** Streams of Connect: https://connectrpc.com/docs/protocol#streaming-rpcs */
export const connectFraming: Framing = {
  names: {
    ...unaryNames,
    encoding: "connect-content-encoding",
    accepted: "connect-accept-encoding",
  },
  endBit: endStreamFlag,
  ending(error, trailers) {
    if (!error && !trailers) return connectSuccess;
    const end = endStreamToJson(new Headers(trailers), error, undefined);
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
  endBit: 0,
  ending(error, trailers) {
    if (error) return Object.fromEntries(setStatus(new Headers(trailers), error));
    return trailers ? { ...grpcSuccess, ...trailers } : grpcSuccess;
  },
};

const webSuccess = envelope(trailerFlag, `${statusHeader}: ${grpcStatusOk}\r\n`);

/** gRPC-Web, which has its trailers in the body: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md */
export const grpcWebFraming: Framing = {
  names: grpcFraming.names,
  endBit: trailerFlag,
  ending(error, trailers) {
    if (!error && !trailers) return webSuccess;
    const all = new Headers(error ? trailers : { ...grpcSuccess, ...trailers });
    return envelope(trailerFlag, trailerSerialize(error ? setStatus(all, error) : all));
  },
};

/**
 * The longest wait that the service asks a client library to make, in milliseconds. Most calls have a shorter deadline, so
 * the application has to decide about a longer wait.
 */
const longestPushbackMs = 10_000;

/**
 * Adds the status of a failed gRPC or gRPC-Web call to headers: code, message, details, and when to retry.
 *
 * @throws URIError when the message has a lone surrogate
 */
export function setStatus(target: Headers, error: ConnectError): Headers {
  setTrailerStatus(target, error);
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
function pushbackOf({ code, metadata }: ConnectError): number | undefined {
  if (code !== Code.Unavailable && code !== Code.ResourceExhausted) return undefined;
  const seconds = metadata.get("retry-after");
  // Some calls exceed a limit on every retry, such as those with too large a message.
  if (seconds === null) return code === Code.ResourceExhausted ? -1 : undefined;
  const ms = 1_000 * Number(seconds);
  return ms <= longestPushbackMs ? ms : -1;
}
