import { hasOption } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { ConnectError } from "@connectrpc/connect";
import { any_scope, cost, deprecation } from "../../../gen/rules/v1/rules_pb.ts";
import { HoldState, StoreService } from "../../../gen/store/v1/store_pb.ts";
import { hasLargeMessages } from "../../access/admission/batch-cost.ts";
import {
  addressLimited,
  batchLimited,
  batchOverLimit,
  keyBanned,
  rateLimited,
} from "../../access/admission/limit-errors.ts";
import {
  accountDisabled,
  addressNotAllowed,
  keyExpired,
  keyInvalid,
  keyMissing,
  keyRevoked,
  scopeMissing,
} from "../../access/errors.ts";
import { deadlineExceeded } from "../../call/deadline.ts";
import { optionOf } from "../../call/option.ts";
import { present } from "../../call/present.ts";
import { catalogue, type Reason } from "../../contract/catalogue.ts";
import { withChangeOutcome } from "../../contract/change-outcome.ts";
import { errorTerms, reasonOf } from "../../contract/errors.ts";
import { tagMismatch } from "../../contract/preconditions.ts";
import { serverDraining } from "../../contract/server-errors.ts";
import {
  type ErrorResponse,
  httpError,
  httpErrorFrom,
  internalError,
} from "../../http/error-response.ts";
import { httpTerms } from "../../http/generic-errors.ts";
import { methodNotAllowed, payloadTooLarge } from "../../http/http-failure.ts";
import type { Route } from "../../rest/path/route.ts";
import {
  holdActive,
  holdEnded,
  holdLimitReached,
  holdNotFound,
  holdRefused,
  orderLimitReached,
} from "../../services/holds/errors.ts";
import {
  batchRefused,
  batchUnconditional,
  changeTooLarge,
  conditionRequired,
  idempotencyKeyInUse,
  idempotencyKeyRequired,
  idempotencyKeyReused,
  petNotFound,
  quantityMismatch,
  stockTooSmall,
  versionMismatch,
} from "../../services/inventory/errors.ts";
import { orderNotFound, orderStatusConflict, stockTooLarge } from "../../services/orders/errors.ts";
import {
  watchCapacityReached,
  watchExpired,
  watchLimitReached,
} from "../../services/watch/errors.ts";
import { storeFull, storeUnavailable } from "../../stores/errors.ts";
import type { JsonObject } from "./generator/json.ts";
import type { DocumentedError } from "./generator/response.ts";
import { everyResponse, ofAll, ofFailedChange, ofLimits } from "./headers.ts";

const hasBody = ({ bodyReader }: Route<never>) => bodyReader !== undefined;
/** Returns whether a request has a field, in itself or in the elements of a list. */
const hasField = ({ method }: Route<never>, name: string) =>
  method.desc.input.fields.some(
    (field) =>
      field.name === name ||
      (field.fieldKind === "list" && field.message?.fields.some((inner) => inner.name === name)),
  );
/** A change of the stock. Its request can have an idempotency key. */
const isChange = (route: Route<never>) => hasField(route, "idempotency_key");
/** A change that can have conditions. The others place orders. */
const isConditional = (route: Route<never>) =>
  isChange(route) && hasField(route, "expected_quantity");
/** A change by deltas, so the new quantity can be out of bounds. */
const isAdjustment = (route: Route<never>) => hasField(route, "delta");
/** A change that sets quantities. */
const isSetting = (route: Route<never>) => isConditional(route) && !isAdjustment(route);
const hasValues = ({ method }: Route<never>) => method.desc.input.fields.length > 0;
const needsScope = ({ method }: Route<never>) => !optionOf(method.desc, any_scope);
const hasVariable = ({ variables }: Route<never>, name: string) =>
  variables.some(({ fieldPath }) => fieldPath === name);
