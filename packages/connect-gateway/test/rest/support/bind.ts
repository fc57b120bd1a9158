import { InvalidInput, describe as textOf } from "../../../src/http/invalid-input.ts";
import { splitTarget } from "../../../src/http/request-target.ts";
import { bindRequest } from "../../../src/rest/binding/binding.ts";
import type { JsonCodec } from "../../../src/rest/json/codec.ts";
import { createMatcher } from "../../../src/rest/path/router.ts";
import { httpJson } from "./json.ts";
import { unary, withRule } from "./methods.ts";
import { shelfTranscoder } from "./shelf.ts";

export type Rule = Parameters<typeof withRule>[1];
export type Unary = Parameters<typeof unary>[0];

/** Binds a request to a method with a rule. Returns the request message, or the text of the error. */
export function bind(
  desc: Unary,
  rule: Rule,
  target: string,
  body = "",
  codec: JsonCodec = httpJson,
): unknown {
  const method = unary(withRule(desc, rule), () => ({}));
  const { routes } = shelfTranscoder({ methods: [method], json: codec });
  const found = createMatcher(routes)(rule.pattern?.case?.toUpperCase() ?? "", splitTarget(target));
  if (found.kind !== "route") return found.kind;
  try {
    return bindRequest(found, Buffer.from(body), undefined);
  } catch (error) {
    if (error instanceof InvalidInput) return textOf(error);
    throw error;
  }
}

export const get = (value: string): Rule => ({ pattern: { case: "get", value } });

export const post = (value: string, body: string): Rule => ({
  pattern: { case: "post", value },
  body,
});

export const patch = (value: string, body: string): Rule => ({
  pattern: { case: "patch", value },
  body,
});
