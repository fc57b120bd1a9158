import { Code, type ConnectError } from "@connectrpc/connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";

/**
 * The longest wait that the service asks a client library to make by itself, in milliseconds. After a longer one the
 * application has to decide, because most calls have a shorter deadline.
 */
const longestPushbackMs = 10_000;

/**
 * Writes the status of a failed gRPC or gRPC-Web call: code, message, details, and when to retry.
 *
 * @param target receives the headers, in addition to those that it has
 * @throws URIError when the message has half of a surrogate pair
 */
export function setStatus(target: Headers, error: ConnectError): Headers {
  setTrailerStatus(target, error);
  target.set("grpc-message", encodeMessage(error.rawMessage));
  const pushbackMs = pushbackOf(error);
  if (pushbackMs !== undefined) target.set("grpc-retry-pushback-ms", String(pushbackMs));
  return target;
}

/**
 * Encodes `%` and what is not printable ASCII, and nothing else: some clients show the message as it is sent.
 * https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md#responses (Percent-Encoded)
 */
function encodeMessage(message: string): string {
  return message.replace(/[^ -$&-~]+/gu, encodeURIComponent);
}

/**
 * Returns after how many milliseconds a client library that has a retry policy should try again; -1 when it should
 * not. Without it, a library retries a refused call within a second, and refused calls that are repeated ban a key.
 * https://github.com/grpc/proposal/blob/master/A6-client-retries.md#pushback
 */
function pushbackOf({ code, metadata }: ConnectError): number | undefined {
  if (code !== Code.Unavailable && code !== Code.ResourceExhausted) return undefined;
  const seconds = metadata.get("retry-after");
  // Some calls exceed a bound whenever they are repeated: too large a message, say.
  if (seconds === null) return code === Code.ResourceExhausted ? -1 : undefined;
  const ms = 1_000 * Number(seconds);
  return ms <= longestPushbackMs ? ms : -1;
}
