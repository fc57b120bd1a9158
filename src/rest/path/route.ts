import type { DescField, DescMethod } from "@bufbuild/protobuf";
import type { Method } from "../../call/method.ts";
import type { Operation } from "../../call/request-record.ts";
import type { Annotations } from "../annotations.ts";
import { type BodyReader, compileBodyReader } from "../binding/body-reader.ts";
import { findField } from "../binding/field-path.ts";
import { findUpdateMask, type UpdateMask } from "../binding/update-mask.ts";
import type { JsonCodec } from "../json/codec.ts";
import { findEventId } from "../response/event-id.ts";
import { findPaging, type Paging } from "../response/next-page.ts";
import { compileResponseWriter, type ResponseWriter } from "../response/writer.ts";
import { type HttpRule, httpRulesOf } from "./http-rule.ts";
import { bindVariable, type PathVariable } from "./path-variable.ts";
import { parseTemplate, type Template } from "./template.ts";

/** A google.api.http rule, checked against the descriptor of its method. */
export interface Route {
  readonly method: Method;
  /** HTTP method, or `*` for any. */
  readonly httpMethod: string;
  readonly template: Template;
  /** The operation that requests of this route are counted by. */
  readonly operation: Operation;
  /** The method's full name, for error messages. */
  readonly name: string;
  readonly variables: readonly PathVariable[];
  /** The request field that the body holds, `*` for all fields that are not in the path, or none. */
  readonly body: DescField | "*" | undefined;
  /** The response field that the body holds; undefined for the whole response. */
  readonly responseBody: DescField | undefined;
  readonly bodyReader: BodyReader | undefined;
  /** The request field that lists the fields that a PATCH updates, if there is one. */
  readonly updateMask: UpdateMask | undefined;
  /** The fields for paging, if the route is a GET that pages. */
  readonly paging: Paging | undefined;
  /** The request field that the header Last-Event-ID sets, if there is one. */
  readonly lastEventId: DescField | undefined;
  readonly responseWriter: ResponseWriter;
}

/**
 * Compiles the routes of a method.
 *
 * @returns an empty list when the method has no google.api.http option
 * @throws Error that names the method and what is wrong with its rules
 */
export function compileRoutes(method: Method, codec: JsonCodec): Route[] {
  try {
    const rules = httpRulesOf(method.desc);
    if (rules.length === 0) return [];
    if (method.kind === "client_streaming" || method.kind === "bidi_streaming") {
      throw new Error("a method with a stream of requests cannot be served as JSON over HTTP");
    }
    return rules.map((rule) => compileRoute(method, rule, codec));
  } catch (error) {
    throw new Error(`${nameOf(method.desc)}: ${(error as Error).message}`, { cause: error });
  }
}

function nameOf(desc: DescMethod): string {
  return `${desc.parent.typeName}.${desc.name}`;
}

function compileRoute(method: Method, rule: HttpRule, codec: JsonCodec): Route {
  const { input, output } = method.desc;
  const { annotations } = codec.style;
  const template = parseTemplate(rule.path);
  const variables = template.variables.map((variable) =>
    bindVariable(variable, input, codec.style),
  );
  const body = bodyOf(rule, method.desc, annotations);
  checkDisjoint(variables, body);
  const responseBody = rule.responseBody
    ? findField(output, rule.responseBody, annotations)
    : undefined;
  return {
    method,
    httpMethod: rule.httpMethod,
    template,
    operation: { route: rule.path },
    name: nameOf(method.desc),
    variables,
    body,
    responseBody,
    bodyReader: body && compileBodyReader(codec.readers, input, body, variables),
    paging: rule.httpMethod === "GET" ? findPaging(method.desc) : undefined,
    lastEventId: findEventId(input, annotations),
    updateMask: rule.httpMethod === "PATCH" ? findUpdateMask(input, body, variables) : undefined,
    responseWriter: compileResponseWriter(codec.writers, output, responseBody),
  };
}

function bodyOf(
  { body }: HttpRule,
  { input }: DescMethod,
  annotations: Annotations,
): DescField | "*" | undefined {
  return body === "*" ? body : body === "" ? undefined : findField(input, body, annotations);
}

function checkDisjoint(variables: readonly PathVariable[], body: Route["body"]): void {
  for (const { path, fieldPath } of variables) {
    if (path.length === 1 && path[0] === body) {
      throw new Error(`${fieldPath} is bound by the path and by the body`);
    }
  }
}
