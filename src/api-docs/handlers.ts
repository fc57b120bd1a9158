import { hash } from "node:crypto";
import { singleFlight } from "../call/single-flight.ts";
import { type Content, toContent } from "../http/content/content.ts";
import type { Handler } from "../http/exchange/node-http.ts";
import type { Route } from "../rest/path/route.ts";
import { sendContent } from "../rest/response/send.ts";
import type { DocumentSettings } from "./openapi/document.ts";

/**
 * Returns the handlers of the OpenAPI document, and of the description of the RPC methods that the reference page
 * shows. Each is written at its first request, and compressed at the first request in each content coding. The code that
 * writes them is loaded then, too.
 */
export function documentHandlers(
  routes: readonly Route[],
  settings: DocumentSettings,
): ReadonlyMap<string, Handler> {
  const openApi = async () =>
    (await import("./openapi/document.ts")).writeDocument(routes, settings);
  const rpcReference = async () =>
    JSON.stringify((await import("./rpc/reference.ts")).describeRpc());
  return new Map([
    ["/openapi.json", jsonResource(openApi)],
    ["/docs/rpc.json", jsonResource(rpcReference)],
  ]);
}

/** A document and its entity tag. */
interface Resource {
  readonly content: Content;
  readonly etag: string;
}

/** Returns a handler for GET and HEAD. Clients may cache the response, and must revalidate it before each use. */
function jsonResource(write: () => Promise<string>): Handler {
  let cached: Resource | undefined;
  const make = singleFlight(async () => {
    const data = await write();
    cached ??= {
      content: toContent("application/json", data),
      etag: `"${hash("sha256", data, "base64url")}"`,
    };
    return cached;
  });
  return async (_, response) => {
    const { content, etag } = cached ?? (await make());
    await sendContent(response, content, { "cache-control": "no-cache", etag });
  };
}
