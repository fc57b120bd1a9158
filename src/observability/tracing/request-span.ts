import { Code } from "@connectrpc/connect";
import { otherOperation, type RequestRecord, success } from "../../call/request-record.ts";
import { codeName, type RpcProtocol, rpcSystems } from "../../call/rpc-names.ts";
import type { NodeServerRequest } from "../../http/exchange/node-http.ts";
import { knownMethod } from "../../http/known-method.ts";
import type { Span } from "../telemetry/span.ts";

/** Adds what is known when the header section is complete. Paths and addresses of clients are left out. */
export function describeRequest(span: Span, { method, httpVersion }: NodeServerRequest): void {
  span.attributes.push(
    ["http.request.method", knownMethod(method)],
    ["network.protocol.version", httpVersion === "2.0" ? "2" : httpVersion],
  );
}

/** Names a span, and adds the outcome of its request. See https://opentelemetry.io/docs/specs/semconv/rpc/ and /http/ */
export function describeOutcome(span: Span, record: RequestRecord): void {
  const { protocol, operation, code, reason, verdict } = record;
  if (reason !== undefined) span.attributes.push(["inventory.error.reason", reason]);
  if (verdict !== undefined) span.attributes.push(["inventory.admission.verdict", verdict]);
  if (protocol === "http") describeHttp(span, operation.route, code);
  else describeRpc(span, protocol, operation.route, code);
}

function describeHttp(span: Span, route: string, status: number): void {
  const [[, method]] = span.attributes as [[string, string]];
  const isKnown = route !== otherOperation.route;
  const verb = method === "_OTHER" ? "HTTP" : method;
  span.name = isKnown ? `${verb} ${route}` : verb;
  if (isKnown) span.attributes.push(["http.route", route]);
  span.attributes.push(["http.response.status_code", status]);
  if (status < 500) return;
  span.hasFailed = true;
  span.attributes.push(["error.type", String(status)]);
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

function describeRpc(span: Span, protocol: RpcProtocol, route: string, code: number): void {
  const method = route.slice(1);
  const isKnown = route !== otherOperation.route;
  span.name = isKnown ? method : rpcSystems[protocol];
  const status = codeName(protocol, code);
  span.attributes.push(
    ["rpc.system.name", rpcSystems[protocol]],
    ["rpc.method", isKnown ? method : "_OTHER"],
    ["rpc.response.status_code", status],
  );
  if (code === success) return;
  span.hasFailed = serverFaults.has(code);
  span.attributes.push(["error.type", status]);
}
