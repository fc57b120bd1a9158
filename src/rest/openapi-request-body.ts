import { fieldsInJson } from "./message-field.ts";
import type { Json, JsonObject } from "./openapi-json.ts";
import { isRequired, type Schemas } from "./openapi-schema.ts";
import type { Route } from "./route.ts";

const mergePatch = "application/merge-patch+json";

/** What a request body is: its media types, schema and examples. Undefined when a route has none. */
export function requestBodyOf(
  { method, httpMethod, body, bodyReader, variables }: Route<never>,
  schemas: Schemas,
  examples: JsonObject | undefined,
): JsonObject | undefined {
  if (!body || !bodyReader) return undefined;
  const { input } = method.desc;
  const inPath = variables.map(({ path }) => path.length === 1 && path[0]);
  const fields = fieldsInJson(input).filter((field) => !inPath.includes(field));
  const { description, ...schema }: JsonObject =
    body === "*" ? schemas.body(input, fields) : schemas.field(body);
  const content: Json = bodyReader.raw ? {} : { schema, examples };
  const types = ["application/json", ...(httpMethod === "PATCH" ? [mergePatch] : [])];
  const required = body === "*" ? fields.some(isRequired) : isRequired(body);
  return {
    description,
    required: required || undefined,
    content: Object.fromEntries((bodyReader.raw ? ["*/*"] : types).map((type) => [type, content])),
  };
}