/** A request with many items, which counts as several requests. */
const countsItems = ({ method }: Route<never>) => hasOption(method.desc, cost);
const isOfHold = (route: Route<never>) => hasVariable(route, "hold_id");
const putsHold = (route: Route<never>) => isOfHold(route) && hasField(route, "ttl_seconds");
const { placeOrder, confirmHold } = StoreService.method;
const placesOrders = ({ method }: Route<never>) =>
  method.desc === placeOrder || method.desc === confirmHold;
/** A request that can change something. */
const isWrite = ({ method }: Route<never>) =>
  method.desc.idempotency !== MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
/** A request whose response has an entity tag. */
const hasVersion = ({ method }: Route<never>) =>
  method.desc.output.fields.some(({ name }) => name === "version");
const isWatch = ({ lastEventId }: Route<never>) => lastEventId !== undefined;
const isDeprecated = ({ method }: Route<never>) => hasOption(method.desc, deprecation);

/** Returns an error as an Example Object. */
function example(
  summary: string,
  { code, message, status }: Omit<ErrorResponse, "reason">,
): JsonObject {
  return { summary, value: { code, message, status } };
}

/** Returns an error of the catalogue as an Example Object. */
function exampleOf(summary: string, error: unknown): JsonObject {
  return example(summary, httpErrorFrom(error, errorTerms));
}

/** The same, with the names that its fields have in JSON. */
function exampleInJson(summary: string, error: ConnectError): JsonObject {
  const { message, ...mapped } = httpErrorFrom(error, errorTerms);
  const inJson = message.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return example(summary, { ...mapped, message: inJson });
}

/** Returns an example of a 400 response. */
function invalid(summary: string, message: string): JsonObject {
  return example(summary, httpError("FIELD_INVALID", message));
}

const unknownParameter = invalid("An unknown parameter.", "limit: unknown query parameter");

const ofRefusedKey = [keyBanned(61_000), addressLimited(24_000)];

const minuteLimited = rateLimited(24_000, { minute: 60 });

const unknownItem = { index: 0, refusal: { kind: "no_pet" } } as const;
const shortItem = { index: 0, refusal: { kind: "too_small", quantity: 12 } } as const;

const ofChange = { always: everyResponse, sometimes: ofFailedChange };

/** What is written about an error response. By default, it has the headers of every response. */
interface Documentation extends Partial<DocumentedError> {
  /** By default the status of its reasons. */
  readonly status?: "default";
  readonly description: string;
  /** Examples that come from the catalogue, and by default the reasons. */
  readonly ofCatalogue?: readonly ConnectError[];
  readonly reasons?: readonly Reason[];
}

function documented(name: string, { ofCatalogue = [], ...own }: Documentation): DocumentedError {
  const kinds = ofCatalogue.map((error) => ({ reason: reasonOf(error) as Reason, error }));
  const reasons = own.reasons ?? kinds.map(({ reason }) => reason);
  const [status, ...others] = new Set(reasons.map((each) => httpTerms(catalogue[each]).status));
  if (!own.status && (status === undefined || others.length > 0)) {
    throw new Error(`${name}: the reasons have no common status`);
  }
  const examples = Object.fromEntries(
    kinds.map(({ reason, error }) => [reason, exampleOf(catalogue[reason].when, error)]),
  );
  return {
    name,
    status: present(status, `the reasons of ${name}`),
    headers: { always: everyResponse },
    ...own,
    reasons,
    examples: { ...examples, ...own.examples },
  };
}

const strict = "The write policy of the account is strict.";

const lastKnownLimits =
  "If the request was not counted, the rate limit headers are those of the previous response to the key, or absent.";

function tooLarge(maxBytes: number): Documentation {
  return {
    description: `The body is larger than ${maxBytes} bytes.`,
    reasons: ["MESSAGE_TOO_LARGE"],
    examples: { size: example("Too large.", payloadTooLarge(maxBytes).error) },
  };
}

