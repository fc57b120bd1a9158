import { Code } from "@connectrpc/connect";
import {
  newRequestRecord,
  noCode,
  type Rejected,
  type RequestRecord,
} from "../call/request-record.ts";
import type { ErrorResponse } from "../http/error-response.ts";
import type { Http1Response } from "../http/exchange/http1-exchange.ts";
import type { Http2Response } from "../http/exchange/http2-exchange.ts";
import type { ListenerOptions } from "./connections/listener-options.ts";

/** The status of requests whose clients disconnected before a response. nginx has introduced it. */
const clientClosedRequest = 499;

type OnRequestEnd = ListenerOptions["onRequestEnd"];

/** Completes the record of a request whose response is closed, and reports it. */
export function endRequest(
  response: Http1Response | Http2Response,
  onRequestEnd: OnRequestEnd,
): void {
  const { record } = response;
  if (record.code === noCode) record.code = codeAtEnd(record, response);
  record.bytesIn = response.req.bodyBytes;
  record.bytesOut = response.bytesSent;
  onRequestEnd?.(record, response);
}

function codeAtEnd({ protocol }: RequestRecord, response: Http1Response | Http2Response): number {
  if (protocol !== "http") return Code.Canceled;
  return response.statusSent ?? clientClosedRequest;
}

/** Reports a request that the parser has rejected, so that it has no response object. */
export function endRejected(
  { status, reason }: ErrorResponse,
  rejected: Rejected,
  onRequestEnd: OnRequestEnd,
): void {
  const record = newRequestRecord(performance.now());
  record.code = status;
  record.reason = reason;
  onRequestEnd?.(record, undefined, rejected);
}
