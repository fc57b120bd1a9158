import { Code } from "@connectrpc/connect";
import type { CallFault } from "./call-fault.ts";

const unclearCodes: ReadonlySet<Code> = new Set([
  Code.Unknown,
  Code.Unavailable,
  Code.DeadlineExceeded,
  Code.Aborted,
  Code.Internal,
]);

/** Whether the service may have made the change although the call failed, such as after a lost response. */
export function isUnclear({ code, reason, facts }: CallFault): boolean {
  if (facts.changeOutcome !== undefined) return facts.changeOutcome === "unknown";
  // Such as SERVER_OVERLOADED: the service did not begin the call.
  if (code === Code.Unavailable && reason !== undefined) return false;
  return unclearCodes.has(code);
}
