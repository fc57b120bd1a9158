import { fieldsInJson } from "../../../rest/binding/message-field.ts";
import type { JsonStyle } from "../../../rest/json/style.ts";
import type { Route } from "../../../rest/path/route.ts";
import type { Json, JsonObject } from "./json.ts";
import { isRequired, type Schemas } from "./schema.ts";

const mergePatch = "application/merge-patch+json";

/** Returns the Request Body Object of a route; undefined when the route takes no body. */
export function requestBodyOf(
  { method, httpMethod, body, bodyReader, variables }: Route<never>,
  schemas: Schemas,
  { annotations }: JsonStyle,
  examples: JsonObject | undefined,
): JsonObject | undefined {
  if (!body || !bodyReader) return undefined;
  const { input } = method.desc;
  const inPath = variables.map(({ path }) => path.length === 1 && path[0]);
  const fields = fieldsInJson(input, annotations).filter((field) => !inPath.includes(field));
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
