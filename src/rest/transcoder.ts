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
import { HttpContext, type RequestValues } from "../http/http-context.ts";
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
import { nextPageLink } from "./response/next-page.ts";
import { type HttpHeaders, refuseRequest, sendContent, sendEmpty } from "./response/send.ts";
import { restOutput } from "./response/send-stream.ts";

/** A request that matches a route. */
type RouteMatch = Extract<Match, { kind: "route" }>;

/** Options of {@link createTranscoder}. */
export interface TranscoderOptions {
  /** Methods to serve. Those without a google.api.http option are skipped. */
  readonly methods: readonly Method[];
  /** The JSON of requests and responses. */
  readonly json: JsonCodec;
  /** Runs the work of callers whose cost depends on their requests. */
  readonly work?: CallerWork;
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
export interface Transcoder extends Endpoints {
  /** All routes, in the order of the methods. */
  readonly routes: readonly Route[];
}

/**
 * Creates a transcoder.
 *
 * @throws Error that names the method when a rule is invalid or conflicts with another rule
 */
export function createTranscoder(options: TranscoderOptions): Transcoder {
  const { json, work = new CallerWork(), maxBodyBytes, errorTerms = {} } = options;
  const routes = options.methods.flatMap((method) => compileRoutes(method, json));
  const queryFields = createQueryFields(json.style);
  for (const { method } of routes) queryFields(method.desc.input);

  const refusalOf = cacheIfFrozen((error: ConnectError) =>
    Object.freeze(httpErrorFrom(error, errorTerms)),
  );

  /** The endpoint of one request. A class, because closures for each request would cost more. */
  class MatchEndpoint implements Endpoint {
    readonly method: DescMethod | undefined;
    readonly operation: Operation;
    readonly #match: Match;

    constructor(match: Match) {
      const route = match.kind === "route" ? match.route : undefined;
      this.method = route?.method.desc;
      this.operation = route?.operation ?? otherOperation;
      this.#match = match;
    }

    /** The promise never rejects. */
    handle(
      _: NodeServerRequest,
      response: NodeServerResponse,
      values: RequestValues,
    ): Promise<void> | undefined {
      const match = this.#match;
      if (match.kind === "route") return serve(match, response, values);
      if (match.kind === "options") sendEmpty(response, 204, optionsHeaders(match.allow));
      else fail(response, new HttpFailure(faultOf(match)));
      return undefined;
    }

    /** The response has the headers of the method's policy. */
    refuse(_: NodeServerRequest, response: NodeServerResponse, error: ConnectError): void {
      if (this.method) applyPolicy(response, this.method);
      refuseRequest(response, refusalOf(error));
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

  /** Sets the headers of a method's policy. @returns the policy */
  function applyPolicy(response: NodeServerResponse, method: DescMethod): Policy | undefined {
    const policy = options.policy?.(method);
    for (const name in policy?.headers) response.setHeader(name, policy.headers[name] as string);
    return policy;
  }

  /** @param send sends the error */
  function fail(
    response: NodeServerResponse,
    error: unknown,
    route?: Route,
    send = (sent: ErrorResponse): unknown => refuseRequest(response, sent),
  ): void {
    const sent = toErrorResponse(error, route, errorTerms);
    const desc = route?.method.desc;
    response.record.reason ??= sent.reason;
    if (sent.status >= 500) options.onFault?.(error, desc);
    try {
      send(sent);
    } catch (fault) {
      // The headers cannot be sent, so an error response cannot be sent either.
      response.destroy();
      options.onFault?.(fault, desc);
    }
  }

  /** The promise never rejects. */
  function serve(
    match: RouteMatch,
    response: NodeServerResponse,
    values: RequestValues,
  ): Promise<void> | undefined {
    const { route } = match;
    const { method } = route;
    const context = new HttpContext(method.desc, response, values);
    const failed = (error: unknown) =>
      fail(response, error, route, (sent) => refuseRequest(response, sent, context.headersSet));
    try {
      const policy = applyPolicy(response, method.desc);
      method.authorize(context);
      if (policy?.refusal) throw new HttpFailure(policy.refusal);
      const reading = readRequestBody(route, response, maxBodyBytes(method.desc));
      const callWith = (body: Uint8Array) =>
        work.run(context.owner, response, body.length, 0, callEncoded, match, context, body);
      const served = reading instanceof Promise ? reading.then(callWith) : callWith(reading);
      return served.catch(failed);
    } catch (error) {
      failed(error);
      return undefined;
    }
  }

  /** Calls the method with a body as it was sent. Does the expensive work before the first asynchronous step. */
  function callEncoded(match: RouteMatch, context: HttpContext, body: Uint8Array): Promise<void> {
    const { owner, response } = context;
    const coding = body.length > 0 && requestCoding(response.req.headers["content-encoding"]);
    if (!coding) return call(match, context, body);
    const maxBytes = maxBodyBytes(context.method);
    const plain = work.decompress(owner, response, body, coding, maxBytes, (error) =>
      decompressionFault(error, coding, maxBytes),
    );
    if (!(plain instanceof Promise)) return call(match, context, plain);
    return plain.then((data) =>
      work.run(owner, response, data.length, 0, call, match, context, data),
    );
  }

  /**
   * Calls a route's method and sends its response.
   *
   * @throws any error of the method; InvalidInput for a malformed request
   */
  function call(
    { route, segments, query }: RouteMatch,
    context: HttpContext,
    body: Uint8Array,
  ): Promise<void> {
    const { method, responseWriter } = route;
    const { owner, response } = context;
    const request = response.req;
    const contentType = request.headers["content-type"];
    const parts = { segments, query, body, contentType };
    const message = bindRequest(route, parts, queryFields(method.desc.input));
    readLastEventId(message, route.lastEventId, request, method.validate);
    context.setTimeout(timeoutOf(request));
    if (method.kind === "unary") {
      let link: string | undefined;
      const write = (result: AnyMessage) => {
        link = route.paging && nextPageLink(route.paging, request.url ?? "/", result);
        return responseWriter.content(result);
      };
      return invokeUnary(method, message, context, work, write).then((content) => {
        const set =
          link === undefined ? (context.headersSet ?? none) : { ...context.headersSet, link };
        return sendContent(response, content, set, work, owner);
      });
    }
    const output = restOutput(context, responseWriter, (error, send) =>
      fail(response, error, route, send),
    );
    return sendStream(context, work, method.invoke(message, context), output);
  }
}

/** Returns the error for a request that matches no route. */
function faultOf(match: Exclude<Match, { kind: "options" | "route" }>): ErrorResponse {
  return match.kind === "not_found" ? noSuchPath : methodNotAllowed(match.allow);
}

const none: HttpHeaders = {};
