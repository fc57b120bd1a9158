/** What describes JSON over HTTP: routes, fields, JSON and errors, such as for an OpenAPI document. */
export { integerRanges } from "./call/annotations.ts";
export {
  type ErrorResponse,
  httpError,
  internalError,
  methodNotAllowed,
  payloadTooLarge,
} from "./http/error-response.ts";
export { type ErrorKind, genericErrors, httpTerms } from "./http/generic-errors.ts";
export { describe, InvalidInput, MalformedJson } from "./http/invalid-input.ts";
export { isForRequests, shortNames, unspecifiedNumber } from "./rest/binding/enum-names.ts";
export { lastField, messageBehind } from "./rest/binding/field-path.ts";
export { fieldsInJson } from "./rest/binding/message-field.ts";
export { textParser } from "./rest/binding/scalar-text.ts";
export { createJsonCodec } from "./rest/json/codec.ts";
export { httpJsonStyle, protoJsonStyle, rpcJsonStyle } from "./rest/json/style.ts";
export type { PathVariable } from "./rest/path/path-variable.ts";
export { compileRoutes, type Route } from "./rest/path/route.ts";
export { ndjson, serverSentEvents } from "./rest/response/stream-format.ts";
