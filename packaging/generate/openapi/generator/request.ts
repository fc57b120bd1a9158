import type { DescField } from "@bufbuild/protobuf";
import {
  fieldsInJson,
  lastField,
  messageBehind,
  type PathVariable,
  type Route,
} from "connect-gateway/rest";
import { httpJson } from "../../../../src/contract/json.ts";
import type { JsonObject } from "./json.ts";
import { isRequired, type Schemas } from "./schema.ts";

const { annotations } = httpJson.style;

/** The part of every path that the server URLs have already, so that the document leaves it out. */
const basePath = "/v1";

/**
 * Returns a route's path in OpenAPI syntax.
 *
 * @throws Error when the path does not begin with the base path, or has a wildcard without a variable of one segment
 */
export function openApiPath({ template, variables }: Route): string {
  const { text, segments, verb } = template;
  const texts = segments.map((segment, index) =>
    segment.startsWith("*") ? `{${variableAt(variables, index)?.name}}` : segment,
  );
  const path = `/${texts.join("/")}${verb === "" ? "" : `:${verb}`}`;
  if (!path.startsWith(`${basePath}/`) || path.includes("{undefined}")) {
    throw new Error(`${text} cannot be described in OpenAPI`);
  }
  return path.slice(basePath.length);
}

function variableAt(variables: readonly PathVariable[], index: number): PathVariable | undefined {
  return variables.find(({ start, end }) => start === index && end === index + 1);
}

/** Returns the parameters of a route: path, query and Last-Event-ID. */
export function parametersOf(route: Route, schemas: Schemas): JsonObject[] {
  return [
    ...route.variables.map(({ name, path }) =>
      parameterObject(name, "path", true, schemas.field(lastField(path))),
    ),
    ...queryFields(route).map((field) =>
      parameterObject(
        field.jsonName,
        "query",
        isRequired(field) || undefined,
        schemas.field(field),
      ),
    ),
    ...lastEventIdOf(route, schemas),
  ];
}

/** Returns the Last-Event-ID header if the request has an event id. */
function lastEventIdOf({ lastEventId }: Route, schemas: Schemas): JsonObject[] {
  if (!lastEventId) return [];
  const description = `Replaces \`${lastEventId.jsonName}\`. Browsers send it when they reconnect.`;
  const { description: _, ...schema } = schemas.field(lastEventId);
  return [{ name: "Last-Event-ID", in: "header", description, schema }];
}

function parameterObject(
  name: string,
  place: "path" | "query",
  required: true | undefined,
  { description, ...schema }: JsonObject,
): JsonObject {
  return { name, in: place, required, description, schema };
}

/** Returns the fields that query parameters can name. @throws Error for a field with fields inside it, or a map */
function queryFields(route: Route): readonly DescField[] {
  const { body, method } = route;
  if (body === "*") return [];
  const fields = fieldsInJson(method.desc.input, annotations).filter(
    (field) => field !== body && !isInPath(route, field),
  );
  const deep = fields.find((field) => field.fieldKind === "map" || messageBehind(field));
  if (deep) throw new Error(`${deep}: a query parameter cannot be described in OpenAPI`);
  return fields;
}

/** Returns whether a variable of the path sets a field of the request message. */
function isInPath({ variables }: Route, field: DescField): boolean {
  return variables.some(({ path }) => path.length === 1 && path[0] === field);
}

const mergePatch = "application/merge-patch+json";

/** Returns the Request Body Object of a route; undefined when the route takes no body. */
export function requestBodyOf(
  route: Route,
  schemas: Schemas,
  examples: JsonObject | undefined,
): JsonObject | undefined {
  const { method, httpMethod, body } = route;
  if (!body) return undefined;
  const { input } = method.desc;
  const fields = fieldsInJson(input, annotations).filter((field) => !isInPath(route, field));
  const { description, ...schema }: JsonObject =
    body === "*" ? schemas.body(input, fields) : schemas.field(body);
  const types = ["application/json", ...(httpMethod === "PATCH" ? [mergePatch] : [])];
  const needed = body === "*" ? fields.some(isRequired) : isRequired(body);
  // A patch without any member would change nothing.
  const needsOne = httpMethod === "PATCH" && !needed;
  const content = { schema: needsOne ? { ...schema, minProperties: 1 } : schema, examples };
  return {
    description,
    required: needed || needsOne || undefined,
    content: Object.fromEntries(types.map((type) => [type, content])),
  };
}
