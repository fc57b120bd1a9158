import { Code } from "@connectrpc/connect";
import { otherOperation, type RequestRecord, success } from "../../call/request-record.ts";
import { codeName, type RpcProtocol, rpcSystems } from "../../call/rpc-names.ts";
import type { Span } from "../../call/span.ts";
import type { NodeServerResponse } from "../../http/exchange/node-http.ts";
import { knownMethod } from "../../http/known-method.ts";

/**
 * Names the span of a request whose response is closed, and adds its outcome. Paths and addresses of clients are left out.
 * See https://opentelemetry.io/docs/specs/semconv/rpc/ and /http/
 */
export function describeRequest(span: Span, { record, req }: NodeServerResponse): void {
  const { protocol, reason, verdict } = record;
  const method = knownMethod(req.method);
  span.setAttributes({
    "http.request.method": method,
    "network.protocol.version": req.httpVersion === "2.0" ? "2" : req.httpVersion,
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
  else if (code !== success) span.setAttributes({ "error.type": status });
}
