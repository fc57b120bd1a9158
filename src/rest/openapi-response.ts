import { isHttpBody } from "./http-body.ts";
import type { JsonObject } from "./openapi-json.ts";
import { type Comments, reference, type Schemas } from "./openapi-schema.ts";
import type { Route } from "./route.ts";
import { ndjson, serverSentEvents } from "./stream-form.ts";

/** Header fields of answers: those that are always there, and those that may be. */
export interface ResponseHeaders {
  readonly always: readonly string[];
  readonly sometimes?: readonly string[];
}

/** An error that operations can answer with. */
export interface ErrorResponse {
  /** `default` for all that have no entry of their own. */
  readonly status: number | "default";
  /** Its name among the components. */
  readonly name: string;
  readonly description: string;
  /** Every reason that the error can have, as `X-Error-Reason` says it. */
  readonly reasons: readonly string[];
  readonly headers: ResponseHeaders;
  readonly examples?: JsonObject;
  /** False when it is the answer where no operation was found: it lacks an operation's own fields. */
  readonly ofOperation?: false;
  /** Whether a route can answer with it. All can when it is undefined. */
  readonly appliesTo?: (route: Route<never>) => boolean;
}

/** Makes responses, and gathers those that others refer to. */
export interface Responses {
  /** What a route answers when all is well. */
  success(
    route: Route<never>,
    headers: ResponseHeaders,
    examples: JsonObject | undefined,
  ): JsonObject;
  /** An answer without content. */
  empty(description: string, headers: ResponseHeaders): JsonObject;
  /** @param more header fields that every answer of the operation carries */
  failure(error: ErrorResponse, more: readonly string[]): JsonObject;
  /** Responses by name, for `components`. */
  readonly components: ReadonlyMap<string, JsonObject>;
  /** Header fields that some response always has, by name, for `components`. */
  readonly headers: ReadonlyMap<string, JsonObject>;
}

/**
 * Makes a {@link Responses}.
 *
 * @param headers every header field that a response can have, by name: a Header Object
 */
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
    success(route, fields, examples) {
      return {
        description: successDescription(route, comments),
        headers: headerFields(fields),
        content: successContent(route, schemas, examples),
      };
    },
    empty: (description, fields) => ({ description, headers: headerFields(fields) }),
    failure({ name, description, reasons, headers: fields, examples, ofOperation }, more) {
      const own = ofOperation === false ? [] : more;
      const response = {
        description,
        headers: {
          ...headerFields({ ...fields, always: [...fields.always, ...own] }),
          "X-Error-Reason": {
            description: "Why the request failed, for programs: it does not change.",
            required: true,
            schema: { type: "string", enum: reasons },
          },
        },
        content: { "application/json": { schema: reference("Error"), examples } },
      };
      // Only what is the same for all operations is worth a name.
      if (own.length > 0) return response;
      components.set(name, response);
      return { $ref: `#/components/responses/${name}` };
    },
  };

  function headerFields({ always, sometimes = [] }: ResponseHeaders): JsonObject {
    for (const name of always) referred.set(name, { ...headers[name], required: true });
    return Object.fromEntries([
      ...always.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
      ...sometimes.map((name) => [name, headers[name]]),
    ]);
  }
}

/** Whether a route answers with a stream of messages. */
export function isStream({ method }: Route<never>): boolean {
  return method.kind !== "unary";
}

/** Schema of the last element of a JSON array that an error has ended. */
export const streamError: JsonObject = {
  type: "object",
  description: "The last element of a stream that an error ended.",
  properties: { error: reference("Error") },
  required: ["error"],
};

const streamForms = [
  "As `text/event-stream`, each event has one such message as its data; an event `error` has an error.",
  "As `application/x-ndjson`, each line is one message; as `application/json`, all are elements of one array.",
].join(" ");

function successDescription(route: Route<never>, comments: Comments): string {
  const { responseBody } = route;
  const { output } = route.method.desc;
  const name = responseBody ? `${output.typeName}.${responseBody.name}` : output.typeName;
  const description = comments[name] ?? "OK";
  return isStream(route) ? `${description}\n\n${streamForms}` : description;
}

function successContent(
  route: Route<never>,
  schemas: Schemas,
  examples: JsonObject | undefined,
): JsonObject {
  const { responseBody } = route;
  const { output } = route.method.desc;
  const isRaw = isHttpBody(responseBody ? responseBody.message : output);
  if (isRaw) return { "*/*": {} };
  const { description: _, ...schema } = responseBody
    ? schemas.field(responseBody)
    : schemas.message(output);
  if (!isStream(route)) return { "application/json": { schema, examples } };
  // OpenAPI 3.1 has no schema for a sequence: that of an event or a line stands for it.
  const single = { schema, examples: examples && singleExamples(examples) };
  return {
    [serverSentEvents.mediaType]: single,
    [ndjson.mediaType]: single,
    "application/json": {
      schema: { type: "array", items: { anyOf: [schema, reference("StreamError")] } },
      examples,
    },
  };
}

/** An example for each message of the examples of a stream, which are arrays. */
function singleExamples(examples: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(examples).flatMap(([name, example]) => {
      const { value, ...about } = example as { value: readonly JsonObject[] };
      return value.map((message, at) => [`${name}${at + 1}`, { ...about, value: message }]);
    }),
  );
}
