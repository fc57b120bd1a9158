import { hasOption } from "@bufbuild/protobuf";
import { cost, deprecation } from "../../gen/rules/v1/rules_pb.ts";
import {
  addressLimited,
  batchLimited,
  batchOverLimit,
  batchRefused,
  httpStatusOf,
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
import { everyAnswer, ofRefusedChange } from "./headers.ts";

const hasBody = ({ bodyReader }: Route<never>) => bodyReader !== undefined;
/** A change of the stock: it can name itself, so that a repetition is known. */
const isChange = ({ method }: Route<never>) =>
  method.desc.input.fields.some(({ name }) => name === "idempotency_key");
/** A request that counts as several when it has many items. */
const countsItems = ({ method }: Route<never>) => hasOption(method.desc, cost);
const isWatch = ({ lastEventId }: Route<never>) => lastEventId !== undefined;
const isDeprecated = ({ method }: Route<never>) => hasOption(method.desc, deprecation);

/**
 * Every error that an operation can answer with, in the order of their statuses.
 *
 * @param maxBodyBytes the largest request body
 */
export function errorResponses(maxBodyBytes: number): ErrorResponse[] {
  return [
    {
      status: 400,
      name: "BadRequest",
      description:
        "The path or the query holds an invalid value, or a parameter that is not known.",
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
      headers: { always: everyAnswer, sometimes: ofRefusedChange },
      examples: {
        missing: invalid("A required member is missing.", "quantity: is required"),
        outOfBounds: invalid("A value is out of bounds.", "quantity: must be at least 0"),
      },
      appliesTo: hasBody,
    },
    {
      status: 401,
      name: "Unauthorized",
      description: "The API key is missing or not valid.",
      headers: { always: [...everyAnswer, "WWW-Authenticate"] },
      examples: ofCatalogue(keyMissing(), keyInvalid(), keyRevoked(), keyExpired()),
    },
    {
      status: 403,
      name: "Forbidden",
      description: "The API key lacks the scope that the operation needs.",
      headers: { always: everyAnswer },
      examples: ofCatalogue(scopeMissing("inventory:read")),
    },
    {
      status: 404,
      name: "NotFound",
      description: "The requested resource could not be found.",
      headers: { always: everyAnswer, sometimes: ofRefusedChange },
      examples: ofCatalogue(petNotFound(404n), orderNotFound(404n)),
      appliesTo: (route) => route.variables.length > 0 || isChange(route),
    },
    {
      status: 405,
      name: "MethodNotAllowed",
      description: "What the path answers to a method that it does not have.",
      headers: { always: [...everyAnswer, "Allow"] },
      ofOperation: false,
      examples: { method: example("Another method.", methodNotAllowed("GET, HEAD, OPTIONS")) },
    },
    {
      status: 409,
      name: "Conflict",
      description: "What is in stock does not allow the change, or is not what was expected.",
      headers: { always: everyAnswer, sometimes: ofRefusedChange },
      examples: {
        ...ofCatalogue(stockTooSmall(1n, 13, 12), quantityMismatch(1n, 12)),
        ...ofCatalogue(idempotencyKeyInUse("delivery-17")),
      },
      appliesTo: isChange,
    },
    {
      status: 410,
      name: "Gone",
      description: "The operation is past its sunset.",
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
      headers: { always: everyAnswer },
      examples: ofCatalogue(watchExpired()),
      appliesTo: isWatch,
    },
    {
      status: 412,
      name: "PreconditionFailed",
      description:
        "The version is not one that `If-Match` or `expectedVersion` accepts: somebody has changed the item. Nothing was changed.",
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
            httpStatusOf,
          ),
        ),
      },
      appliesTo: isChange,
    },
    {
      status: 413,
      name: "PayloadTooLarge",
      description: `The body is larger than ${maxBodyBytes} bytes.`,
      headers: { always: everyAnswer },
      examples: { size: example("Too large.", payloadTooLarge(maxBodyBytes).error) },
      appliesTo: hasBody,
    },
    {
      status: 415,
      name: "UnsupportedMediaType",
      description: "The body's media type or content coding is not understood.",
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
      headers: { always: everyAnswer, sometimes: ofRefusedChange },
      examples: ofCatalogue(idempotencyKeyReused("delivery-17")),
      appliesTo: isChange,
    },
    {
      status: 429,
      name: "TooManyRequests",
      description:
        "The rate limit is exceeded. Wait for as long as `Retry-After` says, and longer at each repetition: keys that go on regardless are banned for a while.",
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
        "The rate limit is exceeded, or would be: the request counts as several, as `x-cost` says, and is refused whole when not all of them fit. Wait for as long as `Retry-After` says. Without `Retry-After` the request can never fit: send fewer items.",
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
      headers: { always: [], sometimes: everyAnswer },
      examples: { internal: example("A fault of the service.", httpErrorFrom(undefined)) },
    },
    {
      status: 503,
      name: "Unavailable",
      description:
        "The store can't be reached or does not answer in time. The limit headers are sent where the limits are known.",
      headers: { always: ["Retry-After"], sometimes: [...everyAnswer, ...ofRefusedChange] },
      examples: ofCatalogue(storeUnavailable(undefined)),
      appliesTo: (route) => !isWatch(route),
    },
    {
      status: 503,
      name: "UnavailableOrFull",
      description:
        "The store can't be reached or does not answer in time, the server is shutting down, or it has too many open watches. The limit headers are sent where the limits are known.",
      headers: { always: [], sometimes: [...everyAnswer, "Retry-After"] },
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
      headers: { always: [], sometimes: everyAnswer },
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
