import { Code, ConnectError } from "@connectrpc/connect";
import { keptIfFrozen } from "../http/kept.ts";

/** An error as the JSON-over-HTTP interface tells it. */
export interface HttpError {
  /** HTTP status, 400 to 599. */
  readonly status: number;
  /** Stable and more precise than the code, such as `PET_NOT_FOUND`: the header `X-Error-Reason`. */
  readonly reason: string;
  /** Machine-readable: a Connect code in snake_case, or the word of a status that no code has. */
  readonly code: string;
  /** For people: what was wrong and what to do. Never private. */
  readonly message: string;
  /** Header fields that go with this error, such as Allow. Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The header of every error that has its reason. */
export const errorReasonHeader = "x-error-reason";

/** The body of every error: `{"code","message","status"}`, in this order. */
export const httpErrorBody = keptIfFrozen(({ code, message, status }: HttpError): string =>
  JSON.stringify({ code, message, status }),
);

/**
 * HTTP status and code word of each RPC code.
 * google.rpc.Code's mapping, save failed_precondition: 409, the state of the resource is in the way.
 */
const byCode: Readonly<Record<Code, readonly [status: number, code: string]>> = {
  [Code.Canceled]: [499, "canceled"],
  [Code.Unknown]: [500, "unknown"],
  [Code.InvalidArgument]: [400, "invalid_argument"],
  [Code.DeadlineExceeded]: [504, "deadline_exceeded"],
  [Code.NotFound]: [404, "not_found"],
  [Code.AlreadyExists]: [409, "already_exists"],
  [Code.PermissionDenied]: [403, "permission_denied"],
  [Code.ResourceExhausted]: [429, "resource_exhausted"],
  [Code.FailedPrecondition]: [409, "failed_precondition"],
  [Code.Aborted]: [409, "aborted"],
  [Code.OutOfRange]: [400, "out_of_range"],
  [Code.Unimplemented]: [501, "unimplemented"],
  [Code.Internal]: [500, "internal"],
  [Code.Unavailable]: [503, "unavailable"],
  [Code.DataLoss]: [500, "data_loss"],
  [Code.Unauthenticated]: [401, "unauthenticated"],
};

/** The HTTP status of an RPC code, where an error has no status of its own. */
export function statusOfCode(code: Code): number {
  return byCode[code][0];
}

/** What a service knows of its errors beyond their codes. */
export interface ErrorTerms {
  /** Returns the HTTP status of an error that has one of its own; undefined where its code's will do. */
  readonly statusOf?: (error: ConnectError) => number | undefined;
  /** Returns the reason of an error. Without it, the reason is the code in capitals. */
  readonly reasonOf?: (error: ConnectError) => string;
}

/**
 * Maps an RPC error to HTTP. Anything that is not a ConnectError is a bug: it becomes a 500 that says
 * nothing of its cause.
 */
export function httpErrorFrom(error: unknown, { statusOf, reasonOf }: ErrorTerms = {}): HttpError {
  if (!(error instanceof ConnectError)) {
    return { status: 500, reason: "INTERNAL", code: "internal", message: "internal error" };
  }
  const [status, code] = byCode[error.code];
  const headers: Record<string, string> = {};
  error.metadata.forEach((value, name) => {
    headers[name] = value;
  });
  return {
    status: statusOf?.(error) ?? status,
    reason: reasonOf?.(error) ?? code.toUpperCase(),
    code,
    message: error.rawMessage,
    headers,
  };
}
