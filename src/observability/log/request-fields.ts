import type { BlockList } from "node:net";
import { clientIp } from "../../access/client-address.ts";
import type { Rejected, RequestRecord } from "../../call/request-record.ts";
import type { Http1Response } from "../../http/exchange/http1-exchange.ts";
import type { Http2Response } from "../../http/exchange/http2-exchange.ts";
import { forwardedFor, peerAddress } from "../../http/exchange/node-http.ts";
import { knownMethod } from "../../http/known-method.ts";
import { requestIdOf } from "../../http/request-id.ts";
import { traceIdOf } from "../telemetry/trace-context.ts";
import type { FieldsOf } from "./lines.ts";
import { codeText } from "./outcome.ts";

/** Returns what is logged about a request: nothing that a client has sent, except its `X-Request-Id`. */
export function requestFields(
  record: RequestRecord,
  response: Http1Response | Http2Response | undefined,
  ms: number,
  trustedProxies: BlockList,
  rejected?: Rejected,
): FieldsOf<"access"> {
  const { caller } = record;
  return {
    method: response && knownMethod(response.req.method),
    route: record.operation.route,
    protocol: record.protocol,
    code: codeText(record),
    reason: record.reason,
    complete: response === undefined || response.isComplete,
    ms: round(ms),
    storeMs: round(record.storeMs),
    bytesIn: record.bytesIn,
    bytesOut: record.bytesOut,
    accountId: caller?.accountId,
    keyId: caller?.keyId,
    client: response
      ? clientIp(peerAddress(response.req), forwardedFor(response.req), trustedProxies)
      : clientIp(rejected?.peer, undefined, trustedProxies),
    requestId: response ? requestIdOf(response) : rejected?.requestId,
    traceId: traceIdOf(record.span, response?.req.headers.traceparent),
  };
}

/** Rounds milliseconds to microseconds. */
function round(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
