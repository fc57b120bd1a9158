import { readJson } from "./exact-json.ts";
import type { Call, Method, Reference, Types } from "./model.ts";
import { commonHeaders, httpCalls, type OpenApi } from "./openapi.ts";
import { rpcCall, rpcTypes } from "./rpc.ts";
import type { RpcMethod, RpcReference } from "./rpc-document.ts";

/** Reads the descriptions of the service. @throws Error if the server does not return them */
export async function readReference(): Promise<Reference> {
  const [document, rpc] = await Promise.all([
    readDocument("/openapi.json"),
    readDocument("/docs/rpc.json"),
  ]);
  return createReference(document as OpenApi, rpc as RpcReference);
}

async function readDocument(path: string): Promise<unknown> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: status ${response.status}`);
  return readJson(await response.text());
}

/** Joins the OpenAPI document with the RPC methods. */
export function createReference(document: OpenApi, rpc: RpcReference): Reference {
  const http = httpCalls(document);
  const types = rpcTypes(rpc);
  return {
    introduction: document.info.description,
    version: document.info.version,
    commonHeaders: commonHeaders(document),
    services: rpc.services.map(({ methods, ...service }) => ({
      ...service,
      methods: methods.map((method) => methodOf(method, http.get(method.rpc), types)),
    })),
  };
}

function methodOf(method: RpcMethod, http: Call | undefined, types: Types): Method {
  const { name, rpc, scope, stability, samples } = method;
  const overRpc = rpcCall(method, types);
  return {
    name,
    rpc,
    ...(scope && { scope }),
    ...(stability && { stability }),
    isDeprecated: method.deprecated === true,
    calls: http ? [http, overRpc] : [overRpc],
    samples,
  };
}
