import { hash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Handler, sendNegotiated, toContent } from "connect-gateway";
import { once } from "../common/once.ts";
import { missingPage } from "./missing-page.ts";

/** The folder that `npm run build` writes. */
const builtFolder = join(import.meta.dirname, "../../dist/web");

/** The files of the pages, by path. */
const pageFiles: Readonly<Record<string, string>> = {
  "/": "console.html",
  "/docs": "reference.html",
  "/docs/": "reference.html",
};

/**
 * Content-Security-Policy of the pages. Users paste API keys into them. So they run only scripts of this server, connect
 * only to this server, and cannot be framed. Scripts set styles through the DOM, which `style-src 'self'` permits.
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

/** Headers by name in lower case. */
type HttpHeaders = Readonly<Record<string, string>>;

const pageHeaders: HttpHeaders = {
  "cache-control": "no-cache",
  "content-security-policy": pagePolicy,
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
};

/** The name of an asset has the hash of its content, so a cache never needs to ask for it again. */
const assetHeaders: HttpHeaders = { "cache-control": "public, max-age=31536000, immutable" };

const mediaTypes: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  txt: "text/plain; charset=utf-8",
};

/** The handlers of the browser pages and their assets, by path. Reads all files in the first call. */
export const pageHandlers = once(() => handlersOf(builtFolder));

/**
 * Returns the handlers of the pages and assets in a folder, by path. If the pages are not built, each handler of a page
 * returns a page that says how to build them.
 *
 * @param folder the folder of the built pages
 */
export function handlersOf(folder: string): ReadonlyMap<string, Handler> {
  const assets = existsSync(join(folder, "assets")) ? readdirSync(join(folder, "assets")) : [];
  return new Map([
    ...Object.entries(pageFiles).map(([path, file]) => [path, page(join(folder, file))] as const),
    ...assets.map((name) => {
      const data = readFileSync(join(folder, "assets", name));
      return [`/assets/${name}`, resource(mediaTypeOf(name), data, assetHeaders)] as const;
    }),
  ]);
}

function page(file: string): Handler {
  const html = existsSync(file) ? readFileSync(file) : missingPage;
  return resource(mediaTypeOf("page.html"), html, pageHeaders);
}

/** @throws Error if the build writes a kind of file that this list does not have */
function mediaTypeOf(name: string): string {
  const type = mediaTypes[name.slice(name.lastIndexOf(".") + 1)];
  if (type === undefined) throw new Error(`dist/web has ${name}, whose media type is not known`);
  return type;
}

/** Returns a handler for GET and HEAD. */
function resource(mediaType: string, data: string | Buffer, headers: HttpHeaders): Handler {
  const content = toContent(mediaType, data);
  const etag = `"${hash("sha256", data, "base64url")}"`;
  return (response) => {
    response.setHeaders(headers);
    response.setHeader("etag", etag);
    return sendNegotiated(response, content);
  };
}
