import { Code } from "@connectrpc/connect";
import type { CallFault } from "./call-fault.ts";

const unclearCodes: ReadonlySet<Code> = new Set([
  Code.Unknown,
  Code.Unavailable,
  Code.DeadlineExceeded,
  Code.Aborted,
  Code.Internal,
]);

/** Whether the service may have made the change although the call failed, because no response has arrived in time. */
export function isUnclear({ code }: CallFault): boolean {
  return unclearCodes.has(code);
}
