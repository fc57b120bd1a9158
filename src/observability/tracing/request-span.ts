import { Code } from "@connectrpc/connect";
import type { Exchange } from "connect-gateway";
import {
  codeName,
  otherOperation,
  type RequestRecord,
  type RpcProtocol,
} from "connect-gateway/call";
import { callRecordOf } from "../../common/call-context.ts";
import type { Span } from "../../common/span.ts";
import { knownMethod, rpcSystems } from "../semantic-names.ts";

/**
 * Names the span of a request whose response is closed, and adds its outcome. Paths and addresses of clients are left out.
 * See https://opentelemetry.io/docs/specs/semconv/rpc/ and /http/
 */
export function describeRequest(span: Span, { record, method: name, httpVersion }: Exchange): void {
  const { protocol, reason } = record;
  const { verdict } = callRecordOf(record);
  const method = knownMethod(name);
  span.setAttributes({
    "http.request.method": method,
    "network.protocol.version": httpVersion === "2.0" ? "2" : httpVersion,
    ...(reason !== undefined && { "inventory.error.reason": reason }),
    ...(verdict !== undefined && { "inventory.admission.verdict": verdict }),
  });
  if (protocol === "http") describeHttp(span, method, record);
  else describeRpc(span, protocol, record);
}

function describeHttp(span: Span, method: string, { operation, code }: RequestRecord): void {
  const { route } = operation;
  const verb = method === "_OTHER" ? "HTTP" : method;
  if (operation === otherOperation) span.rename(verb);
  else {
    span.rename(`${verb} ${route}`);
    span.setAttributes({ "http.route": route });
  }
  span.setAttributes({ "http.response.status_code": code });
  if (code >= 500) span.fail(String(code));
}

/** The codes that are faults of the server (semantic conventions for gRPC). The others are faults of the client. */
const serverFaults: ReadonlySet<number> = new Set([
  Code.Unknown,
  Code.DeadlineExceeded,
  Code.Unimplemented,
  Code.Internal,
  Code.Unavailable,
  Code.DataLoss,
]);

function describeRpc(span: Span, protocol: RpcProtocol, { operation, code }: RequestRecord): void {
  const isKnown = operation !== otherOperation;
  const method = operation.route.slice(1);
  const status = codeName(protocol, code);
  span.rename(isKnown ? method : rpcSystems[protocol]);
  span.setAttributes({
    "rpc.system.name": rpcSystems[protocol],
    "rpc.method": isKnown ? method : "_OTHER",
    "rpc.response.status_code": status,
  });
  if (serverFaults.has(code)) span.fail(status);
  else if (code !== 0) span.setAttributes({ "error.type": status });
}
