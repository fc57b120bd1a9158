import { type DescMethod, hasOption } from "@bufbuild/protobuf";
import { http } from "../../../gen/google/api/annotations_pb.ts";
import type { HttpRule as HttpRuleOption } from "../../../gen/google/api/http_pb.ts";
import { optionOf } from "../../call/option.ts";

/** One binding of a method to HTTP, from its google.api.http option. */
export interface HttpRule {
  /** HTTP method, or `*` for any. */
  readonly httpMethod: string;
  readonly path: string;
  /** Name of a request field, `*`, or "" for no body. */
  readonly body: string;
  /** Name of a response field, or "" for the whole response. */
  readonly responseBody: string;
}

/**
 * Returns the HTTP rules of a method: that of its google.api.http option, then its additional bindings.
 *
 * @returns an empty list when the method has no such option
 * @throws Error when a rule has no pattern, or bindings are nested
 */
export function httpRulesOf(desc: DescMethod): readonly HttpRule[] {
  if (!hasOption(desc, http)) return [];
  const option = optionOf(desc, http);
  const { additionalBindings } = option;
  if (additionalBindings.some((binding) => binding.additionalBindings.length > 0)) {
    throw new Error("additional_bindings cannot be nested");
  }
  return [option, ...additionalBindings].map(readRule);
}

/** `token` of RFC 9110, section 5.6.2. */
const tokenPattern = /^[-!#$%&'*+.^_`|~0-9A-Za-z]+$/;

function readRule({ pattern, body, responseBody }: HttpRuleOption): HttpRule {
  if (pattern.case === undefined) throw new Error("a rule must have a method and a path");
  if (pattern.case !== "custom") {
    return { httpMethod: pattern.case.toUpperCase(), path: pattern.value, body, responseBody };
  }
  const { kind, path } = pattern.value;
  if (!tokenPattern.test(kind)) throw new Error(`${JSON.stringify(kind)} is not an HTTP method`);
  return { httpMethod: kind, path, body, responseBody };
}