/** Documents a 429 that another limit can cause, too. @param without what a response without Retry-After means */
function tooMany(
  without: string,
  ofCatalogue: readonly ConnectError[],
  appliesTo: DocumentedError["appliesTo"],
  exceeded = "The rate limit is exceeded: wait",
): Documentation {
  return {
    description: `${exceeded} for the time in \`Retry-After\`. Without \`Retry-After\`, ${without}`,
    headers: { always: everyResponse, sometimes: ["Retry-After"] },
    ofCatalogue,
    ...(appliesTo && { appliesTo }),
  };
}

/** Documents a 429 of a request that counts as several. @param others the errors of other limits */
function tooManyItems(
  without: string,
  ofItems: readonly ConnectError[],
  others: readonly ConnectError[],
  appliesTo: DocumentedError["appliesTo"],
): Documentation {
  const exceeded =
    "The rate limit is exceeded, or this request would exceed it: it counts as several requests (see `x-cost`) and is rejected as a whole. Wait";
  return tooMany(without, [...ofItems, ...ofRefusedKey, ...others], appliesTo, exceeded);
}

/**
 * Returns all error responses, ordered by status.
 *
 * @param maxBodyBytes the largest request body
 * @param maxBatchBodyBytes the largest request body of an operation that changes many items
 */
