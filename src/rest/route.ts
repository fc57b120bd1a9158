import type { DescField, DescMethod } from "@bufbuild/protobuf";
import type { Method } from "../call/method.ts";
import { findField, leadsTo } from "./field-path.ts";
import { type HttpRule, httpRulesOf } from "./http-rule.ts";
import { fieldReader } from "./json-field-reader.ts";
import type { JsonForm } from "./json-form.ts";
import { type BoundFields, messageReader } from "./json-message-reader.ts";
import { fieldWriter } from "./json-message-writer.ts";
import type { ValueReader } from "./json-scalar-reader.ts";
import type { ValueWriter } from "./json-scalar-writer.ts";
import { type AnyMessage, getField } from "./message-field.ts";
import { bindVariable, type PathVariable } from "./path-variable.ts";
import { parseTemplate, type Template } from "./template.ts";
import { updateMaskField } from "./update-mask.ts";

/** A rule, checked against the method's descriptor and ready to be served. */
export interface Route<Caller> {
  readonly method: Method<Caller>;
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
  /** Reads a request body from JSON: the whole request for `*`, else the field's value. */
  readonly readBody: ValueReader | undefined;
  /** The request field to say which fields a PATCH has, if there is one. */
  readonly updateMask: DescField | undefined;
  /** Writes a response message as the JSON of the response body. */
  readonly writeAnswer: ValueWriter;
}

/**
 * Compiles the routes of a method.
 *
 * @returns an empty list when the method has no google.api.http option
 * @throws Error that names the method and says what is wrong with its rules
 */
export function compileRoutes<Caller>(method: Method<Caller>, form: JsonForm): Route<Caller>[] {
  try {
    return httpRulesOf(method.desc).map((rule) => compileRoute(method, rule, form));
  } catch (error) {
    throw new Error(`${nameOf(method.desc)}: ${(error as Error).message}`, { cause: error });
  }
}

function nameOf(desc: DescMethod): string {
  return `${desc.parent.typeName}.${desc.name}`;
}

function compileRoute<Caller>(
  method: Method<Caller>,
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
    readBody: bodyReader(method.desc, variables, body, form),
    updateMask: rule.httpMethod === "PATCH" ? updateMaskField(input) : undefined,
    writeAnswer: answerWriter(method.desc, responseBody, form),
  };
}

function bodyOf({ body }: HttpRule, { input }: DescMethod): DescField | "*" | undefined {
  return body === "*" ? body : body === "" ? undefined : findField(input, body);
}

function checkDisjoint(variables: readonly PathVariable[], body: Route<never>["body"]): void {
  for (const [index, { path, fieldPath }] of variables.entries()) {
    if (path.length === 1 && path[0] === body) {
      throw new Error(`${fieldPath} is bound by the path and by the body`);
    }
    const other = variables.find((candidate, at) => at !== index && leadsTo(candidate.path, path));
    if (other) throw new Error(`${fieldPath} and ${other.fieldPath} are bound to the same field`);
  }
}

function bodyReader(
  { input }: DescMethod,
  variables: readonly PathVariable[],
  body: Route<never>["body"],
  { readers }: JsonForm,
): ValueReader | undefined {
  if (body === undefined) return undefined;
  const bound = boundFields(variables.map(({ path }, index) => [path, index]));
  if (body === "*")
    return bound.size > 0 ? messageReader(readers, input, bound) : readers.message(input);
  const inBody = bound.get(body);
  if (typeof inBody === "object" && body.message) {
    return messageReader(readers, body.message, inBody);
  }
  return fieldReader(readers, body);
}

/** Sorts the path's variables by field, message by message. */
function boundFields(
  entries: (readonly [path: readonly DescField[], index: number])[],
): BoundFields {
  const bound = new Map<DescField, number | BoundFields>();
  for (const [[first, ...rest], index] of entries) {
    if (first === undefined) continue;
    if (rest.length === 0) {
      bound.set(first, index);
    } else if (!bound.has(first)) {
      const siblings = entries.filter(([path]) => path[0] === first);
      bound.set(first, boundFields(siblings.map(([path, at]) => [path.slice(1), at])));
    }
  }
  return bound;
}

function answerWriter(
  { output }: DescMethod,
  field: DescField | undefined,
  { writers }: JsonForm,
): ValueWriter {
  if (!field) return writers.message(output);
  const write = fieldWriter(writers, field);
  return (message) => {
    const value = getField(message as AnyMessage, field);
    return value === undefined ? "null" : write(value);
  };
}
