import { hasOption } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { deadlineExceeded, optionOf } from "connect-gateway/call";
import { httpErrorFrom } from "connect-gateway/client";
import {
  type ErrorResponse,
  httpError,
  internalError,
  methodNotAllowed,
  payloadTooLarge,
  type Route,
} from "connect-gateway/rest";
import { any_scope, cost, deprecation } from "../../../gen/rules/v1/rules_pb.ts";
import {
  accountDisabled,
  addressNotAllowed,
  keyExpired,
  keyInvalid,
  keyMissing,
  keyRevoked,
  scopeMissing,
} from "../../../src/access/errors.ts";
import { hasLargeMessages } from "../../../src/admission/batch-cost.ts";
import {
  addressLimited,
  batchLimited,
  batchOverLimit,
  keyBanned,
  rateLimited,
} from "../../../src/admission/limit-errors.ts";
import { isRead } from "../../../src/contract/annotations.ts";
import { catalogue, type Reason } from "../../../src/contract/catalogue.ts";
import { withChangeOutcome } from "../../../src/contract/change-outcome.ts";
import { errorTerms } from "../../../src/contract/errors.ts";
import { tagMismatch } from "../../../src/contract/preconditions.ts";
import { serverOverloaded } from "../../../src/contract/server-errors.ts";
import { holdNotFound } from "../../../src/services/holds/errors.ts";
import {
  batchFailed,
  batchUnconditional,
  conditionRequired,
  idempotencyKeyInUse,
  idempotencyKeyRequired,
  idempotencyKeyReused,
  petNotFound,
  versionMismatch,
} from "../../../src/services/inventory/errors.ts";
import { orderNotFound } from "../../../src/services/orders/errors.ts";
import { storeFull, storeUnavailable } from "../../../src/stores/errors.ts";
import { sampleOf } from "../samples/requests.ts";
import type { DocumentedError } from "./generator/response.ts";
import { everyResponse, ofAll, ofFailedChange, ofLimits } from "./headers.ts";

type AnyRoute = Route;
type Is = (route: AnyRoute) => boolean;

const hasBody: Is = ({ bodyReader }) => bodyReader !== undefined;
/** Returns whether a request has a field, in itself or in the elements of a list. */
const hasField = ({ method }: AnyRoute, name: string) =>
  method.desc.input.fields.some(
    (field) =>
      field.name === name ||
      (field.fieldKind === "list" && field.message?.fields.some((inner) => inner.name === name)),
  );
/** A change of the stock. Its request can have an idempotency key. */
const isChange: Is = (route) => hasField(route, "idempotency_key");
/** A change that can have conditions. The others place orders. */
const isConditional: Is = (route) => isChange(route) && hasField(route, "expected_quantity");
/** A change that sets quantities. */
const isSetting: Is = (route) => isConditional(route) && !hasField(route, "delta");
const hasVariable = ({ variables }: AnyRoute, name: string) =>
  variables.some(({ fieldPath }) => fieldPath === name);
/** A request with many items, which counts as several requests. */
const countsItems: Is = ({ method }) => hasOption(method.desc, cost);
const isOfHold: Is = (route) => hasVariable(route, "hold_id");
const putsHold: Is = (route) => isOfHold(route) && hasField(route, "ttl_seconds");
/** A request that can change something. */
const isWrite: Is = ({ method }) => !isRead(method.desc);
const isWatch: Is = ({ lastEventId }) => lastEventId !== undefined;
const isOfOrder: Is = (route) => hasVariable(route, "order_id");
/** A read whose response has an entity tag. */
const isVersionedRead: Is = (route) =>
  !isWrite(route) && route.method.desc.output.fields.some(({ name }) => name === "version");
const hasParametersOnly: Is = (route) =>
  !hasBody(route) && route.method.desc.input.fields.length > 0;
const hasLargeBody: Is = ({ method }) => hasLargeMessages(method.desc);
const hasSmallBody: Is = (route) => hasBody(route) && !hasLargeBody(route);
const ends: Is = ({ method }) => hasOption(method.desc, deprecation);

/**
 * An error with which operations can fail; whether a route can fail with it, by default every route; and the name of its
 * example, if it is not the only one with its reason.
 */
type Cause = readonly [error: ConnectError | ErrorResponse, of?: Is, example?: string];