export function errorResponses(maxBodyBytes: number, maxBatchBodyBytes: number): DocumentedError[] {
  const documentation: Readonly<Record<string, Documentation>> = {
    BadRequest: {
      description: "The path or the query has an invalid value or an unknown parameter.",
      reasons: ["FIELD_INVALID", "MESSAGE_INVALID"],
      examples: { unknownParameter },
      appliesTo: (route) => !hasBody(route) && hasValues(route),
    },
    UnknownParameter: {
      description: "The query has a parameter, but the operation takes none.",
      reasons: ["MESSAGE_INVALID"],
      examples: { unknownParameter },
      appliesTo: (route) => !hasBody(route) && !hasValues(route),
    },
    InvalidBody: {
      description:
        "A required member is missing, or the body, path, query or headers have an invalid value or an unknown member. `message` names each.",
      reasons: ["FIELD_INVALID", "MESSAGE_INVALID"],
      headers: ofChange,
      examples: {
        missing: invalid("A required member is missing.", "quantity: is required"),
        outOfBounds: invalid(
          "A value is out of bounds.",
          "quantity: must be between 0 and 2147483647",
        ),
      },
      appliesTo: hasBody,
    },
    Unauthorized: {
      description: "The API key is missing or not valid.",
      headers: { always: [...everyResponse, "WWW-Authenticate"] },
      ofCatalogue: [keyMissing(), keyInvalid(), keyRevoked(), keyExpired()],
    },
    Forbidden: {
      description:
        "The API key lacks the scope that the operation needs, or cannot be used from the client's address, or its account is disabled. `X-Error-Reason` says which.",
      ofCatalogue: [scopeMissing("inventory:read"), addressNotAllowed(), accountDisabled()],
      appliesTo: needsScope,
    },
    KeyRefused: {
      description:
        "The API key cannot be used from the client's address, or its account is disabled. `X-Error-Reason` says which.",
      ofCatalogue: [addressNotAllowed(), accountDisabled()],
      appliesTo: (route) => !needsScope(route),
    },
    PetNotFound: {
      description: "There is no such pet.",
      headers: ofChange,
      ofCatalogue: [petNotFound(404n)],
      appliesTo: (route) => isChange(route) || hasVariable(route, "pet_id"),
    },
    OrderNotFound: {
      description: "The account has no such order.",
      ofCatalogue: [orderNotFound(404n)],
      appliesTo: (route) => hasVariable(route, "order_id"),
    },
    HoldNotFound: {
      description: "The account has no such hold.",
      ofCatalogue: [holdNotFound("cart-7")],
      appliesTo: (route) => isOfHold(route) && !putsHold(route),
    },
    HeldPetNotFound: {
      description: "There is no such pet.",
      reasons: ["PET_NOT_FOUND"],
      examples: {
        PET_NOT_FOUND: exampleInJson(
          catalogue.PET_NOT_FOUND.when,
          holdRefused({ kind: "refused", refusals: [unknownItem], total: 1 }, [404n]),
        ),
      },
      appliesTo: putsHold,
    },
    MethodNotAllowed: {
      description: "The path does not support the method.",
      reasons: ["METHOD_NOT_ALLOWED"],
      headers: { always: [...everyResponse, "Allow"] },
      ofOperation: false,
      examples: { method: example("Another method.", methodNotAllowed("GET, HEAD, OPTIONS")) },
    },
    Conflict: {
      description:
        "The quantity is not the expected one, or a request with the same idempotency key is being processed.",
      headers: ofChange,
      ofCatalogue: [quantityMismatch(1n, 12), idempotencyKeyInUse("delivery-17")],
      appliesTo: isSetting,
    },
    ConflictOrStock: {
      description:
        "The quantity would leave its bounds or is not the expected one, or a request with the same idempotency key is being processed.",
      headers: ofChange,
      ofCatalogue: [
        stockTooSmall(1n, 13, 12),
        changeTooLarge(1n, 2_147_483_647, 12, 0),
        quantityMismatch(1n, 12),
        idempotencyKeyInUse("delivery-17"),
      ],
      appliesTo: isAdjustment,
    },
    ConflictOrTooFew: {
      description:
        "The stock is too small, or a request with the same idempotency key is being processed.",
      headers: ofChange,
      ofCatalogue: [stockTooSmall(1n, 13, 12), idempotencyKeyInUse("delivery-17")],
      appliesTo: (route) => isChange(route) && !isConditional(route),
    },
    OrderConflict: {
      description: "The order was delivered, or the stock would be too large.",
      ofCatalogue: [
        orderStatusConflict(1793611800000417n, "delivered"),
        stockTooLarge(1793611800000417n),
      ],
      appliesTo: (route) => isWrite(route) && hasVariable(route, "order_id"),
    },
    HoldEnded: {
      description: "The hold has ended in another way.",
      ofCatalogue: [holdEnded("cart-7", HoldState.EXPIRED)],
      appliesTo: (route) => isWrite(route) && isOfHold(route) && !putsHold(route),
    },
    HoldConflict: {
      description: "The hold is confirmed, or the stock is too small.",
      ofCatalogue: [
        holdEnded("cart-7", HoldState.CONFIRMED),
        holdRefused({ kind: "refused", refusals: [shortItem], total: 1 }, [1n]),
      ],
      appliesTo: putsHold,
    },
    Gone: {
      description: "The operation is past its sunset.",
      reasons: ["OPERATION_ENDED"],
      examples: {
        gone: example(
          "Past its sunset.",
          httpError("OPERATION_ENDED", "This operation ended on 2027-12-31. Use /v1/inventory."),
        ),
      },
      appliesTo: isDeprecated,
    },
    Expired: {
      description:
        "The changes after the resume token are no longer available. Start over without a token.",
      ofCatalogue: [watchExpired()],
      appliesTo: isWatch,
    },
    PreconditionFailed: {
      description:
        "The version is not one that `If-Match`, `If-None-Match`, or an `expectedVersion` in a batch accepts. Nothing was changed.",
      ofCatalogue: [versionMismatch(1n, 1795275631650021n)],
      headers: ofChange,
      examples: {
        row: exampleOf(
          "Rows of a batch.",
          batchRefused(
            "updates",
            [
              {
                reason: "VERSION_MISMATCH",
                field: "updates[3].expectedVersion",
                description: "the version is 1795275631650021",
              },
            ],
            0,
          ),
        ),
      },
      appliesTo: isConditional,
    },
    HoldIsActive: {
      description: "The hold is active, and the request has `If-None-Match: *`.",
      ofCatalogue: [holdActive("cart-7")],
      appliesTo: putsHold,
    },
    OtherVersion: {
      description: "The content has none of the entity tags in `If-Match`.",
      ofCatalogue: [tagMismatch('"1795275631650021"')],
      appliesTo: (route) => !isWrite(route) && hasVersion(route),
    },
    PayloadTooLarge: {
      ...tooLarge(maxBodyBytes),
      appliesTo: (route) => hasBody(route) && !hasLargeMessages(route.method.desc),
    },
    BatchTooLarge: {
      ...tooLarge(maxBatchBodyBytes),
      appliesTo: ({ method }) => hasLargeMessages(method.desc),
    },
    UnsupportedMediaType: {
      description: "The media type or content coding of the body is not supported.",
      reasons: ["UNSUPPORTED_MEDIA_TYPE"],
      headers: { always: everyResponse, sometimes: ["Accept-Patch", "Accept-Encoding"] },
      examples: {
        mediaType: example(
          "Another media type.",
          httpError(
            "UNSUPPORTED_MEDIA_TYPE",
            "The request body must be application/json or application/merge-patch+json in UTF-8.",
          ),
        ),
      },
      appliesTo: hasBody,
    },
    UnprocessableContent: {
      description: "The idempotency key was used with another request in the last 24 hours.",
      headers: ofChange,
      ofCatalogue: [idempotencyKeyReused("delivery-17")],
      appliesTo: isChange,
    },
    ConditionRequired: {
      description: `${strict} Send \`If-Match\` or \`expectedQuantity\`.`,
      reasons: ["CONDITION_REQUIRED"],
      examples: {
        condition: exampleInJson(catalogue.CONDITION_REQUIRED.when, conditionRequired()),
      },
      appliesTo: (route) => isSetting(route) && !countsItems(route),
    },
    ConditionOrKeyRequired: {
      description: `${strict} Send \`expectedVersion\` or \`expectedQuantity\` in each update, and \`Idempotency-Key\`.`,
      reasons: ["CONDITION_REQUIRED", "IDEMPOTENCY_KEY_REQUIRED"],
      ofCatalogue: [idempotencyKeyRequired()],
      examples: { row: exampleInJson("Rows of a batch.", batchUnconditional([3])) },
      appliesTo: (route) => isSetting(route) && countsItems(route),
    },
    IdempotencyKeyRequired: {
      description: `${strict} Send \`Idempotency-Key\`.`,
      ofCatalogue: [idempotencyKeyRequired()],
      appliesTo: (route) => isChange(route) && !isSetting(route),
    },
    TooManyRequests: {
      description:
        "The rate limit is exceeded. Wait for the time in `Retry-After`, and longer after each repetition. Keys that do not wait are banned for a while.",
      headers: { always: [...everyResponse, "Retry-After"] },
      ofCatalogue: [minuteLimited, ...ofRefusedKey],
      appliesTo: (route) => !countsItems(route) && !isWatch(route) && !placesOrders(route),
    },
    TooManyRequestsOrOrders: tooMany(
      "the account has too many open orders: cancel some, or have some delivered, first.",
      [minuteLimited, ...ofRefusedKey, orderLimitReached(100_000)],
      (route) => placesOrders(route) && !countsItems(route),
    ),
    TooManyRequestsOrItemsOrOrders: tooManyItems(
      "the account would have too many open orders, or the request is too large for the whole limit.",
      [batchLimited(5, 24_000, { minute: 60 }), batchOverLimit(5, 4, "minute", 80)],
      [orderLimitReached(100_000)],
      (route) => placesOrders(route) && countsItems(route),
    ),
    TooManyRequestsOrItems: tooManyItems(
      "the request can count as more than the whole limit: send fewer items.",
      [batchLimited(50, 24_000, { minute: 60 }), batchOverLimit(50, 10, "minute", 200)],
      [],
      (route) => countsItems(route) && !putsHold(route) && !placesOrders(route),
    ),
    TooManyRequestsOrHolds: tooManyItems(
      "the account has too many active holds, or the request is too large for the whole limit.",
      [batchLimited(5, 24_000, { minute: 60 }), batchOverLimit(5, 4, "minute", 80)],
      [holdLimitReached("4gx8v4rmv6ph")],
      putsHold,
    ),
    TooManyRequestsOrWatches: tooMany(
      "the API key or the account has too many open watches: close one first.",
      [minuteLimited, ...ofRefusedKey, watchLimitReached("key", 100)],
      isWatch,
    ),
    InternalError: {
      description: "An internal error of the service.",
      reasons: ["INTERNAL"],
      headers: { always: ofAll, sometimes: ofLimits },
      examples: { internal: example("An internal error.", internalError) },
    },
    Unavailable: {
      description: `The database cannot be reached or does not respond in time, or the server is overloaded. ${lastKnownLimits}`,
      reasons: ["STORE_UNAVAILABLE", "SERVER_OVERLOADED"],
      headers: { always: [...ofAll, "Retry-After"], sometimes: ofLimits },
      ofCatalogue: [storeUnavailable(undefined)],
      appliesTo: (route) => !isWrite(route) && !isWatch(route),
    },
    UnavailableOrUncertain: {
      description: `The database cannot be reached, does not respond in time or is full, or the server is overloaded. \`X-Change-Outcome\` says whether the change may have been made. ${lastKnownLimits}`,
      reasons: ["STORE_UNAVAILABLE", "STORE_FULL", "SERVER_OVERLOADED"],
      headers: {
        always: [...ofAll, "Retry-After"],
        sometimes: [...ofLimits, "X-Change-Outcome"],
      },
      ofCatalogue: [storeUnavailable(undefined), storeFull()],
      examples: {
        uncertain: exampleOf(
          "The change may have been made.",
          withChangeOutcome(storeUnavailable(undefined)),
        ),
      },
      appliesTo: isWrite,
    },
    UnavailableOrFull: {
      description: `The database cannot be reached or does not respond in time, or the server is overloaded, is shutting down or has too many open watches. ${lastKnownLimits}`,
      reasons: [
        "STORE_UNAVAILABLE",
        "SERVER_OVERLOADED",
        "SERVER_DRAINING",
        "WATCH_CAPACITY_REACHED",
      ],
      headers: { always: ofAll, sometimes: [...ofLimits, "Retry-After"] },
      ofCatalogue: [storeUnavailable(undefined), serverDraining(), watchCapacityReached(10_000)],
      appliesTo: isWatch,
    },
    DeadlineExceeded: {
      description: "The timeout in `X-Server-Timeout` (seconds) has expired.",
      reasons: ["DEADLINE_EXCEEDED"],
      examples: {
        deadline: example(
          "The timeout has expired.",
          httpError("DEADLINE_EXCEEDED", "The deadline of the request has passed."),
        ),
      },
      appliesTo: (route) => !isWrite(route),
    },
    DeadlineOfChangeExceeded: {
      description:
        "The timeout in `X-Server-Timeout` (seconds) has expired. `X-Change-Outcome` says whether the change may have been made.",
      reasons: ["DEADLINE_EXCEEDED"],
      headers: { always: [...everyResponse, "X-Change-Outcome"] },
      examples: {
        deadline: exampleOf("The timeout has expired.", withChangeOutcome(deadlineExceeded())),
      },
      appliesTo: isWrite,
    },
    OtherError: {
      status: "default",
      description:
        "Other errors: 408 when the request takes too long to arrive, 417 when `Expect` has an unsupported value, 431 when the headers are too large.",
      reasons: ["REQUEST_TIMEOUT", "EXPECTATION_FAILED", "HEADER_FIELDS_TOO_LARGE"],
      headers: { always: ofAll, sometimes: ofLimits },
      ofOperation: false,
      examples: {
        headerFields: example(
          "Too many headers.",
          httpError(
            "HEADER_FIELDS_TOO_LARGE",
            "The request line and the headers together are too long. Send fewer or shorter headers.",
          ),
        ),
      },
    },
  };
  return Object.entries(documentation).map(([name, own]) => documented(name, own));
}
