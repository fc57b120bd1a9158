import { ndjson, type Route, serverSentEvents } from "connect-gateway/rest";
import type { JsonObject } from "./json.ts";
import { type Comments, reference, type Schemas } from "./schema.ts";

/** Names of the headers that a response always has, and of those that it can have. */
export interface ResponseHeaders {
  readonly always: readonly string[];
  readonly sometimes?: readonly string[];
}

export interface DocumentedError {
  /** `default` for all statuses without an entry of their own. */
  readonly status: number | "default";
  /** Name of the component. Responses with the same name are equal. */
  readonly name: string;
  readonly description: string;
  /** Possible values of the header `X-Error-Reason`. */
  readonly reasons: readonly string[];
  readonly headers: ResponseHeaders;
  readonly examples: JsonObject;
  /** Whether it has the headers of the operation. A request that no operation matches has none. */
  readonly isOfOperation: boolean;
}

/** Creates responses, and collects the components that they refer to. */
export interface Responses {
  /** Responses by name, for `components`. */
  readonly components: Map<string, JsonObject>;
  /** Headers that at least one response always has, by name, for `components`. */
  readonly headers: Map<string, JsonObject>;
  /** Describes the successful response of a route. */
  success(route: Route, names: ResponseHeaders, examples: JsonObject | undefined): JsonObject;
  empty(description: string, names: ResponseHeaders): JsonObject;
  /** Describes an error response. @param more headers of every response of the operation */
  failure(error: DocumentedError, more: readonly string[]): JsonObject;
}

/** @param headers all response headers by name, as Header Objects */
export function createResponses(
  schemas: Schemas,
  comments: Comments,
  headers: Readonly<Record<string, JsonObject>>,
): Responses {
  const components = new Map<string, JsonObject>();
  const referred = new Map<string, JsonObject>();
  return {
    components,
    headers: referred,
    success(route, names, examples) {
      return {
        description: successDescription(route, comments),
        headers: headerObjects(names),
        content: successContent(route, schemas, examples),
      };
    },
    empty: (description, names) => ({
      description,
      headers: headerObjects(names),
    }),
    failure(error, more) {
      const { name, description, reasons, headers: names, examples, isOfOperation } = error;
      const own = isOfOperation ? more : [];
      const response = {
        description,
        headers: {
          ...headerObjects({ ...names, always: [...names.always, ...own] }),
          "X-Error-Reason": {
            description: "Machine-readable reason of the error. Its values do not change.",
            required: true,
            schema: { type: "string", enum: reasons },
          },
        },
        content: { "application/json": { schema: reference("Error"), examples } },
      };
      // A response with headers of its own operation is used once, so it is not a component.
      if (own.length > 0) return response;
      const known = components.get(name) ?? response;
      if (JSON.stringify(known) !== JSON.stringify(response)) {
        throw new Error(`two responses have the name ${name}: give an example another name`);
      }
      components.set(name, response);
      return { $ref: `#/components/responses/${name}` };
    },
  };

  function headerObjects({ always, sometimes = [] }: ResponseHeaders): JsonObject {
    for (const name of always) referred.set(name, { ...headers[name], required: true });
    return Object.fromEntries([
      ...always.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
      ...sometimes.map((name) => [name, headers[name]]),
    ]);
  }
}

function isStream({ method }: Route): boolean {
  return method.kind !== "unary";
}

/** Schema of the last element of a JSON array that ends with an error. */
export const streamError: JsonObject = {
  type: "object",
  description: "The last element of a stream that ended with an error.",
  properties: { error: reference("Error") },
  required: ["error"],
};

const streamFormats = [
  "As `text/event-stream`, the data of each event is one message; the data of an event `error` is the error.",
  "As `application/x-ndjson`, each line is one message. As `application/json`, the messages are the elements of one array.",
].join(" ");

function successDescription(route: Route, comments: Comments): string {
  const { responseBody } = route;
  const { output } = route.method.desc;
  const name = responseBody ? `${output.typeName}.${responseBody.name}` : output.typeName;
  const description = comments[name] ?? "OK";
  return isStream(route) ? `${description}\n\n${streamFormats}` : description;
}

function successContent(
  route: Route,
  schemas: Schemas,
  examples: JsonObject | undefined,
): JsonObject {
  const { responseBody } = route;
  const { output } = route.method.desc;
  const { description: _, ...schema } = responseBody
    ? schemas.field(responseBody)
    : schemas.message(output);
  if (!isStream(route)) return { "application/json": { schema, examples } };
  // OpenAPI 3.1 has no schema for a sequence of events or lines, so this is the schema of one of them.
  const single = { schema, examples: examples && singleExamples(examples) };
  return {
    [serverSentEvents.mediaType]: single,
    [ndjson.mediaType]: single,
    "application/json": {
      schema: { type: "array", items: schemas.streamElement(output, responseBody) },
      examples,
    },
  };
}

/** Splits the examples of a stream, which are arrays, into one example per message. */
function singleExamples(examples: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(examples).flatMap(([name, example]) => {
      const { value, ...about } = example as { value: readonly JsonObject[] };
      return value.map((message, at) => [`${name}${at + 1}`, { ...about, value: message }]);
    }),
  );
}
