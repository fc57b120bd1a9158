import { Code } from "@connectrpc/connect";
import { codeName, type RequestRecord } from "connect-gateway/call";

/** RPC codes that mean the same as 500, and those that mean the same as 502 to 504. */
const bugs: ReadonlySet<number> = new Set([Code.Unknown, Code.Internal, Code.DataLoss]);
const outages: ReadonlySet<number> = new Set([Code.DeadlineExceeded, Code.Unavailable]);

const tooManyRequests = 429;

/** Returns the code of a request in the terms of its protocol. */
export function codeText({ protocol, code }: RequestRecord): number | string {
  return protocol === "http" ? code : codeName(protocol, code);
}

/** Returns whether a request has succeeded. */
export function isSuccess({ protocol, code }: RequestRecord): boolean {
  return protocol === "http" ? code < 400 : code === 0;
}

/** Returns whether a request was refused because of a limit of the caller. */
export function isRefusal({ protocol, code }: RequestRecord): boolean {
  return code === (protocol === "http" ? tooManyRequests : Code.ResourceExhausted);
}

/** Returns the kind of line that reports the failure of the server; undefined when the server has not failed. */
export function failureOf({ protocol, code }: RequestRecord): "failed" | "unavailable" | undefined {
  if (protocol === "http") {
    if (code < 500) return undefined;
    return code === 500 ? "failed" : "unavailable";
  }
  if (bugs.has(code)) return "failed";
  return outages.has(code) ? "unavailable" : undefined;
}
