import { hasOption } from "@bufbuild/protobuf";
import { cost, deprecation } from "../../gen/rules/v1/rules_pb.ts";
import {
  addressLimited,
  adjustmentTooLarge,
  batchLimited,
  batchOverLimit,
  batchRefused,
  changeUncertain,
  errorTerms,
  idempotencyKeyInUse,
  idempotencyKeyReused,
  keyBanned,
  keyExpired,
  keyInvalid,
  keyMissing,
  keyRevoked,
  orderNotFound,
  petNotFound,
  quantityMismatch,
  rateLimited,
  scopeMissing,
  serverDraining,
  stockTooSmall,
  storeUnavailable,
  versionMismatch,
  watchCapacityReached,
  watchExpired,
  watchLimitReached,
} from "../errors.ts";
import { httpErrorFrom } from "../rest/http-error.ts";
import { methodNotAllowed, payloadTooLarge } from "../rest/http-failure.ts";
import type { ErrorResponse } from "../rest/openapi-response.ts";
import type { Route } from "../rest/route.ts";
import { example, invalid, ofCatalogue } from "./error-examples.ts";
import { everyAnswer, ofAll, ofLimits, ofRefusedChange } from "./headers.ts";

const hasBody = ({ bodyReader }: Route<never>) => bodyReader !== undefined;
/** A change of the stock: it can name itself, so that a repetition is known. */
const isChange = ({ method }: Route<never>) =>
  method.desc.input.fields.some(({ name }) => name === "idempotency_key");
/** A change by an amount: the quantity can leave its bounds. */
const isAdjustment = ({ method }: Route<never>) =>
  method.desc.input.fields.some(({ name }) => name === "delta");
const hasVariable = ({ variables }: Route<never>, name: string) =>
  variables.some(({ fieldPath }) => fieldPath === name);
/** A request that counts as several when it has many items. */
const countsItems = ({ method }: Route<never>) => hasOption(method.desc, cost);
const isWatch = ({ lastEventId }: Route<never>) => lastEventId !== undefined;
const isDeprecated = ({ method }: Route<never>) => hasOption(method.desc, deprecation);

const lastKnownLimits =
  "A request that was refused before it was counted has the limit headers of the last response to the key, if the server still knows them.";

function tooLarge(name: string, maxBytes: number): ErrorResponse {
  return {
    status: 413,
    name,
    description: `The body is larger than ${maxBytes} bytes.`,
    reasons: ["MESSAGE_TOO_LARGE"],
    headers: { always: everyAnswer },
    examples: { size: example("Too large.", payloadTooLarge(maxBytes).error) },
  };
}

/**
 * Every error that an operation can answer with, in the order of their statuses.
 *
 * @param maxBodyBytes the largest request body
 * @param maxBatchBodyBytes the largest request body of an operation that changes many items
 */
