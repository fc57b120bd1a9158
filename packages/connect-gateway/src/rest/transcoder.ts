import type { DescMethod } from "@bufbuild/protobuf";
import type { Method } from "../call/method.ts";
import { CallerWork } from "../http/caller-work.ts";
import { cacheIfFrozen } from "../http/content/cache-by-message.ts";
import { type ErrorTerms, httpErrorFrom } from "../http/error-response.ts";
import type { Endpoints } from "../http/http-context.ts";
import type { JsonCodec } from "./json/codec.ts";
import { compileRoutes, type Route } from "./path/route.ts";
import { createMatcher } from "./path/router.ts";
import { OtherRequest, type Policy, RestContext, type RestOptions } from "./rest-context.ts";

/** Options of {@link createTranscoder}. */
export interface TranscoderOptions {
  /** Methods to serve. Those without a google.api.http option are skipped. */
  readonly methods: readonly Method[];
  /** The JSON of requests and responses. */
  readonly json: JsonCodec;
  /** Runs the work of callers whose cost depends on their requests. */
  readonly work?: CallerWork;
  /** The same for public methods; by default {@link work}. */
  readonly publicWork?: CallerWork;
  /** Returns the largest request body of a method, in bytes, before and after decompression. */
  readonly maxBodyBytes: (method: DescMethod) => number;
  /** Returns the policy of a method. Called for each request, so the result can change over time. */
  readonly policy?: (method: DescMethod) => Policy | undefined;
  /** Statuses, codes and headers of the errors that the service defines. */
  readonly errorTerms?: ErrorTerms;
  /** Called with every bug. Its client receives 500 without the cause. */
  readonly onFault?: (error: unknown) => void;
}

/** Serves methods as JSON over HTTP, as their google.api.http options say. The promises of its endpoints never reject. */
export interface Transcoder extends Endpoints {
  /** All routes, in the order of the methods. */
  readonly routes: readonly Route[];
}

/** Creates a transcoder. @throws Error that names the method when a rule is invalid or conflicts with another rule */
export function createTranscoder(options: TranscoderOptions): Transcoder {
  const { methods, json, work = new CallerWork(), publicWork = work } = options;
  const { errorTerms = {}, onFault = () => {} } = options;
  const routes = methods.flatMap((method) => compileRoutes(method, json));
  const rest: RestOptions = {
    ...options,
    work,
    publicWork,
    errorTerms,
    onFault,
    refusalOf: cacheIfFrozen((error) => Object.freeze(httpErrorFrom(error, errorTerms))),
  };
  const match = createMatcher(routes);

  return {
    routes,
    open(target, response) {
      const found = match(response.method ?? "GET", target);
      if (found.kind === "route") return new RestContext(found, rest, response);
      return found.kind === "not_found" ? undefined : new OtherRequest(found, rest, response);
    },
    openUnknown: (response) => new OtherRequest({ kind: "not_found" }, rest, response),
  };
}
