import type { DescMethod } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import type { Method } from "../call/method.ts";
import { type Operation, otherOperation, type Protocol } from "../call/request-record.ts";
import { CallerWork } from "../http/caller-work.ts";
import { cacheIfFrozen } from "../http/content/cache-by-message.ts";
import { decompressionFault, requestCoding } from "../http/content/content-coding.ts";
import type { Endpoint, Endpoints } from "../http/endpoint.ts";
import { type ErrorResponse, type ErrorTerms, httpErrorFrom } from "../http/error-response.ts";
import type { NodeServerRequest, NodeServerResponse } from "../http/exchange/node-http.ts";
import { HttpCall } from "../http/http-call.ts";
import { HttpFailure, methodNotAllowed, noSuchPath } from "../http/http-failure.ts";
import { invokeUnary } from "../http/invoke-unary.ts";
import { sendStream } from "../http/send-stream.ts";
import { timeoutOf } from "../http/timeout-headers.ts";
import { bindRequest } from "./binding/binding.ts";
import type { AnyMessage } from "./binding/message-field.ts";
import { createQueryFields } from "./binding/query.ts";
import { optionsHeaders, readRequestBody } from "./binding/request-body.ts";
import type { JsonCodec } from "./json/codec.ts";
import { compileRoutes, type Route } from "./path/route.ts";
import { createMatcher, type Match } from "./path/router.ts";
import { toErrorResponse } from "./response/error-mapping.ts";
import { readLastEventId } from "./response/event-id.ts";
import type { Exchange, HttpHeaders } from "./response/exchange.ts";
import { nextPageLink } from "./response/next-page.ts";
import { refuseRequest, sendContent, sendEmpty } from "./response/send.ts";
import { restOutput } from "./response/send-stream.ts";

/** A request that matches a route. */
type RouteMatch<Caller> = Extract<Match<Caller>, { kind: "route" }>;

/** Options of {@link createTranscoder}. */
export interface TranscoderOptions<Caller> {
  /** Methods to serve. Those without a google.api.http option are skipped. */
  readonly methods: readonly Method<Caller>[];
  /** The JSON of requests and responses. */
  readonly json: JsonCodec;
  /** Runs the work of callers whose cost depends on their requests. */
  readonly work?: CallerWork<Caller>;
  /** Returns the largest request body of a method, in bytes, before and after decompression. */
  readonly maxBodyBytes: (method: DescMethod) => number;
  /** Returns the policy of a method. Called for each request, so the result can change over time. */
  readonly policy?: (method: DescMethod) => Policy | undefined;
  /** Statuses, codes and headers of the errors that the service defines. */
  readonly errorTerms?: ErrorTerms;
  /** Called with every error that a client receives as 5xx, with its private cause. */
  readonly onFault?: (error: unknown, method: DescMethod | undefined) => void;
}

/** Rules for all responses of a method. */
export interface Policy {
  /** Headers of every response. */
  readonly headers: HttpHeaders;
  /** An error to send instead of calling the method, such as 410 after a sunset. */
  readonly refusal?: ErrorResponse;
}

/** Serves methods as JSON over HTTP, as their google.api.http options say. The promises of its endpoints never reject. */
export interface Transcoder<Caller> extends Endpoints<Caller> {
  /** All routes, in the order of the methods. */
  readonly routes: readonly Route<Caller>[];
}

/**
 * Creates a transcoder.
 *
 * @throws Error that names the method when a rule is invalid or conflicts with another rule
 */
