import type { Method } from "../call/method.ts";
import { cacheIfFrozen } from "../http/content/cache-by-message.ts";
import { httpErrorFrom } from "../http/error-response.ts";
import type { Endpoints } from "../http/http-context.ts";
import type { JsonCodec } from "./json/codec.ts";
import { compileRoutes, type Route } from "./path/route.ts";
import { createMatcher } from "./path/router.ts";
import { OtherRequest, RestContext, type RestOptions } from "./rest-context.ts";

export interface TranscoderOptions extends Omit<RestOptions, "refusalOf"> {
  /** Methods to serve. Those without a google.api.http option are skipped. */
  readonly methods: readonly Method[];
  readonly json: JsonCodec;
}

/** Serves methods as JSON over HTTP, as their google.api.http options say. The promises of its endpoints never reject. */
export interface Transcoder extends Endpoints {
  readonly routes: readonly Route[];
}

/** Creates a transcoder. @throws Error that names the method when a rule is invalid or conflicts with another rule */
export function createTranscoder({ methods, json, ...options }: TranscoderOptions): Transcoder {
  const routes = methods.flatMap((method) => compileRoutes(method, json));
  const match = createMatcher(routes);
  const rest: RestOptions = {
    ...options,
    refusalOf: cacheIfFrozen((error) => Object.freeze(httpErrorFrom(error, options.errorTerms))),
  };
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
