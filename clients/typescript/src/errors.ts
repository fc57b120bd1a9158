import { durationMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RetryInfoSchema,
} from "./gen/google/rpc/error_details_pb.js";
import type { Reason } from "./reason.js";

/** An invalid field of a request. */
export interface FieldViolation {
  /** Path of the field, such as `update.quantity`. */
  readonly field: string;
  readonly description: string;
}

/** The error of every failed call. `cause` is the ConnectError. */
export class InventoryError extends Error {
  override readonly name = "InventoryError";
  /** The code of the RPC, such as `Code.NotFound`. */
  readonly code: Code;
  /**
   * Why the service refused the call. Undefined if the error is not from the service: a lost connection, a timeout of
   * the client, or an error of a proxy. A newer service can send reasons that this version does not list.
   */
  readonly reason: Reason | (string & {}) | undefined;
  /** More about the reason, such as the `petId` of `PET_NOT_FOUND`. */
  readonly metadata: Readonly<Record<string, string>>;
  /** The invalid fields of `FIELD_INVALID`. */
  readonly fieldViolations: readonly FieldViolation[];
  /** Milliseconds after which the service asks for a retry. Undefined if it does not ask for one. */
  readonly retryAfterMs: number | undefined;
  /** Identifies the request in the log of the service. */
  readonly requestId: string | undefined;

  constructor(cause: ConnectError) {
    super(cause.rawMessage, { cause });
    const [info] = cause.findDetails(ErrorInfoSchema);
    const ours = info?.domain === "inventory" ? info : undefined;
    this.code = cause.code;
    this.reason = ours?.reason;
    this.metadata = ours?.metadata ?? {};
    this.fieldViolations = cause.findDetails(BadRequestSchema)[0]?.fieldViolations ?? [];
    this.retryAfterMs = retryAfterMs(cause);
    this.requestId = cause.metadata.get("x-request-id") ?? undefined;
  }
}

/** Converts whatever a call threw to an InventoryError. */
export function toInventoryError(thrown: unknown): InventoryError {
  return thrown instanceof InventoryError ? thrown : new InventoryError(ConnectError.from(thrown));
}

/** Milliseconds to wait before a retry. -1 if the service asks the client not to retry. */
function retryAfterMs(error: ConnectError): number | undefined {
  const pushback = error.metadata.get("grpc-retry-pushback-ms");
  if (pushback !== null) {
    const ms = Number(pushback);
    return ms >= 0 ? ms : -1;
  }
  const [retry] = error.findDetails(RetryInfoSchema);
  if (retry) return retry.retryDelay ? durationMs(retry.retryDelay) : 0;
  return headerMs(error.metadata.get("retry-after"));
}

/** Parses `Retry-After`: seconds or a date. https://www.rfc-editor.org/rfc/rfc9110#field.retry-after */
function headerMs(value: string | null): number | undefined {
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

const uncertain: ReadonlySet<Code> = new Set([
  Code.Unavailable,
  Code.Unknown,
  Code.Internal,
  Code.Canceled,
  Code.DeadlineExceeded,
]);

/** Whether the service may have made a change, although the call failed. */
export function isUncertain({ code, reason, metadata }: InventoryError): boolean {
  if (metadata.changeOutcome !== undefined) return metadata.changeOutcome === "unknown";
  if (reason === "IDEMPOTENCY_KEY_IN_USE") return true;
  return uncertain.has(code) && reason !== "SERVER_OVERLOADED";
}

/** The codes of refusals that come after the look for an earlier attempt, or that an earlier attempt would have got, too. */
const decided: ReadonlySet<Code> = new Set([
  Code.InvalidArgument,
  Code.NotFound,
  Code.AlreadyExists,
  Code.FailedPrecondition,
  Code.Aborted,
]);

/** Adds to the last error of a write that an earlier attempt may have made the change. */
export function afterUncertainAttempt(error: InventoryError): InventoryError {
  const { code, reason, metadata } = error;
  if (reason !== undefined && decided.has(code) && !isUncertain(error)) return error;
  return Object.assign(error, {
    message: `${error.message} An earlier attempt may have made the change.`,
    metadata: { ...metadata, changeOutcome: "unknown" },
  });
}

/** Whether an error is from the network or a proxy. Every error of the service has a reason. */
export function isLostConnection(error: InventoryError): boolean {
  return error.reason === undefined && isUncertain(error);
}
