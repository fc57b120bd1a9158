import type { DescMessage, MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { Code, type ConnectError } from "@connectrpc/connect";
import { callError } from "connect-gateway/call";
import type { ErrorKind } from "connect-gateway/rest";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RetryInfoSchema,
} from "../../gen/google/rpc/error_details_pb.ts";
import { once } from "../common/once.ts";
import { catalogue, expectedOnHand, type Reason, type RpcReason } from "./catalogue.ts";
import type { FieldViolation } from "./validator.ts";

const errorDomain = "inventory";

interface Extras {
  readonly metadata?: Record<string, string>;
  readonly details?: readonly {
    desc: DescMessage;
    value: MessageInitShape<DescMessage>;
  }[];
  readonly headers?: Record<string, string>;
  readonly cause?: unknown;
}

/** Longest text of a request that an error quotes, in characters. gRPC sends errors in headers, which must be short. */
export const longestQuote = 200;

/** Makes an error of the service, with the code of the reason. Its first detail is the google.rpc.ErrorInfo. */
export function serviceError(
  reason: RpcReason,
  message: string,
  extras: Extras = {},
): ConnectError {
  const details = [errorInfo(reason, extras.metadata), ...(extras.details ?? [])];
  const { code } = catalogue[reason];
  const { stackTraceLimit } = Error;
  // Without a stack trace, which would be most of its cost. Its text says everything already.
  Error.stackTraceLimit = 0;
  try {
    return callError(message, code, { headers: extras.headers, details, cause: extras.cause });
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Makes the same from the values that its ErrorInfo has. */
export function errorWith(
  reason: RpcReason,
  message: string,
  values: Readonly<Record<string, string | number | bigint>>,
): ConnectError {
  const texts = Object.entries(values).map(([name, value]) => [name, String(value)]);
  return serviceError(reason, message, { metadata: Object.fromEntries(texts) });
}

function errorInfo(reason: Reason, metadata: Extras["metadata"] = {}) {
  return { desc: ErrorInfoSchema, value: { reason, domain: errorDomain, metadata } };
}

/** Returns the metadata of an error whose first violation is in a field, if the status over HTTP depends on the field. */
export function preconditionOf(field: string): Record<string, string> | undefined {
  return field.endsWith(`.${expectedOnHand}`) ? { precondition: expectedOnHand } : undefined;
}

/** Returns the reason of an error made by this service; undefined for any other error. */
export function reasonOf(error: ConnectError): string | undefined {
  return infoOf(error)?.reason;
}

function infoOf(error: ConnectError): MessageInitShape<typeof ErrorInfoSchema> | undefined {
  const [first] = error.details;
  // The errors of this service have it as their first detail. Connect's search would encode and decode all of them.
  if (first && "desc" in first && first.desc === ErrorInfoSchema) {
    const info = first.value as MessageInitShape<typeof ErrorInfoSchema>;
    if (info.domain === errorDomain) return info;
  }
  return error.findDetails(ErrorInfoSchema).find((info) => info.domain === errorDomain);
}

/** The reasons of errors that the protocols make, by code. */
const protocolReasons: Partial<Record<Code, Reason>> = {
  [Code.InvalidArgument]: "MESSAGE_INVALID",
  [Code.ResourceExhausted]: "MESSAGE_TOO_LARGE",
  [Code.Unimplemented]: "NOT_SUPPORTED",
  [Code.DeadlineExceeded]: "DEADLINE_EXCEEDED",
  [Code.Canceled]: "CLIENT_LEFT",
};

export const errorTerms = {
  kindOf(error: ConnectError): ErrorKind | undefined {
    const info = infoOf(error);
    const reason = info?.reason ?? protocolReasons[error.code];
    const kind = reason === undefined ? undefined : catalogue[reason as Reason];
    return kind && info?.metadata?.precondition ? { ...kind, status: 412 } : kind;
  },
  reasonOf: (error: ConnectError): string => reasonOf(error) ?? protocolReason(error),
};

function protocolReason({ code }: ConnectError): Reason {
  return protocolReasons[code] ?? "INTERNAL";
}

/** Returns the detail that an error of an RPC protocol lacks: its reason. Errors made by this service lack none. */
export function missingDetails(error: ConnectError): ConnectError["details"] {
  return reasonOf(error) === undefined ? [errorInfo(protocolReason(error))] : [];
}

/**
 * Freezes an error, so that its encoded form is cached. Otherwise a flood of refused requests would build and encode
 * one error for each request. Data of a single request must not be part of such an error; it belongs in response
 * headers.
 */
export function shared(error: ConnectError): ConnectError {
  Object.freeze(error.details);
  return Object.freeze(error);
}

/** Returns a function that makes a shared error when it is first called. */
export const sharedOnce = (make: () => ConnectError): (() => ConnectError) =>
  once(() => shared(make()));

/** Returns a function that makes a shared {@link serviceError} when it is first called. */
export const sharedError = (...error: Parameters<typeof serviceError>): (() => ConnectError) =>
  sharedOnce(() => serviceError(...error));

/** Returns the header and the detail with the time after which the client should retry. */
export function retryAfter(seconds: number) {
  return {
    headers: { "retry-after": String(seconds) },
    details: [{ desc: RetryInfoSchema, value: { retryDelay: durationFromMs(seconds * 1000) } }],
  };
}

/** Most violations that an error lists. Others are only counted, because gRPC clients do not accept long trailers. */
const mostViolations = 20;

/** @param violations at least one */
export function fieldsInvalid(violations: readonly FieldViolation[]): ConnectError {
  const fieldViolations = violations.slice(0, mostViolations);
  const next = violations[mostViolations];
  if (next) {
    const [field = ""] = next.field.split(/[.[]/, 1);
    const more = violations.length - mostViolations;
    fieldViolations.push({ field, description: `${more} more values are not valid` });
  }
  return violationsError("FIELD_INVALID", fieldViolations);
}

/** The same for a single field. */
export function fieldInvalid(field: string, description: string): ConnectError {
  return fieldsInvalid([{ field, description }]);
}

/** Returns an error that lists violations, in its message and as google.rpc.BadRequest. @param metadata of its ErrorInfo */
export function violationsError(
  reason: RpcReason,
  fieldViolations: readonly FieldViolation[],
  metadata?: Record<string, string>,
): ConnectError {
  const message = fieldViolations
    .map(({ field, description }) => `${field}: ${description}`)
    .join("; ");
  return serviceError(reason, message, {
    ...(metadata && { metadata }),
    details: [{ desc: BadRequestSchema, value: { fieldViolations } }],
  });
}