export function createTranscoder<Caller>(options: TranscoderOptions<Caller>): Transcoder<Caller> {
  const { json, work = new CallerWork<Caller>(), maxBodyBytes, errorTerms = {} } = options;
  const routes = options.methods.flatMap((method) => compileRoutes(method, json));
  const queryFields = createQueryFields(json.style);
  for (const { method } of routes) queryFields(method.desc.input);

  const policyOf = (match: Match<Caller>): Policy | undefined =>
    match.kind === "route" ? options.policy?.(match.route.method.desc) : undefined;

  const refusalOf = cacheIfFrozen((error: ConnectError) =>
    Object.freeze(httpErrorFrom(error, errorTerms)),
  );

  /** The endpoint of one request. A class, because closures for each request would cost more. */
  class MatchEndpoint implements Endpoint<Caller> {
    readonly method: DescMethod | undefined;
    readonly operation: Operation;
    readonly #match: Match<Caller>;

    constructor(match: Match<Caller>) {
      const route = match.kind === "route" ? match.route : undefined;
      this.method = route?.method.desc;
      this.operation = route?.operation ?? otherOperation;
      this.#match = match;
    }

    /** The promise never rejects. */
    handle(
      _: NodeServerRequest,
      response: NodeServerResponse,
      caller: Caller,
    ): Promise<void> | undefined {
      const match = this.#match;
      if (match.kind === "options") {
        sendEmpty(response, 204, optionsHeaders(match.allow));
        return undefined;
      }
      const policy = policyOf(match);
      const exchange: Exchange = { response, headers: policy?.headers ?? none };
      const failed = (error: unknown) =>
        fail(exchange, error, match.kind === "route" ? match.route : undefined);
      try {
        return serve(match, policy, exchange, caller).catch(failed);
      } catch (error) {
        failed(error);
        return undefined;
      }
    }

    /** The response has the headers of the method's policy. */
    refuse(_: NodeServerRequest, response: NodeServerResponse, error: ConnectError): void {
      const headers = policyOf(this.#match)?.headers ?? {};
      refuseRequest({ response, headers }, refusalOf(error));
    }

    protocolOf(): Protocol {
      return "http";
    }
  }

  const match = createMatcher(routes);

  return {
    routes,
    find(target, { method = "GET" }) {
      const found = match(method, target);
      return found.kind === "not_found" ? undefined : new MatchEndpoint(found);
    },
    unknown: new MatchEndpoint({ kind: "not_found" }),
  };

  /** @param send sends the error */
  function fail(
    exchange: Exchange,
    error: unknown,
    route: Route<Caller> | undefined,
    send = (sent: ErrorResponse): unknown => refuseRequest(exchange, sent),
  ): void {
    const sent = toErrorResponse(error, route, errorTerms);
    const desc = route?.method.desc;
    exchange.response.record.reason ??= sent.reason;
    if (sent.status >= 500) options.onFault?.(error, desc);
    try {
      send(sent);
    } catch (fault) {
      // The headers cannot be sent, so an error response cannot be sent either.
      exchange.response.destroy();
      options.onFault?.(fault, desc);
    }
  }

  /** @throws as the promise that it returns rejects */
  function serve(
    match: Exclude<Match<Caller>, { kind: "options" }>,
    policy: Policy | undefined,
    exchange: Exchange,
    caller: Caller,
  ): Promise<void> {
    if (match.kind === "not_found") throw new HttpFailure(noSuchPath);
    if (match.kind === "method_not_allowed") throw new HttpFailure(methodNotAllowed(match.allow));
    const { method } = match.route;
    method.authorize(caller);
    if (policy?.refusal) throw new HttpFailure(policy.refusal);
    const { response } = exchange;
    const reading = readRequestBody(match.route, response, maxBodyBytes(method.desc));
    const callWith = (body: Uint8Array) =>
      work.run(caller, response, body.length, 0, callEncoded, match, exchange, body);
    return reading instanceof Promise ? reading.then(callWith) : callWith(reading);
  }

  /** Calls the method with a body as it was sent. Does the expensive work before the first asynchronous step. */
  function callEncoded(
    caller: Caller,
    match: RouteMatch<Caller>,
    exchange: Exchange,
    body: Uint8Array,
  ): Promise<void> {
    const { response } = exchange;
    const coding = body.length > 0 && requestCoding(response.req.headers["content-encoding"]);
    if (!coding) return call(caller, match, exchange, body);
    const maxBytes = maxBodyBytes(match.route.method.desc);
    const plain = work.decompress(caller, response, body, coding, maxBytes, (error) =>
      decompressionFault(error, coding, maxBytes),
    );
    if (!(plain instanceof Promise)) return call(caller, match, exchange, plain);
    return plain.then((data) =>
      work.run(caller, response, data.length, 0, call, match, exchange, data),
    );
  }

  function call(
    caller: Caller,
    { route, segments, query }: RouteMatch<Caller>,
    exchange: Exchange,
    body: Uint8Array,
  ): Promise<void> {
    const { method } = route;
    const request = exchange.response.req;
    const contentType = request.headers["content-type"];
    const parts = { segments, query, body, contentType };
    const message = bindRequest(route, parts, queryFields(method.desc.input));
    readLastEventId(message, route.lastEventId, request, method.validate);
    return callMethod(route, message, exchange, caller);
  }

  /**
   * Calls a route's method and sends its response.
   *
   * @throws any error of the method; InvalidInput for a malformed timeout header
   */
  function callMethod(
    route: Route<Caller>,
    message: AnyMessage,
    exchange: Exchange,
    caller: Caller,
  ): Promise<void> {
    const { method, responseWriter } = route;
    const { response } = exchange;
    const request = response.req;
    const call = new HttpCall(caller, response, timeoutOf(request));
    if (method.kind === "unary") {
      let link: string | undefined;
      const write = (result: AnyMessage) => {
        link = route.paging && nextPageLink(route.paging, request.url ?? "/", result);
        return responseWriter.content(result);
      };
      return invokeUnary(method, message, call, work, write).then((content) => {
        const set = link === undefined ? (call.headersSet ?? none) : { ...call.headersSet, link };
        return sendContent(exchange, content, set, work, caller);
      });
    }
    const output = restOutput(exchange, call, responseWriter, (error, send) =>
      fail(exchange, error, route, send),
    );
    return sendStream(method.kind, call, work, method.invoke(message, call), output);
  }
}

const none: HttpHeaders = {};