export function errorResponses(maxBodyBytes: number, maxBatchBodyBytes: number): ErrorResponse[] {
  return [
    {
      status: 400,
      name: "BadRequest",
      description:
        "The path or the query holds an invalid value, or a parameter that is not known.",
      reasons: ["FIELD_INVALID", "MESSAGE_INVALID"],
      headers: { always: everyAnswer },
      examples: {
        unknownParameter: invalid(
          "A parameter that is not known.",
          "limit: no such query parameter",
        ),
      },
      appliesTo: (route) => !hasBody(route),
    },
    {
      status: 400,
      name: "InvalidBody",
      description:
        "The body is missing required members, or the body, path, query or header section holds invalid values or members that are not known. `message` names each.",
      reasons: ["FIELD_INVALID", "MESSAGE_INVALID"],
      headers: { always: everyAnswer, sometimes: ofRefusedChange },
      examples: {
        missing: invalid("A required member is missing.", "quantity: is required"),
        outOfBounds: invalid(
          "A value is out of bounds.",
          "quantity: must be between 0 and 2147483647",
        ),
      },
      appliesTo: hasBody,
    },
    {
      status: 401,
      name: "Unauthorized",
      description: "The API key is missing or not valid.",
      reasons: ["KEY_MISSING", "KEY_INVALID", "KEY_REVOKED", "KEY_EXPIRED"],
      headers: { always: [...everyAnswer, "WWW-Authenticate"] },
      examples: ofCatalogue(keyMissing(), keyInvalid(), keyRevoked(), keyExpired()),
    },
    {
      status: 403,
      name: "Forbidden",
      description: "The API key lacks the scope that the operation needs.",
      reasons: ["SCOPE_MISSING"],
      headers: { always: everyAnswer },
      examples: ofCatalogue(scopeMissing("inventory:read")),
    },
    {
      status: 404,
      name: "PetNotFound",
      description: "There is no such pet.",
      reasons: ["PET_NOT_FOUND"],
      headers: { always: everyAnswer, sometimes: ofRefusedChange },
      examples: ofCatalogue(petNotFound(404n)),
      appliesTo: (route) => isChange(route) || hasVariable(route, "pet_id"),
    },
    {
      status: 404,
      name: "OrderNotFound",
      description: "The account has no such order.",
      reasons: ["ORDER_NOT_FOUND"],
      headers: { always: everyAnswer },
      examples: ofCatalogue(orderNotFound(404n)),
      appliesTo: (route) => hasVariable(route, "order_id"),
    },
    {
      status: 405,
      name: "MethodNotAllowed",
      description: "What the path answers to a method that it does not have.",
      reasons: ["METHOD_NOT_ALLOWED"],
      headers: { always: [...everyAnswer, "Allow"] },
      ofOperation: false,
      examples: { method: example("Another method.", methodNotAllowed("GET, HEAD, OPTIONS")) },
    },
    {
      status: 409,
      name: "Conflict",
      description:
        "The quantity is not the expected one, or a request with the same idempotency key is being processed.",
      reasons: ["QUANTITY_MISMATCH", "IDEMPOTENCY_KEY_IN_USE"],
      headers: { always: everyAnswer, sometimes: ofRefusedChange },
      examples: ofCatalogue(quantityMismatch(1n, 12), idempotencyKeyInUse("delivery-17")),
      appliesTo: (route) => isChange(route) && !isAdjustment(route),
    },
    {
      status: 409,
      name: "ConflictOrStock",
      description:
        "The quantity would leave its bounds or is not the expected one, or a request with the same idempotency key is being processed.",
      reasons: [
        "STOCK_TOO_SMALL",
        "STOCK_TOO_LARGE",
        "QUANTITY_MISMATCH",
        "IDEMPOTENCY_KEY_IN_USE",
      ],
      headers: { always: everyAnswer, sometimes: ofRefusedChange },
      examples: ofCatalogue(
        stockTooSmall(1n, 13, 12),
        adjustmentTooLarge(1n, 2_147_483_647, 12),
        quantityMismatch(1n, 12),
        idempotencyKeyInUse("delivery-17"),
      ),
      appliesTo: isAdjustment,
    },
    {
      status: 410,
      name: "Gone",
      description: "The operation is past its sunset.",
      reasons: ["OPERATION_ENDED"],
      headers: { always: everyAnswer },
      examples: {
        gone: example("Past its sunset.", {
          status: 410,
          code: "gone",
          message: "This operation ended on 2027-12-31. Use /v1/inventory.",
        }),
      },
      appliesTo: isDeprecated,
    },
    {
      status: 410,
      name: "Expired",
      description: "What the client has missed is not remembered any more: it has to start over.",
      reasons: ["WATCH_EXPIRED"],
      headers: { always: everyAnswer },
      examples: ofCatalogue(watchExpired()),
      appliesTo: isWatch,
    },
    {
      status: 412,
      name: "PreconditionFailed",
      description:
        "The version is not one that `If-Match`, `If-None-Match`, or the `expectedVersion` of an update in a batch accepts. Nothing was changed.",
      reasons: ["VERSION_MISMATCH"],
      headers: { always: everyAnswer, sometimes: ofRefusedChange },
      examples: {
        ...ofCatalogue(versionMismatch(1n, 1795275631650021n)),
        row: example(
          "Rows of a batch.",
          httpErrorFrom(
            batchRefused(
              [
                {
                  reason: "VERSION_MISMATCH",
                  field: "updates[3].expectedVersion",
                  description: "the version is 1795275631650021",
                },
              ],
              0,
            ),
            errorTerms,
          ),
        ),
      },
      appliesTo: isChange,
    },
    {
      ...tooLarge("PayloadTooLarge", maxBodyBytes),
      appliesTo: (route) => hasBody(route) && !countsItems(route),
    },
    { ...tooLarge("BatchTooLarge", maxBatchBodyBytes), appliesTo: countsItems },
    {
      status: 415,
      name: "UnsupportedMediaType",
      description: "The body's media type or content coding is not understood.",
      reasons: ["UNSUPPORTED_MEDIA_TYPE"],
      headers: { always: everyAnswer, sometimes: ["Accept-Patch", "Accept-Encoding"] },
      examples: {
        mediaType: example("Another media type.", {
          status: 415,
          code: "unsupported_media_type",
          message:
            "the request body must be application/json or application/merge-patch+json in UTF-8",
        }),
      },
      appliesTo: hasBody,
    },
    {
      status: 422,
      name: "UnprocessableContent",
      description: "The idempotency key was used with another request in the last 24 hours.",
      reasons: ["IDEMPOTENCY_KEY_REUSED"],
      headers: { always: everyAnswer, sometimes: ofRefusedChange },
      examples: ofCatalogue(idempotencyKeyReused("delivery-17")),
      appliesTo: isChange,
    },
    {
      status: 429,
      name: "TooManyRequests",
      description:
        "The rate limit is exceeded. Wait for as long as `Retry-After` says, and longer at each repetition: keys that go on regardless are banned for a while.",
      reasons: ["RATE_LIMITED", "KEY_BANNED", "ADDRESS_LIMITED"],
      headers: { always: [...everyAnswer, "Retry-After"] },
      examples: ofCatalogue(
        rateLimited(24_000, { minute: 60 }),
        keyBanned(61_000),
        addressLimited(24_000),
      ),
      appliesTo: (route) => !countsItems(route) && !isWatch(route),
    },
    {
      status: 429,
      name: "TooManyRequestsOrItems",
      description:
        "The rate limit is exceeded, or this request would exceed it: it counts as several requests, as `x-cost` says, and is refused as a whole. Wait for as long as `Retry-After` says. Without `Retry-After` the request exceeds the whole limit: send fewer items.",
      reasons: ["RATE_LIMITED", "BATCH_OVER_LIMIT", "KEY_BANNED", "ADDRESS_LIMITED"],
      headers: { always: everyAnswer, sometimes: ["Retry-After"] },
      examples: ofCatalogue(
        batchLimited(50, 24_000, { minute: 60 }),
        batchOverLimit(50, 10, "minute", 200),
        keyBanned(61_000),
        addressLimited(24_000),
      ),
      appliesTo: countsItems,
    },
    {
      status: 429,
      name: "TooManyRequestsOrWatches",
      description:
        "The rate limit is exceeded: wait for as long as `Retry-After` says. Or, without `Retry-After`, the API key or the account has too many open watches: close one first.",
      reasons: ["RATE_LIMITED", "KEY_BANNED", "ADDRESS_LIMITED", "WATCH_LIMIT_REACHED"],
      headers: { always: everyAnswer, sometimes: ["Retry-After"] },
      examples: ofCatalogue(
        rateLimited(24_000, { minute: 60 }),
        keyBanned(61_000),
        addressLimited(24_000),
        watchLimitReached("key", 100),
      ),
      appliesTo: isWatch,
    },
    {
      status: 500,
      name: "InternalError",
      description: "The service has a fault.",
      reasons: ["INTERNAL"],
      headers: { always: ofAll, sometimes: ofLimits },
      examples: { internal: example("A fault of the service.", httpErrorFrom(undefined)) },
    },
    {
      status: 503,
      name: "Unavailable",
      description: `The store cannot be reached or does not answer in time, or the server is overloaded. ${lastKnownLimits}`,
      reasons: ["STORE_UNAVAILABLE", "SERVER_OVERLOADED"],
      headers: { always: [...ofAll, "Retry-After"], sometimes: ofLimits },
      examples: ofCatalogue(storeUnavailable(undefined)),
      appliesTo: (route) => !isChange(route) && !isWatch(route),
    },
    {
      status: 503,
      name: "UnavailableOrUncertain",
      description: `The store cannot be reached or does not answer in time, or the server is overloaded. The change may have been made if \`message\` says so. ${lastKnownLimits}`,
      reasons: ["STORE_UNAVAILABLE", "SERVER_OVERLOADED"],
      headers: { always: [...ofAll, "Retry-After"], sometimes: ofLimits },
      examples: {
        ...ofCatalogue(storeUnavailable(undefined)),
        uncertain: example(
          "The change may have been made.",
          httpErrorFrom(changeUncertain(storeUnavailable(undefined)), errorTerms),
        ),
      },
      appliesTo: isChange,
    },
    {
      status: 503,
      name: "UnavailableOrFull",
      description: `The store cannot be reached or does not answer in time, or the server is overloaded, is shutting down or has too many open watches. ${lastKnownLimits}`,
      reasons: [
        "STORE_UNAVAILABLE",
        "SERVER_OVERLOADED",
        "SERVER_DRAINING",
        "WATCH_CAPACITY_REACHED",
      ],
      headers: { always: ofAll, sometimes: [...ofLimits, "Retry-After"] },
      examples: ofCatalogue(
        storeUnavailable(undefined),
        serverDraining(),
        watchCapacityReached(10_000),
      ),
      appliesTo: isWatch,
    },
    {
      status: 504,
      name: "DeadlineExceeded",
      description: "The time is over that the request has allowed in `X-Server-Timeout` (seconds).",
      reasons: ["DEADLINE_EXCEEDED"],
      headers: { always: everyAnswer },
      examples: {
        deadline: example("The time is over.", {
          status: 504,
          code: "deadline_exceeded",
          message: "the deadline of the request has passed",
        }),
      },
    },
    {
      status: "default",
      name: "OtherError",
      description:
        "Anything else that is wrong with a request: 408 when it takes too long to arrive, 417 for an expectation that is not supported, 431 when its header section is too large.",
      reasons: ["REQUEST_TIMEOUT", "EXPECTATION_FAILED", "HEADER_FIELDS_TOO_LARGE"],
      headers: { always: ofAll, sometimes: ofLimits },
      ofOperation: false,
      examples: {
        headerFields: example("Too many header fields.", {
          status: 431,
          code: "header_fields_too_large",
          message: "request line and header fields together are too long",
        }),
      },
    },
  ];
}
