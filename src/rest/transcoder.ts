import type { DescMethod } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import type { Method } from "../call/method.ts";
import { keptIfFrozen } from "../http/kept.ts";
import { breakOff, type NodeServerRequest, type NodeServerResponse } from "../http/node-http.ts";
import type { RequestTarget } from "../http/request-target.ts";
import { sendEmpty, sendError } from "./answer.ts";
import { bindRequest } from "./binding.ts";
import { readLastEventId } from "./event-id.ts";
import type { Exchange, HeaderFields } from "./exchange.ts";
import { type ErrorTerms, type HttpError, httpErrorFrom } from "./http-error.ts";
import { HttpFailure, methodNotAllowed, noSuchPath } from "./http-failure.ts";
import type { JsonForm } from "./json-form.ts";
import { createMatcher, type Match } from "./match.ts";
import { callMethod } from "./method-call.ts";
import { createQueryFields } from "./query.ts";
import { optionsFields, takeBody } from "./request-body.ts";
import { retell } from "./retelling.ts";
import { compileRoutes, type Route } from "./route.ts";

/** What a transcoder is made of. */
export interface TranscoderOptions<Caller> {
  /** Methods to serve. Those without a google.api.http option are skipped. */
  readonly methods: readonly Method<Caller>[];
  /** JSON of requests and answers. */
  readonly json: JsonForm;
  /** Largest request body of a method, in bytes, decompressed too. */
  readonly maxBodyBytes: (method: DescMethod) => number;
  /**
   * Header fields that every answer of a method carries, and an error that replaces the call, such as
   * 410 after a sunset. Asked at every request.
   */
  readonly policy?: (method: DescMethod) => Policy | undefined;
  /** What the service knows of its errors beyond their codes. */
  readonly errorTerms?: ErrorTerms;
  /** Told every error of ours (5xx), with its private cause. */
  readonly onFault?: (error: unknown, method: DescMethod | undefined) => void;
}

/** What goes for every answer of a method. */
export interface Policy {
  readonly headers: HeaderFields;
  readonly refusal?: HttpError;
}

/** Serves methods as JSON over HTTP, by their google.api.http options. */
export interface Transcoder<Caller> {
  /** Finds the route of a request. Does no I/O. */
  match(httpMethod: string, target: RequestTarget): Match<Caller>;
  /** Begins what the answer is likely to need, before the caller is admitted. */
  prepare(match: Match<Caller>): void;
  /** Answers a request whose caller was admitted. Never rejects. */
  handle(
    match: Match<Caller>,
    request: NodeServerRequest,
    response: NodeServerResponse,
    caller: Caller,
  ): Promise<void>;
  /** Answers with an error instead, with the header fields that the method's policy asks for. */
  refuse(
    match: Match<Caller>,
    request: NodeServerRequest,
    response: NodeServerResponse,
    error: ConnectError,
  ): void;
  /** Every rule that is served, in the order of the methods. */
  readonly routes: readonly Route<Caller>[];
}

/**
 * Makes a transcoder.
 *
 * @throws Error when a rule is not valid, or two rules clash; it names the method
 */
export function createTranscoder<Caller>(options: TranscoderOptions<Caller>): Transcoder<Caller> {
  const { json, maxBodyBytes, errorTerms = {} } = options;
  const routes = options.methods.flatMap((method) => compileRoutes(method, json));
  const queryFields = createQueryFields(json.dialect);
  for (const { method } of routes) queryFields(method.desc.input);

  const policyOf = (match: Match<Caller>): Policy | undefined =>
    match.kind === "route" ? options.policy?.(match.route.method.desc) : undefined;

  const refusalOf = keptIfFrozen((error: ConnectError) =>
    Object.freeze(httpErrorFrom(error, errorTerms)),
  );

  return {
    routes,
    match: createMatcher(routes),
    prepare(match) {
      if (match.kind === "route") match.route.method.prepare?.();
    },
    refuse(match, request, response, error) {
      sendError({ request, response, headers: policyOf(match)?.headers ?? {} }, refusalOf(error));
    },
    async handle(match, request, response, caller) {
      let exchange: Exchange = { request, response, headers: {} };
      try {
        const policy = policyOf(match);
        if (policy) exchange = { request, response, headers: policy.headers };
        if (match.kind === "options") sendEmpty(exchange, 204, optionsFields(match.allow));
        else await serve(match, policy, exchange, caller);
      } catch (error) {
        fail(exchange, error, match.kind === "route" ? match.route : undefined);
      }
    },
  };

  function fail(exchange: Exchange, error: unknown, route: Route<Caller> | undefined): void {
    const told = retell(error, route, errorTerms);
    const desc = route?.method.desc;
    if (told.status >= 500) options.onFault?.(error, desc);
    try {
      sendError(exchange, told);
    } catch (fault) {
      // Header fields that can't be sent: there is nothing to be told by then.
      breakOff(exchange.response);
      options.onFault?.(fault, desc);
    }
  }

  async function serve(
    match: Exclude<Match<Caller>, { kind: "options" }>,
    policy: Policy | undefined,
    exchange: Exchange,
    caller: Caller,
  ): Promise<void> {
    if (match.kind === "not_found") throw new HttpFailure(noSuchPath);
    if (match.kind === "method_not_allowed") throw new HttpFailure(methodNotAllowed(match.allow));
    const { route, segments, query } = match;
    const { method } = route;
    method.authorize(caller);
    if (policy?.refusal) throw new HttpFailure(policy.refusal);
    const { request, response } = exchange;
    const taken = takeBody(route, request, response, maxBodyBytes(method.desc));
    // Waited for only if there is something to wait for.
    const body = taken instanceof Promise ? await taken : taken;
    const contentType = request.headers["content-type"];
    const parts = { segments, query, body, contentType };
    const message = bindRequest(route, parts, queryFields(method.desc.input));
    readLastEventId(message, route.lastEventId, request);
    await callMethod(route, message, exchange, caller, errorTerms);
  }
}
