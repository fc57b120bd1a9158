/** What services, gates and guards use of a call. It imports nothing of node, so browsers can load it, too. */
export type { Annotations } from "./call/annotations.ts";
export { acceptedIntegers, rangeText } from "./call/annotations.ts";
export { callError, headersOf } from "./call/call-error.ts";
export { checkDeadline, type Deadline, deadlineExceeded, hasPassed } from "./call/deadline.ts";
export { guarded } from "./call/guard.ts";
export { memoize } from "./call/memoize.ts";
export type { AnyMessage, MapError } from "./call/method.ts";
export { optionOf } from "./call/option.ts";
export { abridge, escapeHidden, quote } from "./call/quote.ts";
export type { BeforeGate, GateContext, RequestGate } from "./call/request-gate.ts";
export { type HasValues, ownerKey, type RequestInfo, requestOf } from "./call/request-info.ts";
export {
  type Operation,
  otherOperation,
  type Rejected,
  type RequestRecord,
} from "./call/request-record.ts";
export type { AnyRequest, GuardedRoutes, Guards, Next } from "./call/routes.ts";
export { codeName, type RpcProtocol } from "./call/rpc-names.ts";
export { SharedPool } from "./call/shared-pool.ts";
export { singleFlight } from "./call/single-flight.ts";
export { inSlices } from "./call/slices.ts";
