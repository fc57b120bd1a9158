import { type DescField, type DescMessage, type DescMethod, hasOption } from "@bufbuild/protobuf";
import { http } from "../../../gen/google/api/annotations_pb.ts";
import type { HttpRule } from "../../../gen/google/api/http_pb.ts";
import type { Method } from "../../call/method.ts";
import { optionOf } from "../../call/option.ts";
import type { Operation } from "../../call/request-record.ts";
import { type BodyReader, compileBodyReader } from "../binding/body-reader.ts";
import { findField } from "../binding/field-path.ts";
import { type QueryFields, queryFieldsOf } from "../binding/query.ts";
import { findUpdateMask, type UpdateMask } from "../binding/update-mask.ts";
import type { JsonCodec } from "../json/codec.ts";
import { findEventId } from "../response/event-id.ts";
import { findPaging, type Paging } from "../response/next-page.ts";
import { compileResponseWriter, type ResponseWriter } from "../response/writer.ts";
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
  /** The fields of the request message that the query can set. */
  readonly queryFields: QueryFields;
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
  const { httpMethod, path } = patternOf(rule);
  const template = parseTemplate(path);
  const variables = template.variables.map((variable) =>
    bindVariable(variable, input, codec.style),
  );
  const fieldOf = (desc: DescMessage, name: string) =>
    name === "" ? undefined : findField(desc, name, annotations);
  const body = rule.body === "*" ? rule.body : fieldOf(input, rule.body);
  const twice = variables.find(
    (variable) => variable.path.length === 1 && variable.path[0] === body,
  );
  if (twice) throw new Error(`${twice.fieldPath} is bound by the path and by the body`);
  const responseBody = fieldOf(output, rule.responseBody);
  return {
    method,
    httpMethod,
    template,
    operation: { route: path },
    name: nameOf(method.desc),
    variables,
    queryFields: queryFieldsOf(input, codec.style),
    body,
    responseBody,
    bodyReader: body && compileBodyReader(codec.readers, input, body, variables),
    paging: httpMethod === "GET" ? findPaging(method.desc) : undefined,
    lastEventId: findEventId(input, annotations),
    updateMask: httpMethod === "PATCH" ? findUpdateMask(input, body, variables) : undefined,
    responseWriter: compileResponseWriter(codec.writers, output, responseBody),
  };
}

function httpRulesOf(desc: DescMethod): readonly HttpRule[] {
  if (!hasOption(desc, http)) return [];
  const option = optionOf(desc, http);
  const { additionalBindings } = option;
  if (additionalBindings.some((binding) => binding.additionalBindings.length > 0)) {
    throw new Error("additional_bindings cannot be nested");
  }
  return [option, ...additionalBindings];
}

/** `token` of RFC 9110, section 5.6.2. */
const tokenPattern = /^[-!#$%&'*+.^_`|~0-9A-Za-z]+$/;

function patternOf({ pattern }: HttpRule): { httpMethod: string; path: string } {
  if (pattern.case === undefined) throw new Error("a rule must have a method and a path");
  if (pattern.case !== "custom") {
    return { httpMethod: pattern.case.toUpperCase(), path: pattern.value };
  }
  const { kind, path } = pattern.value;
  if (!tokenPattern.test(kind)) throw new Error(`${JSON.stringify(kind)} is not an HTTP method`);
  return { httpMethod: kind, path };
}
