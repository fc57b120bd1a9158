import { Code, type ConnectError } from "@connectrpc/connect";
import type { HeaderValues } from "../call/call-error.ts";
import { notPromise } from "../call/guard.ts";
import { sentHeaders } from "../call/headers.ts";
import { lastResort, publicError } from "../call/public-error.ts";
import { abridge } from "../call/quote.ts";
import { withoutEncoding } from "./compression.ts";

export interface ErrorOptions {
  /** Returns the details that an error should have and does not; empty for an error that the service has made. */
  readonly missingDetails: (error: ConnectError) => ConnectError["details"];
  /** Returns the stable reason of an error that is sent, for the record of the request. */
  readonly reasonOf?: (error: ConnectError) => string;
  /** Called with every error that is not a ConnectError, which is a bug. */
  readonly onFault: (error: unknown) => void;
}

/** An error as it is sent. Connect's functions take it for a ConnectError of another server, whose headers they do not send. */
export interface SentError extends Pick<ConnectError, "code" | "details"> {
  /** Without lone surrogates, which UTF-8 cannot encode. */
  readonly rawMessage: string;
  readonly isWireError: true;
  /** By name in lower case, without those of the protocols. */
  readonly headers: HeaderValues;
}

/**
 * The longest message of an error that the service has not made, in characters. Such a message can quote the request. gRPC
 * sends it in a header, with up to 9 bytes a character, and many clients accept only 8 KiB of headers.
 */
const longestMessage = 500;

/**
 * Returns what is sent for an error, with the missing details, and the code and reason for the record. Leaves the error unchanged, because it may be frozen or used again.
 *
 * @throws any error of the functions that the options have
 */
export function toFailure(error: unknown, { missingDetails, reasonOf, onFault }: ErrorOptions) {
  const shown = publicError(error, onFault);
  const { code, rawMessage, details } = shown;
  const isLast = shown === lastResort;
  const missing = isLast ? [] : notPromise(missingDetails(shown), "missingDetails");
  const message = missing.length === 0 ? rawMessage : abridge(rawMessage, longestMessage);
  const sent: SentError = {
    // gRPC requires internal for a compressed message without an encoding
    // (https://github.com/grpc/grpc/blob/master/doc/compression.md), and Connect's conformance suite requires it for streams.
    code: rawMessage === withoutEncoding ? Code.Internal : code,
    rawMessage: message.toWellFormed(),
    details: missing.length === 0 ? details : [...details, ...missing],
    isWireError: true,
    headers: sentHeaders(shown),
  };
  const reason = isLast ? "INTERNAL" : notPromise(reasonOf?.(shown), "terms.reasonOf");
  return { sent, code, reason };
}
