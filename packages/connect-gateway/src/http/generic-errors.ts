import { Code } from "@connectrpc/connect";
import { codeToHttpStatus } from "@connectrpc/connect/protocol-connect";
import { codeName } from "../call/rpc-names.ts";

/** A kind of error. */
export type ErrorKind = RpcErrorKind | HttpErrorKind;

interface RpcErrorKind {
  readonly code: Code;
  /** When the error occurs, for the docs. */
  readonly when: string;
  /** HTTP status; by default that of the RPC code. */
  readonly status?: number;
  /** The code in JSON; by default the name of the RPC code. */
  readonly word?: string;
}

/** An error that only HTTP has. */
interface HttpErrorKind extends Required<Omit<RpcErrorKind, "code">> {
  readonly code?: undefined;
}

/**
 * The errors that any service has, because the protocols or the checks of messages cause them, by reason. If no RPC
 * code matches the HTTP status, the code in JSON is another word.
 */
export const genericErrors = {
  FIELD_INVALID: {
    code: Code.InvalidArgument,
    when: "A field of the request is missing or out of bounds.",
  },
  MESSAGE_INVALID: {
    code: Code.InvalidArgument,
    when: "The request does not follow the protocol or the API definition.",
  },
  MESSAGE_TOO_LARGE: {
    code: Code.ResourceExhausted,
    when: "The message is larger than the server or the method allows.",
    status: 413,
    word: "payload_too_large",
  },
  NOT_SUPPORTED: {
    code: Code.Unimplemented,
    when: "The method does not exist, or the service does not support the kind of call or its compression.",
  },
  DEADLINE_EXCEEDED: {
    code: Code.DeadlineExceeded,
    when: "The deadline of the request has passed.",
  },
  CLIENT_LEFT: { code: Code.Canceled, when: "The client has disconnected or cancelled the call." },
  INTERNAL: {
    code: Code.Internal,
    when: "The server has a bug, or cannot encode the response. The server log has the details.",
  },
  PATH_NOT_FOUND: { when: "The path does not exist.", status: 404, word: "not_found" },
  METHOD_NOT_ALLOWED: {
    when: "The path does not support the method. `Allow` lists those that it does.",
    status: 405,
    word: "method_not_allowed",
  },
  REQUEST_TIMEOUT: {
    when: "The request took too long to arrive.",
    status: 408,
    word: "deadline_exceeded",
  },
  OPERATION_ENDED: { when: "The operation has passed its sunset date.", status: 410, word: "gone" },
  UNSUPPORTED_MEDIA_TYPE: {
    when: "The media type or content coding of the body is not supported.",
    status: 415,
    word: "unsupported_media_type",
  },
  EXPECTATION_FAILED: {
    when: "`Expect` has another value than `100-continue`.",
    status: 417,
    word: "expectation_failed",
  },
  HEADER_FIELDS_TOO_LARGE: {
    when: "The URL and the headers together are larger than the server allows. Over HTTP/2, each header counts 32 bytes more, and the stream may be reset with `ENHANCE_YOUR_CALM` instead.",
    status: 431,
    word: "header_fields_too_large",
  },
} as const satisfies Readonly<Record<string, ErrorKind>>;

export type GenericReason = keyof typeof genericErrors;

/**
 * Returns the HTTP status of a kind of error, and its code in JSON. The status of an RPC code is that of google.rpc.Code, but
 * failed_precondition is 409, a conflict with the resource.
 */
export function httpTerms({
  code = Code.Unknown,
  status = code === Code.FailedPrecondition ? 409 : codeToHttpStatus(code),
  word = codeName("connect", code),
}: Omit<RpcErrorKind, "when"> | HttpErrorKind): { status: number; code: string } {
  return { status, code: word };
}
