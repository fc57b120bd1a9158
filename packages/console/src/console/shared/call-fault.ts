import { Code, ConnectError } from "@connectrpc/connect";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RetryInfoSchema,
} from "../../../../../gen/google/rpc/error_details_pb.ts";

/** A failed call, as pages show it. */
export interface CallFault {
  /** What was wrong, and what to do. */
  readonly message: string;
  readonly code: Code;
  /** The stable reason, such as `VERSION_MISMATCH`; undefined when no server has responded. */
  readonly reason: string | undefined;
  /** The id under which the server's log has the request. */
  readonly requestId: string | undefined;
  /** Facts about the error by name, such as `quantity`. */
  readonly facts: Readonly<Record<string, string>>;
  /** What is wrong with fields of the request, by the field's name in the proto. */
  readonly fields: Readonly<Record<string, string>>;
  /** When to try again, in milliseconds from the response. */
  readonly retryAfterMs: number | undefined;
}

/** Describes an error that a call has thrown. */
export function faultOf(error: unknown): CallFault {
  const failure = ConnectError.from(error);
  const [info] = failure.findDetails(ErrorInfoSchema);
  const violations = failure.findDetails(BadRequestSchema).flatMap((each) => each.fieldViolations);
  const [retry] = failure.findDetails(RetryInfoSchema);
  const { seconds = 0n, nanos = 0 } = retry?.retryDelay ?? {};
  return {
    message: info ? failure.rawMessage : unreachableText(failure),
    code: failure.code,
    reason: info?.reason,
    requestId: failure.metadata.get("x-request-id") ?? undefined,
    facts: info?.metadata ?? {},
    fields: Object.fromEntries(violations.map(({ field, description }) => [field, description])),
    retryAfterMs: retry && Number(seconds) * 1_000 + nanos / 1e6,
  };
}

/** Errors without a reason come from the browser or a proxy. Their texts are not written for users. */
function unreachableText({ code, rawMessage }: ConnectError): string {
  if (code === Code.DeadlineExceeded) return "The server did not respond in time. Try again.";
  if (code === Code.Unknown || code === Code.Unavailable) {
    return "The server cannot be reached. Check the connection, then try again.";
  }
  return rawMessage;
}

/** Whether no further call with this key can succeed. */
export function endsSession({ code, reason }: CallFault): boolean {
  return code === Code.Unauthenticated || reason === "ACCOUNT_DISABLED";
}

/** Whether the same call can succeed later. */
export function isTransient({ code, reason, retryAfterMs }: CallFault): boolean {
  return (
    retryAfterMs !== undefined ||
    code === Code.Unavailable ||
    code === Code.DeadlineExceeded ||
    (code === Code.Unknown && reason === undefined)
  );
}

/** Whether the service has counted a failed call against the limits of the account. */
export function isCounted({ code, reason }: CallFault): boolean {
  return reason !== undefined && code !== Code.Unavailable;
}
