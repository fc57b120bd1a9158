import { Code, type ConnectError } from "@connectrpc/connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";

/**
 * The longest wait that the service asks a client library to make, in milliseconds. Most calls have a shorter deadline,
 * so the application has to decide about a longer wait.
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
 * Returns the time in milliseconds after which a client library with a retry policy should retry; -1 for never.
 * Without it, libraries retry within a second, and a key with too many refused calls is banned.
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
