import type { DescMessage, DescMethod } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { BadRequestSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { notPromise } from "../call/guard.ts";
import { ownHeaders } from "../call/headers.ts";
import type { Method } from "../call/method.ts";
import { lastResort, publicError } from "../call/public-error.ts";
import { setCacheControl, varyOn } from "../http/content/caching.ts";
import { type ContentCoding, decompressionFault, requestCoding } from "../http/content/coding.ts";
import type { Content } from "../http/content/content.ts";
import { sendNegotiated } from "../http/content/send-content.ts";
import {
  type ErrorResponse,
  type ErrorTerms,
  errorBody,
  errorReasonHeader,
  HttpFailure,
  httpError,
  httpErrorFrom,
  methodNotAllowed,
  noSuchPath,
  payloadTooLarge,
} from "../http/error-response.ts";
import { readBody } from "../http/exchange/body.ts";
import type { Exchange } from "../http/exchange/exchange.ts";
import { HttpContext, trySend } from "../http/http-context.ts";
import { describe, InvalidInput, OutOfBounds } from "../http/invalid-input.ts";
import {
  failCall,
  type InterfaceOptions,
  type Packed,
  type Piece,
  ProtocolContext,
} from "../http/protocol.ts";
import { removeBodyHeaders, sendError, unbuffered } from "../http/send-error.ts";
import { serveCall } from "../http/serve-call.ts";
import { bindRequest } from "./binding/binding.ts";
import { type AnyMessage, contentTypeOf, setField } from "./binding/message-field.ts";
import { checkBodyHeaders, optionsHeaders } from "./binding/request-body.ts";
import type { Route } from "./path/route.ts";
import type { Match, RouteMatch } from "./path/router.ts";
import { eventIdOf } from "./response/event-id.ts";
import { nextPageLink } from "./response/next-page.ts";
import { chooseStreamFormat, type StreamFormat } from "./response/stream-format.ts";

/** Rules for all responses of a method. Headers of the connection and of the body are ignored. */
export interface Policy {
  /** Headers of every response. */
  readonly headers: Readonly<Record<string, string>>;
  /** An error to send instead of calling the method, such as 410 after a sunset. */
  readonly refusal?: ErrorResponse;
}

export interface RestOptions extends InterfaceOptions {
  /** Returns the policy of a method. Called for each request, so the result can change over time. */
  readonly policy?: ((method: DescMethod) => Policy | undefined) | undefined;
  /** Statuses, codes and headers of the errors that the service defines. */
  readonly errorTerms: ErrorTerms;
  /** Maps the error of a request that is refused before its call begins. */
  readonly refusalOf: (error: ConnectError) => ErrorResponse;
}

const nothing = new Uint8Array(0);
const noBody: Packed = { data: nothing, coding: undefined };

export class RestContext extends ProtocolContext {
  readonly match: RouteMatch;
  readonly options: RestOptions;
  /** An error to send instead of calling the method. */
  policyError: ErrorResponse | undefined = undefined;
  format: StreamFormat | undefined = undefined;

  constructor(match: RouteMatch, options: RestOptions, response: Exchange) {
    super(match.route.method.desc, response);
    this.match = match;
    this.options = options;
    response.record.operation = match.route.operation;
  }

  serve(): Promise<void> | undefined {
    try {
      this.policyError = this.applyPolicy();
    } catch (error) {
      failCall(this, error, 0);
      return undefined;
    }
    return serveCall(this);
  }

  override refuse(error: unknown): void {
    refuse(this, error);
  }

  /** Sets the headers of the method's policy. @returns its refusal */
  applyPolicy(): ErrorResponse | undefined {
    const policy = notPromise(this.options.policy?.(this.method), "policy");
    if (!policy) return undefined;
    this.response.setHeaders(ownHeaders(policy.headers));
    const { refusal } = policy;
    if (!refusal) return undefined;
    const headers = ownHeaders({ ...refusal.headers, [errorReasonHeader]: refusal.reason });
    return { ...refusal, headers };
  }

  get served(): Method {
    return this.match.route.method;
  }

  /** @throws HttpFailure 415 or 413; InvalidInput when the route takes no body */
  checkHeaders(): void {
    if (this.policyError) throw new HttpFailure(this.policyError);
    const { response } = this;
    if (response.declaredLength !== 0) {
      checkBodyHeaders(this.match.route, response, this.maxMessageBytes);
    }
    this.checkTimeout();
  }

  readBody(): Uint8Array | Promise<Uint8Array> {
    const { response, maxMessageBytes } = this;
    if (response.declaredLength === 0) return nothing;
    return readBody(response, maxMessageBytes, () => payloadTooLarge(maxMessageBytes));
  }

  unpack(data: Uint8Array): Packed {
    if (data.length === 0) return noBody;
    return { data, coding: requestCoding(this.response.headers["content-encoding"]) };
  }

  decompressionFault(error: unknown, coding: ContentCoding): HttpFailure | InvalidInput {
    return decompressionFault(error, coding, this.maxMessageBytes);
  }

  decode(body: Uint8Array): AnyMessage {
    const { method, lastEventId } = this.match.route;
    const { headers } = this.response;
    const message = bindRequest(this.match, body, headers["content-type"]);
    const id = lastEventId && headers["last-event-id"];
    if (id) {
      // Browsers send it when they reconnect with the URL of the first request, which is checked, too.
      notPromise(method.check(message, this), "guards.message of a method with an event id");
      setField(message, lastEventId, String(id));
    }
    return message;
  }

  encode(message: AnyMessage): Content | Promise<Content> {
    const { paging, responseWriter } = this.match.route;
    const link = paging && nextPageLink(paging, this.response.url ?? "/", message);
    if (link !== undefined) this.response.setHeader("link", link);
    return responseWriter.content(message);
  }

  send(content: Content): void | Promise<void> {
    return sendNegotiated(this.response, content, this);
  }

  override get canBeginEarly(): boolean {
    return !this.match.route.responseWriter.raw || this.response.method === "HEAD";
  }

  override begin(first: AnyMessage | undefined): void {
    const { response } = this;
    const { raw } = this.match.route.responseWriter;
    setCacheControl(response);
    const headers: Record<string, string> = { [unbuffered[0]]: unbuffered[1] };
    if (raw) {
      if (first) headers["content-type"] = contentTypeOf(raw(first));
    } else {
      this.format = chooseStreamFormat(response.headers.accept);
      headers["content-type"] = this.format.mediaType;
      varyOn("accept", response);
    }
    response.writeHead(200, headers);
  }

  override encodeNext(message: AnyMessage, index: number): Piece {
    const { raw, text, eventId } = this.match.route.responseWriter;
    if (raw) return raw(message).data;
    return this.format?.message(text(message), index, eventIdOf(message, eventId)) ?? "";
  }

  override complete(count: number): void {
    const text = this.format?.end(count);
    // No empty text: over HTTP/2, Node 26.10 would send freed memory in place of the text before it.
    if (text) this.response.end(text);
    else this.response.end();
  }

  fail(error: unknown, count: number): void {
    const { response, options, format } = this;
    const sent = toErrorResponse(error, this.match.route, options.errorTerms, options.onFault);
    if (!response.headersSent) {
      if (this.hasHeaders) removeBodyHeaders(response);
      sendUncached(response, sent);
    } else if (format) response.end(format.error(errorBody(sent), count));
    // Raw data has no place for an error.
    else response.destroy();
    response.record.reason ??= sent.reason;
  }
}

/** A request that matches no route. */
export class OtherRequest extends HttpContext {
  readonly match: Exclude<Match, RouteMatch>;
  readonly options: RestOptions;

  constructor(match: OtherRequest["match"], options: RestOptions, response: Exchange) {
    super(undefined, response);
    this.match = match;
    this.options = options;
  }

  serve(): void {
    const { match, response } = this;
    if (match.kind === "options") {
      response.writeHead(204, optionsHeaders(match.allow)).end();
    } else {
      response.discardBody();
      const error = match.kind === "not_found" ? noSuchPath : methodNotAllowed(match.allow);
      sendUncached(response, error);
    }
  }

  refuse(error: unknown): void {
    refuse(this, error);
  }
}

/** Sends the error of a request whose call does not begin, and discards its body. */
function refuse(context: RestContext | OtherRequest, error: unknown): void {
  const { response } = context;
  if (response.headersSent) return;
  response.discardBody();
  trySend(context, error, sendRefusal);
}

function sendRefusal(context: RestContext | OtherRequest, error: unknown): void {
  const { refusalOf, onFault } = context.options;
  if (context instanceof RestContext && error !== lastResort) context.applyPolicy();
  sendUncached(context.response, refusalOf(publicError(error, onFault)));
}

function sendUncached(response: Exchange, error: ErrorResponse): void {
  setCacheControl(response);
  sendError(response, error);
}

/**
 * Maps any error to an HTTP error response. Its message names fields that break rules (google.rpc.BadRequest) as the client wrote
 * them: in JSON names, and relative to the request body. @param onFault called with every bug
 */
export function toErrorResponse(
  error: unknown,
  route: Route,
  terms: ErrorTerms,
  onFault: (error: unknown) => void,
): ErrorResponse {
  if (error instanceof HttpFailure) return error.error;
  if (error instanceof InvalidInput) {
    const reason = error instanceof OutOfBounds ? "FIELD_INVALID" : "MESSAGE_INVALID";
    return httpError(reason, describe(error));
  }
  const shown = publicError(error, onFault);
  const mapped = httpErrorFrom(shown, terms);
  const violations = shown
    .findDetails(BadRequestSchema)
    .flatMap((detail) => detail.fieldViolations);
  if (violations.length === 0) return mapped;
  const message = violations
    .map(({ field, description }) => `${clientPath(field, route)}: ${description}`)
    .join("; ");
  return { ...mapped, message };
}

/** Returns a path of proto names, such as `update.items[2].pet_id`, as the client wrote it. */
function clientPath(path: string, { method, body }: Route): string {
  const names = path.split(".");
  const inBody = typeof body === "object" && names[0] === body.name;
  let desc: DescMessage | undefined = method.desc.input;
  const jsonNames = names.map((name) => {
    const [, bare = name, index = ""] = /^([^[]*)(\[.*)$/.exec(name) ?? [];
    const field = desc?.fields.find((candidate) => candidate.name === bare);
    desc = field?.message;
    return (field?.jsonName ?? bare) + index;
  });
  if (!inBody) return jsonNames.join(".");
  return jsonNames.length === 1 ? "request body" : jsonNames.slice(1).join(".");
}
