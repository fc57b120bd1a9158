import { create, type JsonValue, type Registry, toJson } from "@bufbuild/protobuf";
import { AnySchema, anyPack } from "@bufbuild/protobuf/wkt";
import type { ConnectError } from "@connectrpc/connect";
import type { HeaderValues } from "../call/call-error.ts";
import { notPromise } from "../call/guard.ts";
import { checkValue, sentHeaders } from "../call/headers.ts";
import { internalErrorMessage, isPublic, lastResort } from "../call/public-error.ts";
import { codeName } from "../call/rpc-names.ts";
import { type ErrorKind, type GenericReason, genericErrors, httpTerms } from "./generic-errors.ts";

/** An error as HTTP clients receive it. */
export interface ErrorResponse {
  /** HTTP status, 400 to 599. */
  readonly status: number;
  /** The stable identifier in the header `X-Error-Reason`, such as `PET_NOT_FOUND`. More precise than the code. */
  readonly reason: string;
  /** A Connect code in snake_case, or the name of an HTTP status that no Connect code maps to. */
  readonly code: string;
  /** A human-readable message that says what was wrong and what to do. It must not contain private data. */
  readonly message: string;
  /** Messages with their types in `@type`, as in google.rpc.Status. */
  readonly details?: readonly JsonValue[] | undefined;
  /** Headers of this error, such as `allow`, by name in lower case. */
  readonly headers?: HeaderValues;
}

export const errorReasonHeader = "x-error-reason";

/** Returns the body of an error: `{"code","message","status"}`, in this order, and `details` if it has any. */
export function errorBody({ code, message, status, details }: ErrorResponse): string {
  return JSON.stringify({ code, message, status, details }, details && wellFormed);
}

/** Replaces lone surrogates of texts with U+FFFD. Only details can have them, and most errors have none. */
function wellFormed(_: string, value: unknown): unknown {
  return typeof value === "string" ? value.toWellFormed() : value;
}

/** Makes an error that any service has, as HTTP clients receive it. @param headers by name in lower case */
export function httpError(
  reason: GenericReason,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): ErrorResponse {
  return { ...httpTerms(genericErrors[reason]), reason, message, headers };
}

/** A bug, as clients receive it. */
export const internalError = httpError("INTERNAL", internalErrorMessage);

/** How a service maps its errors to HTTP, in addition to their codes. */
export interface ErrorTerms {
  /** Returns the kind of an error; undefined when its code says everything. */
  readonly kindOf?: (error: ConnectError) => ErrorKind | undefined;
  /** Returns the reason of an error. Without it, the reason is the code in capitals. */
  readonly reasonOf?: (error: ConnectError) => string;
  /** The types of details that clients get. By default none, because a detail can be meant for RPC clients only. */
  readonly registry?: Registry | undefined;
}

/** Maps an error to HTTP. An error that is not a ConnectError, or whose code is none, is a bug: it becomes a 500 that does not show the cause. */
export function httpErrorFrom(
  error: unknown,
  { kindOf, reasonOf, registry }: ErrorTerms = {},
): ErrorResponse {
  if (!isPublic(error) || error === lastResort) return internalError;
  const own = notPromise(reasonOf?.(error), "terms.reasonOf");
  const reason = own ?? codeName("connect", error.code).toUpperCase();
  checkValue(errorReasonHeader, reason);
  return {
    ...httpTerms(notPromise(kindOf?.(error), "terms.kindOf") ?? error),
    reason,
    message: error.rawMessage.toWellFormed(),
    details: registry && detailsOf(error, registry),
    headers: sentHeaders(error),
  };
}

/** Returns the details of known types, without malformed ones of another server; undefined when there are none. */
function detailsOf(error: ConnectError, registry: Registry): readonly JsonValue[] | undefined {
  const details = error.details.flatMap((detail) => {
    const isOutgoing = "desc" in detail;
    if (!registry.getMessage(isOutgoing ? detail.desc.typeName : detail.type)) return [];
    const any = isOutgoing
      ? anyPack(detail.desc, create(detail.desc, detail.value))
      : create(AnySchema, { typeUrl: `type.googleapis.com/${detail.type}`, value: detail.value });
    try {
      return [toJson(AnySchema, any, { registry })];
    } catch (reason) {
      if (isOutgoing) throw reason;
      return [];
    }
  });
  return details.length > 0 ? details : undefined;
}

/** An error with a known HTTP status. */
export class HttpFailure extends Error {
  readonly error: ErrorResponse;

  constructor(error: ErrorResponse) {
    super(error.message);
    this.error = error;
  }
}

export const noSuchPath = Object.freeze(
  httpError("PATH_NOT_FOUND", "No resource exists at this path. Check the URL."),
);

/** 405. @param allow the methods that the path supports, as in the Allow header */
export function methodNotAllowed(allow: string): ErrorResponse {
  const message = `This path does not support the method of the request. Use one of ${allow}.`;
  return httpError("METHOD_NOT_ALLOWED", message, { allow });
}

/** 413. @param maxBytes the largest allowed body, in bytes */
export function payloadTooLarge(maxBytes: number): HttpFailure {
  const message = `The request body must not be larger than ${maxBytes} bytes.`;
  return new HttpFailure(httpError("MESSAGE_TOO_LARGE", message));
}

/** 415. @param headers the Accept, Accept-Patch or Accept-Encoding header with what the path accepts */
export function unsupportedMediaType(
  message: string,
  headers: Readonly<Record<string, string>>,
): HttpFailure {
  return new HttpFailure(httpError("UNSUPPORTED_MEDIA_TYPE", message, headers));
}
