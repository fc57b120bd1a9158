import type { DescMethod } from "@bufbuild/protobuf";
import { lastField } from "./field-path.ts";
import type { JsonDialect } from "./json-dialect.ts";
import type { Json, JsonObject } from "./openapi-json.ts";
import { inputMessages, outputMessages, requestedMessages } from "./openapi-messages.ts";
import { type OperationContext, type OperationNotes, operationOf } from "./openapi-operation.ts";
import { openApiPath } from "./openapi-parameters.ts";
import { createResponses, type ErrorResponse, isStream, streamError } from "./openapi-response.ts";
import { type Comments, createSchemas } from "./openapi-schema.ts";
import { httpWords } from "./openapi-words.ts";
import type { Route } from "./route.ts";

/** What a document is made of. */
export interface OpenApiOptions {
  /** The routes that are served. */
  readonly routes: readonly Route<never>[];
  /** The dialect of their JSON. */
  readonly dialect: JsonDialect;
  readonly comments: Comments;
  /** What every path begins with; the servers' addresses end with it, and paths are told without. */
  readonly basePath: string;
  /** Members of the document that say what it is of: `info`, `servers`, `tags`. */
  readonly about: JsonObject;
  /** The security scheme of every operation, and its name. */
  readonly security: { readonly name: string; readonly scheme: JsonObject };
  /** Every header field that an answer can have, by name: Header Objects. */
  readonly headers: Readonly<Record<string, JsonObject>>;
  /** Names of those that every answer has which is no error; errors name their own. */
  readonly answerHeaders: readonly string[];
  /** The body of every error. */
  readonly errorSchema: JsonObject;
  /** In the order of their statuses. */
  readonly errors: readonly ErrorResponse[];
  readonly notesOf: (method: DescMethod) => OperationNotes;
}

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/**
 * Describes routes as an OpenAPI document (https://spec.openapis.org/oas/v3.1.1.html), by the routes
 * and the JSON dialect that serve them. Routes for any HTTP method, or one that OpenAPI does not know,
 * are left out.
 *
 * @throws Error when a path does not begin with the base path
 */
export function describeRoutes(options: OpenApiOptions): JsonObject {
  const { dialect, headers, security, answerHeaders, errors } = options;
  const routes = options.routes.filter(({ httpMethod }) =>
    methods.includes(httpMethod.toLowerCase()),
  );
  const inputs = inputMessages(routes);
  const messages = [...inputs, ...outputMessages(routes)];
  const comments = httpWords(
    options.comments,
    messages.flatMap((desc) => desc.fields),
  );
  const schemas = createSchemas({
    dialect,
    comments,
    requested: requestedMessages(routes),
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
  const paths = pathsOf(routes, options, {
    dialect,
    comments,
    schemas,
    responses,
    securityName: security.name,
    answerHeaders,
    errors,
  });
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

function pathsOf(
  routes: readonly Route<never>[],
  { basePath, notesOf }: OpenApiOptions,
  context: OperationContext,
): JsonObject {
  const paths: Record<string, Record<string, Json>> = {};
  for (const [route, id] of uniqueIds(routes)) {
    const own = withoutBase(openApiPath(route, context.schemas), basePath);
    // Paths that differ by the names of their parameters only are one and the same.
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

/** An operation's id is its method's name, with a number where a method has several routes. */
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
