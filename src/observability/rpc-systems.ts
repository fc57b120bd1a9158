import type { RpcProtocol } from "connect-gateway/call";

/** `rpc.system.name` of each protocol: https://opentelemetry.io/docs/specs/semconv/rpc/ */
export const rpcSystems: Readonly<Record<RpcProtocol, string>> = {
  connect: "connectrpc",
  grpc: "grpc",
  grpc_web: "grpc_web",
};
