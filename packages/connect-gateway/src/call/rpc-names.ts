import type { Protocol } from "./request-record.ts";

/** A protocol whose codes are those of gRPC and Connect. */
export type RpcProtocol = Exclude<Protocol, "http">;

/** The names of all codes, by number, as Connect spells them. */
const names: readonly string[] = [
  "ok",
  "canceled",
  "unknown",
  "invalid_argument",
  "deadline_exceeded",
  "not_found",
  "already_exists",
  "permission_denied",
  "resource_exhausted",
  "failed_precondition",
  "aborted",
  "out_of_range",
  "unimplemented",
  "internal",
  "unavailable",
  "data_loss",
  "unauthenticated",
];

/** The same, as gRPC spells them. */
const grpcNames = names.map((name) => (name === "canceled" ? "CANCELLED" : name.toUpperCase()));

/** Returns the name of a code in its protocol: `NOT_FOUND` in gRPC, `not_found` in Connect. */
export function codeName(protocol: RpcProtocol, code: number): string {
  const [all, unknown] = protocol === "connect" ? [names, "unknown"] : [grpcNames, "UNKNOWN"];
  return all[code] ?? unknown;
}
