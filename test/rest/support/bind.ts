import { splitTarget } from "../../../src/http/request-target.ts";
import { bindRequest } from "../../../src/rest/binding.ts";
import { InvalidInput, describe as tell } from "../../../src/rest/invalid-input.ts";
import { httpJson, type JsonForm } from "../../../src/rest/json-form.ts";
import { createQueryFields } from "../../../src/rest/query.ts";
import { createTranscoder } from "../../../src/rest/transcoder.ts";
import { unary, withRule } from "./methods.ts";

export type Rule = Parameters<typeof withRule>[1];
export type Unary = Parameters<typeof unary>[0];

/** Binds a request to a method under a rule, and gives the request message. */
export function bind(
  desc: Unary,
  rule: Rule,
  target: string,
  body = "",
  form: JsonForm = httpJson,
): unknown {
  const method = unary(withRule(desc, rule), () => ({}));
  const { match } = createTranscoder({ methods: [method], json: form, maxBodyBytes: () => 1 });
  const found = match(rule.pattern?.case?.toUpperCase() ?? "", splitTarget(target));
  if (found.kind !== "route") return found.kind;
  const { route, segments, query } = found;
  const fields = createQueryFields(form.dialect)(desc.input);
  try {
    return bindRequest(
      route,
      { segments, query, body: Buffer.from(body), contentType: undefined },
      fields,
    );
  } catch (error) {
    if (error instanceof InvalidInput) return tell(error);
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
