import type { DescMethod } from "@bufbuild/protobuf";
import type { Method } from "../call/method.ts";
import { type HeaderFields, sendEmpty, sendError, sendJson } from "./answer.ts";
import { bindRequest } from "./binding.ts";
import { HttpCall } from "./call.ts";
import type { HttpError } from "./http-error.ts";
import { HttpFailure, methodNotAllowed, noSuchPath } from "./http-failure.ts";
import type { JsonForm } from "./json-form.ts";
import { createMatcher, type Match } from "./match.ts";
import type { NodeServerRequest, NodeServerResponse } from "./node-http.ts";
import { createQueryFields } from "./query.ts";
import { takeBody } from "./request-body.ts";
import { retell } from "./retelling.ts";
import { compileRoutes, type Route } from "./route.ts";

/** What a transcoder is made of. */
export interface TranscoderOptions<Caller> {
  /** Methods to serve. Those without a google.api.http option are skipped. */
  readonly methods: readonly Method<Caller>[];
  /** JSON of requests and answers. */
  readonly json: JsonForm;
  /** Largest request body, in bytes, decompressed too. */
  readonly maxBodyBytes: number;
  /**
   * Header fields that every answer of a method carries, and an error that replaces the call, such as
   * 410 after a sunset. Asked at every request.
   */
  readonly policy?: (method: DescMethod) => Policy | undefined;
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
  /**
   * Finds what a request asks for. Does no I/O.
   *
   * @param target the request target, as sent
   */
  match(httpMethod: string, target: string): Match<Caller>;
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
    error: HttpError,
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
  const { json, maxBodyBytes } = options;
  const routes = options.methods.flatMap((method) => compileRoutes(method, json));
  const queryFields = createQueryFields(json.dialect);
  for (const { method } of routes) queryFields(method.desc.input);

  const policyOf = (match: Match<Caller>): Policy | undefined =>
    match.kind === "route" ? options.policy?.(match.route.method.desc) : undefined;

  return {
    routes,
    match: createMatcher(routes),
    refuse(match, request, response, error) {
      sendError(request, response, error, policyOf(match)?.headers ?? {});
    },
    async handle(match, request, response, caller) {
      let policy: Policy | undefined;
      try {
        policy = policyOf(match);
        if (match.kind === "options") sendEmpty(response, 204, { allow: match.allow });
        else await serve(match, policy, request, response, caller);
      } catch (error) {
        const route = match.kind === "route" ? match.route : undefined;
        const told = retell(error, route);
        sendError(request, response, told, policy?.headers ?? {});
        if (told.status >= 500) options.onFault?.(error, route?.method.desc);
      }
    },
  };

  async function serve(
    match: Exclude<Match<Caller>, { kind: "options" }>,
    policy: Policy | undefined,
    request: NodeServerRequest,
    response: NodeServerResponse,
    caller: Caller,
  ): Promise<void> {
    if (match.kind === "not_found") throw new HttpFailure(noSuchPath);
    if (match.kind === "method_not_allowed") throw new HttpFailure(methodNotAllowed(match.allow));
    const { route, segments, query } = match;
    const { method } = route;
    method.authorize(caller);
    if (policy?.refusal) throw new HttpFailure(policy.refusal);
    const body = await takeBody(route, request, response, maxBodyBytes);
    const parts = { segments, query, body };
    const message = bindRequest(route, parts, queryFields(method.desc.input));
    const answer = await method.invoke(message, new HttpCall(caller, response));
    sendJson(request, response, 200, policy?.headers ?? {}, route.writeAnswer(answer));
  }
}
