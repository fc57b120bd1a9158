import type { DescMessage } from "@bufbuild/protobuf";
import { fieldsInJson, type Route, shortNames } from "connect-gateway/rest";
import comments from "../../../gen/comments.json" with { type: "json" };
import { StabilitySchema } from "../../../gen/rules/v1/rules_pb.ts";
import packageJson from "../../../package.json" with { type: "json" };
import type { DocumentSettings } from "../../../src/api-docs/handlers.ts";
import { httpJson } from "../../../src/contract/json.ts";
import { errorResponses } from "./error-responses.ts";
import { type Json, type JsonObject, writeJson } from "./generator/json.ts";
import { operationOf } from "./generator/operation.ts";
import { openApiPath } from "./generator/request.ts";
import { createResponses, streamError } from "./generator/response.ts";
import { createSchemas } from "./generator/schema.ts";
import { httpWords } from "./generator/words.ts";
import { headers } from "./headers.ts";
import { notesOf, tags } from "./operation-notes.ts";

/** Returns the OpenAPI document (https://spec.openapis.org/oas/v3.1.1.html) of the served routes as JSON. */
export function writeDocument(
  routes: readonly Route[],
  { maxBodyBytes, maxBatchBodyBytes, petsSunset }: DocumentSettings,
): string {
  const descs = routes.map(({ method }) => method.desc);
  const inputs = withNested(descs.map(({ input }) => input));
  const outputs = withNested(descs.map(({ output }) => output));
  const fields = [...inputs, ...outputs].flatMap((desc) => desc.fields);
  const words = httpWords(comments, fields);
  const schemas = createSchemas({
    comments: words,
    requested: withNested(
      routes.map(({ body, method }) => (body === "*" ? method.desc.input : body?.message)),
    ),
    inputs,
    given: [
      ["Error", errorSchema],
      ["StreamError", streamError],
    ],
  });
  const responses = createResponses(schemas, words, headers);
  const errorsOf = errorResponses(maxBodyBytes, maxBatchBodyBytes);
  const context = { comments: words, schemas, responses, errorsOf };
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = openApiPath(route);
    const operation = operationOf(route, notesOf(route.method.desc, petsSunset), context);
    paths[path] = { ...paths[path], [route.httpMethod.toLowerCase()]: operation };
  }
  return writeJson({
    openapi: "3.1.1",
    info,
    servers: [{ url: "/v1", description: "The server of this document." }],
    tags: tagObjects(),
    security: [{ apiKey: [] }],
    paths,
    components: {
      schemas: Object.fromEntries([...schemas.components].sort(([a], [b]) => (a < b ? -1 : 1))),
      responses: Object.fromEntries(responses.components),
      headers: Object.fromEntries(responses.headers),
      securitySchemes: { apiKey },
    },
  });
}

/** Returns message types, and those that are nested in them. */
function withNested(descs: readonly (DescMessage | undefined)[]): ReadonlySet<DescMessage> {
  const found = new Set<DescMessage>();
  const add = (desc: DescMessage | undefined) => {
    if (!desc || found.has(desc)) return;
    found.add(desc);
    for (const { message } of fieldsInJson(desc, httpJson.style.annotations)) add(message);
  };
  for (const desc of descs) add(desc);
  return found;
}

const info = {
  title: "Inventory Service",
  version: packageJson.version,
  summary: "Reports and adjusts the stock levels of the animals in a pet store.",
  description: [
    "Every request needs an **API key**, sent as `Authorization: Bearer <API_KEY>`, and counts against the minute and the day limit of the key's account. Responses report the remaining requests in their headers. After a 429, wait for the time in `Retry-After`.",
    "Every **error** has a body of `code`, `message` and `status`. Unknown members and parameters are rejected, never ignored.",
    "**Integers** are exact JSON numbers. An `int64` can exceed the precision of a double: use a parser that keeps all digits.",
    "Every path with GET supports HEAD. Every path supports OPTIONS.",
    stabilityText(),
  ].join("\n\n"),
  contact: { name: "The maintainers of the inventory service" },
  license: { name: "Apache License 2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
};

/** Says what the flags for the stability mean, in the words of the contract. */
function stabilityText(): string {
  const byName: Readonly<Record<string, string>> = comments;
  const { toName } = shortNames(StabilitySchema);
  const meanings = StabilitySchema.values.map(({ number, name }) => {
    const flag = toName.get(number);
    const meaning = byName[`${StabilitySchema.typeName}.${name}`];
    return `- ${flag ? `\`${flag}\`` : "without it"}: ${meaning}`;
  });
  return [
    "**Stability.** The flag `x-stability` says how likely an operation is to change:",
    meanings.join("\n"),
  ].join("\n\n");
}

function tagObjects(): JsonObject[] {
  const byName: Readonly<Record<string, string>> = comments;
  return tags.map(({ name, service }) => {
    const [description] = (byName[service.typeName] ?? name).split("\n\n", 1);
    return { name, description };
  });
}

const apiKey = {
  type: "http",
  scheme: "bearer",
  description:
    "An API key of an account. It begins with `inv_`. Each operation lists the scope that it needs.",
};

const errorSchema = {
  type: "object",
  description: "The body of every error.",
  properties: {
    code: { type: "string", description: "Machine-readable error code, such as `not_found`." },
    message: {
      type: "string",
      minLength: 1,
      description: "Human-readable description of what was wrong and what to do.",
    },
    status: {
      type: "integer",
      minimum: 400,
      maximum: 599,
      description: "The HTTP status code.",
    },
  },
  required: ["code", "message", "status"],
};
