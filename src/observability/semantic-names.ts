import type { RpcProtocol } from "connect-gateway/call";

/** The methods that OpenTelemetry's conventions name: https://opentelemetry.io/docs/specs/semconv/registry/attributes/http/ */
const known: ReadonlySet<string> = new Set(
  "CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT QUERY TRACE".split(" "),
);

/** Returns an HTTP method for logs, metrics and traces; `_OTHER` for all that a client has invented. */
export function knownMethod(method = ""): string {
  return known.has(method) ? method : "_OTHER";
}

/** `rpc.system.name` of each protocol: https://opentelemetry.io/docs/specs/semconv/rpc/ */
export const rpcSystems: Readonly<Record<RpcProtocol, string>> = {
  connect: "connectrpc",
  grpc: "grpc",
  grpc_web: "grpc_web",
};
