import type { DescMessage, DescMethod } from "@bufbuild/protobuf";
import { lastField } from "../../../rest/binding/field-path.ts";
import { fieldsInJson } from "../../../rest/binding/message-field.ts";
import type { JsonStyle } from "../../../rest/json/style.ts";
import type { Route } from "../../../rest/path/route.ts";
import type { Json, JsonObject } from "./json.ts";
import { type OperationContext, type OperationNotes, operationOf } from "./operation.ts";
import { openApiPath } from "./request.ts";
import { createResponses, type DocumentedError, isStream, streamError } from "./response.ts";
import { type Comments, createSchemas } from "./schema.ts";
import { httpWords } from "./words.ts";

/** Options of {@link describeRoutes}. */
export interface OpenApiOptions {
  /** The routes that are served. */
  readonly routes: readonly Route<never>[];
  /** The style of the JSON that they serve. */
  readonly style: JsonStyle;
  readonly comments: Comments;
  /** The prefix of every path. It is part of the server URLs, so the document leaves it out of the paths. */
  readonly basePath: string;
  /** The members `info`, `servers` and `tags` of the document. */
  readonly about: JsonObject;
  /** The security scheme of all operations. */
  readonly security: { readonly name: string; readonly scheme: JsonObject };
  /** All response headers by name, as Header Objects. */
  readonly headers: Readonly<Record<string, JsonObject>>;
  /** Names of the headers that every successful response has. */
  readonly successHeaders: readonly string[];
  /** The body of every error. */
  readonly errorSchema: JsonObject;
  /** In the order of their statuses. */
  readonly errors: readonly DocumentedError[];
  readonly notesOf: (method: DescMethod) => OperationNotes;
}

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/**
 * Describes routes as an OpenAPI document (https://spec.openapis.org/oas/v3.1.1.html). Leaves out routes for
 * the HTTP method `*`, and for methods that OpenAPI does not have.
 *
 * @throws Error when a path does not begin with the base path
 */
export function describeRoutes(options: OpenApiOptions): JsonObject {
  const { style, headers, security } = options;
  const routes = options.routes.filter(({ httpMethod }) =>
    methods.includes(httpMethod.toLowerCase()),
  );
  const descs = routes.map(({ method }) => method.desc);
  const inputs = withNested(
    descs.map(({ input }) => input),
    style,
  );
  const outputs = withNested(
    descs.map(({ output }) => output),
    style,
  );
  const fields = [...inputs, ...outputs].flatMap((desc) => desc.fields);
  const comments = httpWords(options.comments, fields);
  const schemas = createSchemas({
    style,
    comments,
    requested: withNested(
      routes.map(({ body, method }) => (body === "*" ? method.desc.input : body?.message)),
      style,
    ),
    inputs,
    inPath: new Set(
      routes.flatMap(({ variables }) => variables.map(({ path }) => lastField(path))),
    ),
    given: [
      ["Error", options.errorSchema],
      ...(routes.some(isStream) ? [["StreamError", streamError] as const] : []),
    ],
  });
  const responses = createResponses(schemas, comments, headers);
  const paths = pathsOf(routes, options, { ...options, comments, schemas, responses });
  return {
    openapi: "3.1.1",
    ...options.about,
    security: [{ [security.name]: [] }],
    paths,
    components: {
      schemas: sorted(schemas.components),
      responses: Object.fromEntries(responses.components),
      headers: Object.fromEntries(responses.headers),
      securitySchemes: { [security.name]: security.scheme },
    },
  };
}

/** Returns message types, and those that are nested in them. */
function withNested(
  descs: readonly (DescMessage | undefined)[],
  { annotations }: JsonStyle,
): ReadonlySet<DescMessage> {
  const found = new Set<DescMessage>();
  const add = (desc: DescMessage | undefined) => {
    if (!desc || found.has(desc)) return;
    found.add(desc);
    for (const { message } of fieldsInJson(desc, annotations)) add(message);
  };
  for (const desc of descs) add(desc);
  return found;
}

function pathsOf(
  routes: readonly Route<never>[],
  { basePath, notesOf }: OpenApiOptions,
  context: OperationContext,
): JsonObject {
  const paths: Record<string, Record<string, Json>> = {};
  for (const [route, id] of uniqueIds(routes)) {
    const own = withoutBase(openApiPath(route, context.schemas), basePath);
    // OpenAPI does not allow two paths that differ only in the names of their parameters.
    const path = Object.keys(paths).find((known) => shapeOf(known) === shapeOf(own)) ?? own;
    const operation = operationOf(
      route,
      id,
      parameterNames(path),
      notesOf(route.method.desc),
      context,
    );
    paths[path] = { ...paths[path], [route.httpMethod.toLowerCase()]: operation };
  }
  return paths;
}

function shapeOf(path: string): string {
  return path.replace(/\{[^}]*\}/g, "{}");
}

function parameterNames(path: string): string[] {
  return [...path.matchAll(/\{([^}]*)\}/g)].map(([, name = ""]) => name);
}

/** Returns an id for each route: the name of its method, with a number if the method has several routes. */
function uniqueIds(routes: readonly Route<never>[]): ReadonlyMap<Route<never>, string> {
  const counts = new Map<string, number>();
  return new Map(
    routes.map((route) => {
      const { localName } = route.method.desc;
      const count = (counts.get(localName) ?? 0) + 1;
      counts.set(localName, count);
      return [route, count === 1 ? localName : `${localName}${count}`];
    }),
  );
}

function withoutBase(path: string, basePath: string): string {
  if (!path.startsWith(`${basePath}/`)) throw new Error(`${path} does not begin with ${basePath}`);
  return path.slice(basePath.length);
}

function sorted(components: ReadonlyMap<string, JsonObject>): JsonObject {
  return Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1)));
}
