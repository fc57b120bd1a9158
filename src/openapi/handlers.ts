import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Content, toContent } from "../http/content.ts";
import { methodNotAllowed } from "../http/http-failure.ts";
import type { Handler } from "../http/node-http.ts";
import type { HttpHeaders } from "../rest/response/exchange.ts";
import { sendContent, sendError } from "../rest/response/send.ts";

/**
 * Content-Security-Policy of the page. Users paste API keys into it, so it runs only scripts of this server,
 * connects only to this server, and cannot be framed. Swagger UI sets styles from its script, which
 * `style-src 'self'` permits without `unsafe-inline`. Its icons are `data:` URLs.
 */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const pageHeaders: HttpHeaders = {
  "content-security-policy": pagePolicy,
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
};

/** The files of the page and of Swagger UI. */
const files: readonly (readonly [path: string, mediaType: string, file: string])[] = [
  ["/docs/page.css", "text/css", ownFile("page.css")],
  ["/docs/page.js", "text/javascript", ownFile("page.js")],
  [
    "/docs/swagger-ui.css",
    "text/css",
    fileURLToPath(import.meta.resolve("swagger-ui-dist/swagger-ui.css")),
  ],
  [
    "/docs/swagger-ui-bundle.js",
    "text/javascript",
    fileURLToPath(import.meta.resolve("swagger-ui-dist/swagger-ui-bundle.js")),
  ],
];

/**
 * Returns the handlers of the reference page and the OpenAPI document, by path. Each resource is read at its
 * first request, and compressed at the first request in each content coding.
 *
 * @param document returns the OpenAPI document
 */
export function docsHandlers(document: () => string): ReadonlyMap<string, Handler> {
  const page = resource("text/html", () => readFileSync(ownFile("page.html")), pageHeaders);
  return new Map([
    ["/openapi.json", resource("application/json", document)],
    ["/docs", page],
    ["/docs/", page],
    ...files.map(([path, mediaType, file]): [string, Handler] => [
      path,
      resource(mediaType, () => readFileSync(file)),
    ]),
  ]);
}

function ownFile(name: string): string {
  return join(import.meta.dirname, "browser", name);
}

/** Returns a handler for GET and HEAD. Clients may cache the response, and must revalidate it before each use. */
function resource(mediaType: string, read: () => string | Buffer, more: HttpHeaders = {}): Handler {
  const headers = { "cache-control": "no-cache", ...more };
  let cached: { readonly content: Content; readonly etag: string } | undefined;
  return (request, response) => {
    const exchange = { request, response, headers };
    if (request.method !== "GET" && request.method !== "HEAD") {
      sendError(exchange, methodNotAllowed("GET, HEAD"));
      return;
    }
    if (!cached) {
      const data = read();
      const type = mediaType.startsWith("text/") ? `${mediaType}; charset=utf-8` : mediaType;
      cached = { content: toContent(type, data), etag: `"${hash("sha256", data, "base64url")}"` };
    }
    return sendContent(exchange, cached.content, { etag: cached.etag });
  };
}
