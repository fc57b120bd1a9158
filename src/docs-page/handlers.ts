import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Content, toContent } from "../http/content.ts";
import type { Handler } from "../http/node-http.ts";
import { sendContent, sendError } from "../rest/answer.ts";
import type { HeaderFields } from "../rest/exchange.ts";
import { methodNotAllowed } from "../rest/http-failure.ts";

/**
 * People paste keys into the page: it runs no script but this server's, sends nothing to any other, and
 * can't be framed. The renderer styles elements from its script, which `style-src 'self'` permits, so
 * `unsafe-inline` is not needed; its icons are `data:` addresses.
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

const pageHeaders: HeaderFields = {
  "content-security-policy": pagePolicy,
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
};

/** The files of the page: its own, and those of the renderer. */
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
 * The reference page and the OpenAPI document that it shows, by path. Each is made, and compressed once
 * in each coding, when somebody wants it first.
 *
 * @param document writes the OpenAPI document
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

/** Answers GET and HEAD. A copy may be kept, and is asked after at each use. */
function resource(
  mediaType: string,
  read: () => string | Buffer,
  more: HeaderFields = {},
): Handler {
  const headers = { "cache-control": "no-cache", ...more };
  let made: { readonly content: Content; readonly etag: string } | undefined;
  return (request, response) => {
    const exchange = { request, response, headers };
    if (request.method !== "GET" && request.method !== "HEAD") {
      sendError(exchange, methodNotAllowed("GET, HEAD"));
      return;
    }
    if (!made) {
      const data = read();
      const type = mediaType.startsWith("text/") ? `${mediaType}; charset=utf-8` : mediaType;
      made = { content: toContent(type, data), etag: `"${hash("sha256", data, "base64url")}"` };
    }
    return sendContent(exchange, made.content, { etag: made.etag });
  };
}
