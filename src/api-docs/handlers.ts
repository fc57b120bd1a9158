import { hash } from "node:crypto";
import { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import comments from "../../gen/comments.json" with { type: "json" };
import { type Content, toContent } from "../http/content/content.ts";
import type { Handler } from "../http/exchange/node-http.ts";
import { methodNotAllowed } from "../http/http-failure.ts";
import { refuseRequest, sendContent } from "../rest/response/send.ts";
import { tags } from "./openapi/operation-notes.ts";
import { describeRpc } from "./rpc/reference.ts";

/**
 * Returns the handlers of the OpenAPI document, and of the description of the RPC methods that the reference page
 * shows. Each is written at its first request, and compressed at the first request in each content coding.
 *
 * @param document returns the OpenAPI document
 */
export function documentHandlers(document: () => string): ReadonlyMap<string, Handler> {
  return new Map([
    ["/openapi.json", jsonResource(document)],
    ["/docs/rpc.json", jsonResource(rpcReference)],
  ]);
}

function rpcReference(): string {
  const services = [...tags, { name: "Administration", service: AdminService }];
  return JSON.stringify(describeRpc(services, comments));
}

/** Returns a handler for GET and HEAD. Clients may cache the response, and must revalidate it before each use. */
function jsonResource(read: () => string): Handler {
  const headers = { "cache-control": "no-cache" };
  let cached: { readonly content: Content; readonly etag: string } | undefined;
  return (request, response) => {
    const exchange = { response, headers };
    if (request.method !== "GET" && request.method !== "HEAD") {
      refuseRequest(exchange, methodNotAllowed("GET, HEAD"));
      return;
    }
    if (!cached) {
      const data = read();
      cached = {
        content: toContent("application/json", data),
        etag: `"${hash("sha256", data, "base64url")}"`,
      };
    }
    return sendContent(exchange, cached.content, { etag: cached.etag });
  };
}
