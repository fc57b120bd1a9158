import type { DescField, DescMessage } from "@bufbuild/protobuf";
import {
  type FieldPath,
  jsonPath,
  lastField,
  leadsTo,
  messageBehind,
} from "../../../rest/binding/field-path.ts";
import { fieldsInJson } from "../../../rest/binding/message-field.ts";
import { textParser } from "../../../rest/binding/scalar-text.ts";
import type { JsonStyle } from "../../../rest/json/style.ts";
import type { Route } from "../../../rest/path/route.ts";
import type { Json, JsonObject } from "./json.ts";
import { isRequired, type Schemas } from "./schema.ts";

/** A segment of a path in OpenAPI syntax, with its parameter if it is one. */
interface PathPart {
  readonly text: string;
  readonly parameter?: JsonObject;
}

/**
 * Returns a route's path in OpenAPI syntax. An OpenAPI parameter is one segment, so a variable of several
 * segments becomes one parameter for each wildcard: `{name=shelves/*}` becomes `shelves/{name}`.
 */
export function openApiPath(route: Route<never>, schemas: Schemas): string {
  const { verb } = route.template;
  const texts = pathParts(route, schemas).map(({ text }) => text);
  return `/${texts.join("/")}${verb === "" ? "" : `:${verb}`}`;
}

/**
 * Returns the parameters of a route: path, query and Last-Event-ID.
 *
 * @param names names of the path parameters, in the order of the path
 */
export function parametersOf(
  route: Route<never>,
  names: readonly string[],
  schemas: Schemas,
  style: JsonStyle,
): JsonObject[] {
  const inPath = pathParts(route, schemas).flatMap(({ parameter }) =>
    parameter ? [parameter] : [],
  );
  const inQuery = queryPaths(route, style).map((path) => {
    const required = path.every(isRequired) || undefined;
    return parameterObject(jsonPath(path), "query", required, schemas.field(lastField(path)));
  });
  return [
    ...inPath.map((parameter, at) => ({ ...parameter, name: names[at] })),
    ...inQuery,
    ...lastEventIdOf(route, schemas),
  ];
}

/** Returns the Last-Event-ID header if the request has an event id. */
function lastEventIdOf({ lastEventId }: Route<never>, schemas: Schemas): JsonObject[] {
  if (!lastEventId) return [];
  const description = `Replaces \`${lastEventId.jsonName}\`. Browsers send it when they reconnect.`;
  const { description: _, ...schema } = schemas.field(lastEventId);
  return [{ name: "Last-Event-ID", in: "header", description, schema }];
}

function pathParts({ template, variables }: Route<never>, schemas: Schemas): PathPart[] {
  return template.segments.map((segment, index) => {
    if (segment.kind === "literal") return { text: segment.text };
    const variable = variables.find(({ start, end }) => start <= index && (end < 0 || index < end));
    if (!variable) return pathParameter(`segment${index + 1}`, { type: "string" });
    const { name, path, start, end } = variable;
    const own = template.segments.slice(start, end < 0 ? undefined : end);
    const schema = schemas.field(lastField(path));
    if (own.length === 1) return pathParameter(name, schema);
    const wildcards = own.filter(({ kind }) => kind !== "literal");
    const which = wildcards.indexOf(segment) + 1;
    const pattern = own.map((each) => (each.kind === "literal" ? each.text : each.kind)).join("/");
    const part = `The value of \`${segment.kind}\` number ${which} in \`${pattern}\`.`;
    const description = [schema.description, part].filter(Boolean).join(" ");
    return pathParameter(wildcards.length > 1 ? name + which : name, {
      type: "string",
      description,
    });
  });
}

function pathParameter(name: string, schema: JsonObject): PathPart {
  return { text: `{${name}}`, parameter: parameterObject(name, "path", true, schema) };
}

function parameterObject(
  name: string,
  place: "path" | "query",
  required: true | undefined,
  { description, ...schema }: JsonObject,
): JsonObject {
  return { name, in: place, required, description, schema };
}

/** Returns the paths of the fields that query parameters can name. Recursive messages are not followed. */
function queryPaths({ method, variables, body }: Route<never>, style: JsonStyle): FieldPath[] {
  if (body === "*") return [];
  const pathsIn = (desc: DescMessage, before: readonly DescField[]): FieldPath[] =>
    fieldsInJson(desc, style.annotations).flatMap((field) => {
      const [first = field, ...rest] = [...before, field];
      const path: FieldPath = [first, ...rest];
      if (path[0] === body || variables.some((variable) => leadsTo(variable.path, path))) return [];
      const behind = messageBehind(field);
      const within = before.some(({ parent }) => parent === behind) || behind === desc;
      if (behind) return within ? [] : pathsIn(behind, path);
      const isText = textParser(field, style) && !(field.fieldKind === "list" && field.message);
      return isText ? [path] : [];
    });
  return pathsIn(method.desc.input, []);
}

const mergePatch = "application/merge-patch+json";

/** Returns the Request Body Object of a route; undefined when the route takes no body. */
export function requestBodyOf(
  { method, httpMethod, body, variables }: Route<never>,
  schemas: Schemas,
  { annotations }: JsonStyle,
  examples: JsonObject | undefined,
): JsonObject | undefined {
  if (!body) return undefined;
  const { input } = method.desc;
  const inPath = variables.map(({ path }) => path.length === 1 && path[0]);
  const fields = fieldsInJson(input, annotations).filter((field) => !inPath.includes(field));
  const { description, ...schema }: JsonObject =
    body === "*" ? schemas.body(input, fields) : schemas.field(body);
  const content: Json = { schema, examples };
  const types = ["application/json", ...(httpMethod === "PATCH" ? [mergePatch] : [])];
  const required = body === "*" ? fields.some(isRequired) : isRequired(body);
  return {
    description,
    required: required || undefined,
    content: Object.fromEntries(types.map((type) => [type, content])),
  };
}
