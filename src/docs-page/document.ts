import comments from "../../gen/comments.json" with { type: "json" };
import { httpJson } from "../rest/json-form.ts";
import { describeRoutes } from "../rest/openapi.ts";
import { type JsonObject, writeJson } from "../rest/openapi-json.ts";
import type { Route } from "../rest/route.ts";
import { errorResponses } from "./error-responses.ts";
import { everyAnswer, headers } from "./headers.ts";
import { notesOf, tags } from "./operation-notes.ts";

/** Settings that the document tells of. */
export interface DocumentSettings {
  /** The largest request body, in bytes. */
  readonly maxBodyBytes: number;
  /** The largest request body of a batch, in bytes. */
  readonly maxBatchBodyBytes: number;
  /** Base addresses of other servers: URLs that end with `/v1`. */
  readonly openApiServers: readonly string[];
  /** When deprecated operations end, in milliseconds since the epoch. */
  readonly petsSunset: number;
}

/** Writes the OpenAPI document of the routes that are served. */
export function writeDocument(
  routes: readonly Route<never>[],
  { maxBodyBytes, maxBatchBodyBytes, openApiServers, petsSunset }: DocumentSettings,
): string {
  const document = describeRoutes({
    routes,
    dialect: httpJson.dialect,
    comments,
    basePath: "/v1",
    about: { info, servers: serverObjects(openApiServers), tags: tagObjects() },
    security: { name: "apiKey", scheme: apiKey },
    headers,
    answerHeaders: everyAnswer,
    errorSchema,
    errors: errorResponses(maxBodyBytes, maxBatchBodyBytes),
    notesOf: (method) => notesOf(method, petsSunset),
  });
  return writeJson(document);
}

const info = {
  title: "Inventory Service",
  version: "1.0.0",
  summary: "Reports and adjusts the stock levels of the animals in a pet store.",
  description: [
    "Every request needs an **API key**, sent as `Authorization: Bearer <API_KEY>`, and counts against the minute and the day limit of the key's account. Every answer tells how the account stands; after a 429, wait for as long as `Retry-After` says.",
    "Every **error** has a body of `code`, `message` and `status`. Members and parameters that are not known are refused, never ignored.",
    "**Integers** are JSON numbers and exact over the whole range of their format: read an `int64` with a parser that does not go by way of a double.",
    "Wherever there is GET there is HEAD, and every path answers OPTIONS.",
  ].join("\n\n"),
  contact: { name: "The maintainers of the inventory service" },
  license: { name: "Apache License 2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
};

function serverObjects(addresses: readonly string[]): JsonObject[] {
  return [
    { url: "/v1", description: "The server that this document comes from." },
    ...addresses.map((url) => ({ url })),
  ];
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
    "An API key of an account: it begins with `inv_`. The scope that each operation needs stands beside it.",
};

const errorSchema = {
  type: "object",
  description: "The body of every error.",
  properties: {
    code: { type: "string", description: "Machine-readable error code, such as `not_found`." },
    message: {
      type: "string",
      minLength: 1,
      description: "Human-readable description: what was wrong and what to do.",
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
