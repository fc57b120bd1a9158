import { codeToString } from "@connectrpc/connect/protocol-connect";
import type { Protocol } from "./request-record.ts";

/** A protocol whose codes are those of gRPC and Connect. */
export type RpcProtocol = Exclude<Protocol, "http">;

/** The names of all codes, by number, as Connect spells them. */
const names = ["ok", ...Array.from({ length: 16 }, (_, index) => codeToString(index + 1))];

/** The same, as gRPC spells them. */
const grpcNames = names.map((name) => (name === "canceled" ? "CANCELLED" : name.toUpperCase()));

/** Returns the name of a code in its protocol: `NOT_FOUND` in gRPC, `not_found` in Connect. */
export function codeName(protocol: RpcProtocol, code: number): string {
  const [all, unknown] = protocol === "connect" ? [names, "unknown"] : [grpcNames, "UNKNOWN"];
  return all[code] ?? unknown;
}