const mayBeMade = (error: ConnectError) => withChangeOutcome(error) as ConnectError;
const staleRow = {
  reason: "VERSION_MISMATCH",
  field: "updates[3].expectedVersion",
  description: "the version is 1795275631650021",
} as const;

/** The causes of errors of many operations, in the order of their statuses. */
function causesOf(maxBodyBytes: number, maxBatchBodyBytes: number): readonly Cause[] {
  const petIdInvalid = "petId: must be between 1 and 9223372036854775807";
  const mediaType =
    "The request body must be application/json or application/merge-patch+json in UTF-8.";
  return [
    [httpError("FIELD_INVALID", "quantity: is required"), hasBody, "FIELD_MISSING"],
    [httpError("FIELD_INVALID", "quantity: must be between 0 and 2147483647"), hasBody],
    [httpError("FIELD_INVALID", petIdInvalid), hasParametersOnly, "PARAMETER_INVALID"],
    [httpError("MESSAGE_INVALID", "limit: unknown query parameter")],
    [keyMissing()],
    [keyInvalid()],
    [keyRevoked()],
    [keyExpired()],
    [scopeMissing("inventory:read"), ({ method }) => !optionOf(method.desc, any_scope)],
    [addressNotAllowed()],
    [accountDisabled()],
    [petNotFound(404n), (route) => isChange(route) || hasVariable(route, "pet_id")],
    [orderNotFound(404n), isOfOrder],
    [holdNotFound("cart-7"), (route) => isOfHold(route) && !putsHold(route)],
    [methodNotAllowed("GET, HEAD, OPTIONS")],
    [idempotencyKeyInUse("delivery-17"), isChange],
    [httpError("OPERATION_ENDED", "This operation ended on 2027-12-31. Use /v1/inventory."), ends],
    [versionMismatch(1n, 1795275631650021n), isConditional],
    [batchFailed("updates", [staleRow], 0), isConditional, "ROW_VERSION_MISMATCH"],
    [tagMismatch('"1795275631650021"'), isVersionedRead, "TAG_MISMATCH"],
    [payloadTooLarge(maxBodyBytes).error, hasSmallBody],
    [payloadTooLarge(maxBatchBodyBytes).error, hasLargeBody, "BATCH_TOO_LARGE"],
    [httpError("UNSUPPORTED_MEDIA_TYPE", mediaType), hasBody],
    [idempotencyKeyReused("delivery-17"), isChange],
    [conditionRequired(), (route) => isSetting(route) && !countsItems(route)],
    [
      batchUnconditional([3]),
      (route) => isSetting(route) && countsItems(route),
      "ROW_UNCONDITIONAL",
    ],
    [
      idempotencyKeyRequired(),
      (route) => isChange(route) && (!isSetting(route) || countsItems(route)),
    ],
    [rateLimited(24_000, { minute: 60 }), (route) => !countsItems(route)],
    [batchLimited(5, 24_000, { minute: 60 }, "batch"), countsItems, "BATCH_LIMITED"],
    [batchOverLimit(50, [10, "minute"], 200, "batch"), countsItems],
    [keyBanned(61_000)],
    [addressLimited(24_000)],
    [internalError],
    [storeUnavailable(undefined)],
    [mayBeMade(storeUnavailable(undefined)), isWrite, "CHANGE_UNKNOWN"],
    [storeFull(), isWrite],
    [serverOverloaded()],
    [httpError("DEADLINE_EXCEEDED", deadlineExceeded().rawMessage), (route) => !isWrite(route)],
    [mayBeMade(deadlineExceeded()), isWrite, "CHANGE_DEADLINE_EXCEEDED"],
    [
      httpError(
        "REQUEST_TIMEOUT",
        "The request took too long to arrive. Send it again without pauses.",
      ),
    ],
    [
      httpError(
        "EXPECTATION_FAILED",
        "The only supported value of the Expect header is 100-continue.",
      ),
    ],
    [
      httpError(
        "HEADER_FIELDS_TOO_LARGE",
        "The request line and the headers together are too long. Send fewer or shorter headers.",
      ),
    ],
  ];
}

/** Statuses of requests that reach no operation. The document describes them as `default`. */
const beforeOperation: readonly number[] = [408, 417, 431];

/** Statuses of refusals that are remembered with the idempotency key of a change. */
const replayed: readonly number[] = [400, 404, 409, 412, 422];

/** Headers of errors that only changes have. */
const changeHeaders: readonly string[] = [...ofFailedChange, "X-Change-Outcome"];

