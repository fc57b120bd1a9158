import type { DescMessage } from "@bufbuild/protobuf";
import { findEventId } from "./event-id.ts";
import { isHttpBody } from "./http-body.ts";
import type { JsonObject } from "./openapi-json.ts";
import type { Comments, Schemas } from "./openapi-schema.ts";
import type { Route } from "./route.ts";
import { ndjson, type StreamForm, serverSentEvents } from "./stream-form.ts";

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
 * @param errorSchema the schema of every error's body
 */
export function createResponses(
  schemas: Schemas,
  comments: Comments,
  headers: Readonly<Record<string, JsonObject>>,
  errorSchema: JsonObject,
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
        content: successContent(route, schemas, errorSchema, examples),
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
        content: { "application/json": { schema: errorSchema, examples } },
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

function successDescription({ method, responseBody }: Route<never>, comments: Comments): string {
  const { output } = method.desc;
  const name = responseBody ? `${output.typeName}.${responseBody.name}` : output.typeName;
  return comments[name] ?? "OK";
}

function successContent(
  { method, responseBody }: Route<never>,
  schemas: Schemas,
  errorSchema: JsonObject,
  examples: JsonObject | undefined,
): JsonObject {
  const { output } = method.desc;
  const isRaw = isHttpBody(responseBody ? responseBody.message : output);
  if (isRaw) return { "*/*": {} };
  const { description: _, ...schema } = responseBody
    ? schemas.field(responseBody)
    : schemas.message(output);
  if (method.kind === "unary") return { "application/json": { schema, examples } };
  return {
    "application/json": {
      schema: { type: "array", items: { anyOf: [schema, errorElement(errorSchema)] } },
      examples,
    },
    // OpenAPI 3.1 can't say what a line or an event is: the same as an element of the array.
    ...Object.fromEntries(
      [ndjson, serverSentEvents].map((form) => [
        form.mediaType,
        { schema: { type: "string" }, examples: examples && asText(examples, form, output) },
      ]),
    ),
  };
}

/** The last element of a stream that an error has ended. */
function errorElement(errorSchema: JsonObject): JsonObject {
  return { type: "object", properties: { error: errorSchema }, required: ["error"] };
}

/** Examples of a stream, which are arrays, in another of its forms. */
function asText(examples: JsonObject, form: StreamForm, output: DescMessage): JsonObject {
  const id = findEventId(output)?.jsonName;
  const idOf = (message: JsonObject) => (id === undefined ? "" : String(message[id] ?? ""));
  return Object.fromEntries(
    Object.entries(examples).map(([name, example]) => {
      const { value, ...about } = example as { value: readonly JsonObject[] };
      const text = value.map((message, at) =>
        form.message(JSON.stringify(message), at, idOf(message)),
      );
      return [name, { ...about, value: text.join("") }];
    }),
  );
}
