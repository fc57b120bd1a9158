import type { DescField, DescMethod } from "@bufbuild/protobuf";
import type { Method, SingleRequestMethod } from "../call/method.ts";
import { type AnswerWriter, compileAnswerWriter } from "./answer-writer.ts";
import { type BodyReader, compileBodyReader } from "./body-reader.ts";
import { findEventId } from "./event-id.ts";
import { findField } from "./field-path.ts";
import { type HttpRule, httpRulesOf } from "./http-rule.ts";
import type { JsonForm } from "./json-form.ts";
import { findPaging, type Paging } from "./next-page.ts";
import { bindVariable, type PathVariable } from "./path-variable.ts";
import { parseTemplate, type Template } from "./template.ts";
import { findUpdateMask, type UpdateMask } from "./update-mask.ts";

/** A rule, checked against the method's descriptor and ready to be served. */
export interface Route<Caller> {
  readonly method: SingleRequestMethod<Caller>;
  /** HTTP method, or `*` for any. */
  readonly httpMethod: string;
  readonly template: Template;
  /** The method's full name, for messages. */
  readonly name: string;
  readonly variables: readonly PathVariable[];
  /** The request field that is the request body, `*` for all the path does not have, or none. */
  readonly body: DescField | "*" | undefined;
  /** The response field that is the response body; the whole response when undefined. */
  readonly responseBody: DescField | undefined;
  readonly bodyReader: BodyReader | undefined;
  /** The request field that says which fields a PATCH updates, if there is one. */
  readonly updateMask: UpdateMask | undefined;
  /** How its answers lead to the next page, if they do: only those to GET. */
  readonly paging: Paging | undefined;
  /** The request field that the header field Last-Event-ID sets, if there is one. */
  readonly lastEventId: DescField | undefined;
  readonly answer: AnswerWriter;
}

/**
 * Compiles the routes of a method.
 *
 * @returns an empty list when the method has no google.api.http option
 * @throws Error that names the method and says what is wrong with its rules
 */
export function compileRoutes<Caller>(method: Method<Caller>, form: JsonForm): Route<Caller>[] {
  try {
    const rules = httpRulesOf(method.desc);
    if (rules.length === 0) return [];
    if (method.kind === "client_streaming" || method.kind === "bidi_streaming") {
      throw new Error("a method that takes a stream can't be served as JSON over HTTP");
    }
    return rules.map((rule) => compileRoute(method, rule, form));
  } catch (error) {
    throw new Error(`${nameOf(method.desc)}: ${(error as Error).message}`, { cause: error });
  }
}

function nameOf(desc: DescMethod): string {
  return `${desc.parent.typeName}.${desc.name}`;
}

function compileRoute<Caller>(
  method: SingleRequestMethod<Caller>,
  rule: HttpRule,
  form: JsonForm,
): Route<Caller> {
  const { input, output } = method.desc;
  const template = parseTemplate(rule.path);
  const variables = template.variables.map((variable) =>
    bindVariable(variable, input, form.dialect),
  );
  const body = bodyOf(rule, method.desc);
  checkDisjoint(variables, body);
  const responseBody = rule.responseBody ? findField(output, rule.responseBody) : undefined;
  return {
    method,
    httpMethod: rule.httpMethod,
    template,
    name: nameOf(method.desc),
    variables,
    body,
    responseBody,
    bodyReader: body && compileBodyReader(form.readers, input, body, variables),
    paging: rule.httpMethod === "GET" ? findPaging(method.desc) : undefined,
    lastEventId: findEventId(input),
    updateMask: rule.httpMethod === "PATCH" ? findUpdateMask(input, body, variables) : undefined,
    answer: compileAnswerWriter(form.writers, output, responseBody),
  };
}

function bodyOf({ body }: HttpRule, { input }: DescMethod): DescField | "*" | undefined {
  return body === "*" ? body : body === "" ? undefined : findField(input, body);
}

function checkDisjoint(variables: readonly PathVariable[], body: Route<never>["body"]): void {
  for (const { path, fieldPath } of variables) {
    if (path.length === 1 && path[0] === body) {
      throw new Error(`${fieldPath} is bound by the path and by the body`);
    }
  }
}