/** Reasons of a 429 that say when to retry. */
const passing: readonly string[] = ["RATE_LIMITED", "KEY_BANNED", "ADDRESS_LIMITED"];

/** Returns the headers of a response with an error. @param reasons all that it can have */
function headersOf(
  status: number,
  route: AnyRoute,
  reasons: readonly string[],
): DocumentedError["headers"] {
  const outcome = isWrite(route) ? ["X-Change-Outcome"] : [];
  switch (status) {
    case 401:
      return { always: [...everyResponse, "WWW-Authenticate"] };
    case 405:
      return { always: [...everyResponse, "Allow"] };
    case 415:
      return { always: everyResponse, sometimes: ["Accept-Patch", "Accept-Encoding"] };
    case 429:
      return reasons.every((reason) => passing.includes(reason))
        ? { always: [...everyResponse, "Retry-After"] }
        : { always: everyResponse, sometimes: ["Retry-After"] };
    case 503:
      return isWatch(route)
        ? { always: ofAll, sometimes: [...ofLimits, "Retry-After"] }
        : { always: [...ofAll, "Retry-After"], sometimes: [...ofLimits, ...outcome] };
    case 504:
      return { always: [...everyResponse, ...outcome] };
    case 500:
    case 408:
      return { always: ofAll, sometimes: ofLimits };
    default:
      return isChange(route) && replayed.includes(status)
        ? { always: everyResponse, sometimes: ofFailedChange }
        : { always: everyResponse };
  }
}

/** Returns an error as HTTP clients receive it, with the names that its fields have in JSON. */
function inJson(error: ConnectError | ErrorResponse): ErrorResponse {
  const mapped = error instanceof ConnectError ? httpErrorFrom(error, errorTerms) : error;
  const message = mapped.message.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return { ...mapped, message };
}

/**
 * Makes a function that returns the error responses of a route, ordered by status.
 *
 * @param maxBodyBytes the largest request body
 * @param maxBatchBodyBytes the largest request body of an operation that changes many items
 */
export function errorResponses(maxBodyBytes: number, maxBatchBodyBytes: number) {
  const common = causesOf(maxBodyBytes, maxBatchBodyBytes).map(([error, of, example]) => ({
    ...documented(error, example),
    of,
  }));
  return (route: AnyRoute): DocumentedError[] => {
    const own = sampleOf(route.method.desc).errors ?? [];
    const possible = [
      ...own.map(({ error, example }) => documented(error, example)),
      ...common.filter(({ of }) => of?.(route) ?? true),
    ].sort((a, b) => placeOf(a.status) - placeOf(b.status));
    const byStatus = Map.groupBy(possible, ({ status }) =>
      beforeOperation.includes(status) ? "default" : status,
    );
    return [...byStatus].map(([status, some]) => {
      const reasons = [...new Set(some.map(({ reason }) => reason))];
      const texts = [...new Set(some.map(({ when }) => when))];
      const headers = headersOf(status === "default" ? 408 : status, route, reasons);
      return {
        status,
        name: componentName(
          some.map(({ name }) => name),
          headers,
        ),
        isOfOperation: status !== 405 && status !== "default",
        description:
          texts.length === 1 ? texts.join("") : texts.map((text) => `- ${text}`).join("\n"),
        reasons,
        headers,
        examples: Object.fromEntries(some.map(({ name, example }) => [name, example])),
      };
    });
  };
}

/** Returns an error with its example, which has the name of the reason if no other is given. */
function documented(error: ConnectError | ErrorResponse, example?: string) {
  const { status, code, message, reason } = inJson(error);
  const { when } = catalogue[reason as Reason];
  const value = { code, message, status };
  return { status, reason, when, name: example ?? reason, example: { summary: when, value } };
}

/** Returns the place of a status in a list of responses. */
function placeOf(status: number): number {
  return beforeOperation.includes(status) ? 1_000 : status;
}

/** Returns a name for a response that tells what it can be, such as `PetNotFoundOfChange`. */
function componentName(
  examples: readonly string[],
  { always, sometimes = [] }: DocumentedError["headers"],
): string {
  const names = examples.map((example) =>
    example.toLowerCase().replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  );
  const ofChange = [...always, ...sometimes].some((name) => changeHeaders.includes(name));
  return `${names.join("Or")}${ofChange ? "OfChange" : ""}`;
}
