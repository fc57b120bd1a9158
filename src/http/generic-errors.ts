import { Code } from "@connectrpc/connect";
import { codeName } from "../call/rpc-names.ts";

/**
 * A kind of error: its RPC code, when it occurs, its HTTP status, and its code in JSON. Without the last two, they are
 * those of the RPC code. An error that only HTTP has must name them, since it has no RPC code.
 */
export type ErrorKind =
  | readonly [code: Code, when: string, status?: number, word?: string]
  | readonly [code: undefined, when: string, status: number, word: string];

/**
 * The errors that any service has, because the protocols or the checks of messages cause them, by reason. If no RPC
 * code matches the HTTP status, the code in JSON is another word.
 */
export const genericErrors = {
  FIELD_INVALID: [Code.InvalidArgument, "A field of the request is missing or out of bounds."],
  MESSAGE_INVALID: [
    Code.InvalidArgument,
    "The request does not follow the protocol or the API definition.",
  ],
  MESSAGE_TOO_LARGE: [
    Code.ResourceExhausted,
    "The message is larger than `MAX_BODY_BYTES`, or `MAX_BATCH_BODY_BYTES` for a batch.",
    413,
    "payload_too_large",
  ],
  NOT_SUPPORTED: [
    Code.Unimplemented,
    "The method does not exist, or does not support this kind of call.",
  ],
  DEADLINE_EXCEEDED: [Code.DeadlineExceeded, "The deadline of the request has passed."],
  CLIENT_LEFT: [Code.Canceled, "The client has disconnected or cancelled the call."],
  INTERNAL: [
    Code.Internal,
    "The server has a bug, or cannot encode the response. The server log has the details.",
  ],
  PATH_NOT_FOUND: [undefined, "The path does not exist.", 404, "not_found"],
  METHOD_NOT_ALLOWED: [
    undefined,
    "The path does not support the method. `Allow` lists those that it does.",
    405,
    "method_not_allowed",
  ],
  REQUEST_TIMEOUT: [undefined, "The request took too long to arrive.", 408, "deadline_exceeded"],
  OPERATION_ENDED: [undefined, "The operation has passed its sunset date.", 410, "gone"],
  UNSUPPORTED_MEDIA_TYPE: [
    undefined,
    "The media type or content coding of the body is not supported.",
    415,
    "unsupported_media_type",
  ],
  EXPECTATION_FAILED: [
    undefined,
    "`Expect` has another value than `100-continue`.",
    417,
    "expectation_failed",
  ],
  HEADER_FIELDS_TOO_LARGE: [
    undefined,
    "The headers are larger than `MAX_HEADER_BYTES`.",
    431,
    "header_fields_too_large",
  ],
} as const satisfies Readonly<Record<string, ErrorKind>>;

/** The reasons of errors that any service has. */
export type GenericReason = keyof typeof genericErrors;

/**
 * The HTTP status of each RPC code. This is the mapping of google.rpc.Code, except that failed_precondition is 409,
 * because it reports a conflict with the state of the resource.
 */
const statuses: Readonly<Record<Code, number>> = {
  [Code.Canceled]: 499,
  [Code.Unknown]: 500,
  [Code.InvalidArgument]: 400,
  [Code.DeadlineExceeded]: 504,
  [Code.NotFound]: 404,
  [Code.AlreadyExists]: 409,
  [Code.PermissionDenied]: 403,
  [Code.ResourceExhausted]: 429,
  [Code.FailedPrecondition]: 409,
  [Code.Aborted]: 409,
  [Code.OutOfRange]: 400,
  [Code.Unimplemented]: 501,
  [Code.Internal]: 500,
  [Code.Unavailable]: 503,
  [Code.DataLoss]: 500,
  [Code.Unauthenticated]: 401,
};

/** Returns the HTTP status of an RPC code, for errors without a status of their own. */
export function statusOfCode(code: Code): number {
  return statuses[code];
}

/** Returns the HTTP status of a kind of error, and its code in JSON. */
export function httpTerms(kind: ErrorKind): { status: number; code: string } {
  const [code, , status, word] = kind;
  return code === undefined
    ? { status, code: word }
    : { status: status ?? statuses[code], code: word ?? codeName("connect", code) };
}
