import type { DescMessage, DescMethod } from "@bufbuild/protobuf";
import { fieldsInJson } from "../../../rest/binding/message-field.ts";
import type { JsonStyle } from "../../../rest/json/style.ts";
import type { Route } from "../../../rest/path/route.ts";
import type { Json, JsonObject } from "./json.ts";
import { type OperationContext, type OperationNotes, operationOf } from "./operation.ts";
import { openApiPath } from "./request.ts";
import { createResponses, type DocumentedError, streamError } from "./response.ts";
import { type Comments, createSchemas } from "./schema.ts";
import { httpWords } from "./words.ts";

/** Options of {@link describeRoutes}. */
export interface OpenApiOptions {
  /** The routes that are served: at most one for each method. */
  readonly routes: readonly Route[];
  /** The style of the JSON that they serve. */
  readonly style: JsonStyle;
  readonly comments: Comments;
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
  /** Returns the error responses of a route, in the order of their statuses. */
  readonly errorsOf: (route: Route) => readonly DocumentedError[];
  readonly notesOf: (method: DescMethod) => OperationNotes;
}

/** Describes routes as an OpenAPI document (https://spec.openapis.org/oas/v3.1.1.html). */
export function describeRoutes(options: OpenApiOptions): JsonObject {
  const { routes, style, headers, security } = options;
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
    given: [
      ["Error", options.errorSchema],
      ["StreamError", streamError],
    ],
  });
  const responses = createResponses(schemas, comments, headers);
  const paths = pathsOf(options, { ...options, comments, schemas, responses });
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

function pathsOf({ routes, notesOf }: OpenApiOptions, context: OperationContext): JsonObject {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = openApiPath(route);
    const operation = operationOf(route, notesOf(route.method.desc), context);
    paths[path] = { ...paths[path], [route.httpMethod.toLowerCase()]: operation };
  }
  return paths;
}

function sorted(components: ReadonlyMap<string, JsonObject>): JsonObject {
  return Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1)));
}
