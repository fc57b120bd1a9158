import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { type FieldPath, jsonPath, lastField, leadsTo, messageBehind } from "./field-path.ts";
import type { JsonDialect } from "./json-dialect.ts";
import { fieldsInJson } from "./message-field.ts";
import type { JsonObject } from "./openapi-json.ts";
import { isRequired, type Schemas } from "./openapi-schema.ts";
import type { Route } from "./route.ts";
import { textParser } from "./scalar-text.ts";

/** A segment of a route's path: as OpenAPI writes it, and the parameter that it is, if it is one. */
interface PathPart {
  readonly text: string;
  readonly parameter?: JsonObject;
}

/**
 * A route's path in the syntax of OpenAPI. There a parameter is one segment, so a variable of several
 * has one for each of its wildcards: `{name=shelves/*}` is `shelves/{name}`.
 */
export function openApiPath(route: Route<never>, schemas: Schemas): string {
  const { verb } = route.template;
  const texts = pathParts(route, schemas).map(({ text }) => text);
  return `/${texts.join("/")}${verb === "" ? "" : `:${verb}`}`;
}

/**
 * The parameters of a route: those of its path, and what the query can say.
 *
 * @param names of the path's parameters, in their order
 */
export function parametersOf(
  route: Route<never>,
  names: readonly string[],
  schemas: Schemas,
  dialect: JsonDialect,
): JsonObject[] {
  const inPath = pathParts(route, schemas).flatMap(({ parameter }) =>
    parameter ? [parameter] : [],
  );
  const inQuery = queryPaths(route, dialect).map((path) => {
    const required = path.every(isRequired) || undefined;
    return parameterObject(jsonPath(path), "query", required, schemas.field(lastField(path)));
  });
  return [...inPath.map((parameter, at) => ({ ...parameter, name: names[at] })), ...inQuery];
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
    const part = `What stands in place of \`${segment.kind}\` number ${which} in \`${pattern}\`.`;
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

/** Paths of the fields that query parameters can name. A message within itself is not followed. */
function queryPaths({ method, variables, body }: Route<never>, dialect: JsonDialect): FieldPath[] {
  if (body === "*") return [];
  const pathsIn = (desc: DescMessage, before: readonly DescField[]): FieldPath[] =>
    fieldsInJson(desc).flatMap((field) => {
      const [first = field, ...rest] = [...before, field];
      const path: FieldPath = [first, ...rest];
      if (path[0] === body || variables.some((variable) => leadsTo(variable.path, path))) return [];
      const behind = messageBehind(field);
      const within = before.some(({ parent }) => parent === behind) || behind === desc;
      if (behind) return within ? [] : pathsIn(behind, path);
      const isText = textParser(field, dialect) && !(field.fieldKind === "list" && field.message);
      return isText ? [path] : [];
    });
  return pathsIn(method.desc.input, []);
}
