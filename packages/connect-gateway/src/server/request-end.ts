import { Code } from "@connectrpc/connect";
import { noCode } from "../call/request-record.ts";
import type { Exchange } from "../http/exchange/exchange.ts";
import type { ListenerOptions } from "./connections/listener-options.ts";

/** The status of requests whose clients disconnected before a response. nginx has introduced it. */
const clientClosedRequest = 499;

type OnRequestEnd = ListenerOptions["onRequestEnd"];

/** Completes the record of a request whose response is closed, and reports it. */
export function endRequest(response: Exchange, onRequestEnd: OnRequestEnd): void {
  const { record } = response;
  if (record.code === noCode) {
    const status = response.statusSent ?? clientClosedRequest;
    record.code = record.protocol === "http" ? status : Code.Canceled;
  }
  record.bytesIn = response.bodyBytes;
  record.bytesOut = response.method === "HEAD" ? 0 : response.bytesSent;
  onRequestEnd?.(record, response);
}
