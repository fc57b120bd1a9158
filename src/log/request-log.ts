import type { BlockList } from "node:net";
import type { Rejected, RequestRecord } from "../call/request-record.ts";
import type { Http1Response } from "../http/http1-exchange.ts";
import type { Http2Response } from "../http/http2-exchange.ts";
import { type Log, lineBudget, lineWriter, maxLinesPerSecond } from "../log.ts";
import { type FieldsOf, lineKinds } from "./lines.ts";
import { failureOf, isRefusal, isSuccess } from "./outcome.ts";
import { requestFields } from "./request-fields.ts";
import type { Summaries } from "./summaries.ts";

/** Settings of the lines about requests. */
export interface RequestLogOptions {
  /** Which requests have a line in the access log. */
  readonly accessLog: "off" | "errors" | "sampled" | "all";
  /** The share of the requests that `sampled` selects, from 0 to 1. */
  readonly accessLogSample: number;
  /** Most lines of the access log per second. */
  readonly accessLogLinesPerSecond: number;
  /** Requests that take at least this long are logged, in milliseconds; 0 when none are. */
  readonly slowRequestMs: number;
  readonly trustedProxies: BlockList;
}

/**
 * Reports a request whose response is closed.
 *
 * @param response undefined when the header section was rejected
 */
export type RequestEnd = (
  record: RequestRecord,
  response: Http1Response | Http2Response | undefined,
  rejected?: Rejected,
) => void;

/** Creates the function that writes the lines about requests: failures, slow requests, and the access log. */
export function createRequestLog(
  log: Log,
  options: RequestLogOptions,
  refused: Summaries["refused"],
): RequestEnd {
  const { accessLog, slowRequestMs, trustedProxies } = options;
  const logsSuccesses = accessLog === "all" || accessLog === "sampled";
  const needsTime = logsSuccesses || slowRequestMs > 0;
  const isSelected = selectionOf(options);
  const write = {
    failed: eventWriter(log, "failed"),
    unavailable: eventWriter(log, "unavailable"),
    slow: eventWriter(log, "slow"),
    access: limitedWriter(log, "access", options.accessLogLinesPerSecond),
  };

  return (record, response, rejected) => {
    const isOk = isSuccess(record);
    if (isOk && !needsTime) return;
    const ms = performance.now() - record.startedAt;
    const isSlow = slowRequestMs > 0 && ms >= slowRequestMs && !record.isStream;
    if (isOk && !isSlow && !logsSuccesses) return;
    const fields = () => requestFields(record, response, ms, trustedProxies, rejected);
    if (isRefusal(record)) refused(record.reason ?? "", record.caller?.keyId);
    const failure = failureOf(record);
    if (failure) write[failure](fields);
    if (isSlow) write.slow(fields);
    if (isSelected(isOk)) write.access(fields);
  };
}

/** Returns the function that decides whether a request has a line in the access log. */
function selectionOf({
  accessLog,
  accessLogSample,
}: RequestLogOptions): (isOk: boolean) => boolean {
  switch (accessLog) {
    case "off":
      return () => false;
    case "errors":
      return (isOk) => !isOk;
    case "sampled":
      return () => Math.random() < accessLogSample;
    case "all":
      return () => true;
  }
}

type RequestLine = "failed" | "unavailable" | "slow" | "access";

/** Writes a line. The fields are made only for lines that are written, because floods of requests fail. */
type Writer = (fields: () => FieldsOf<RequestLine>) => void;

/** Returns a writer that obeys the level of the log. */
function eventWriter(log: Log, name: RequestLine): Writer {
  const { level } = lineKinds[name];
  const write = limitedWriter(log, name, maxLinesPerSecond);
  return (fields) => {
    if (log.isLevelEnabled(level)) write(fields);
  };
}

function limitedWriter(log: Log, name: RequestLine, perSecond: number): Writer {
  const { level, message } = lineKinds[name];
  const budget = lineBudget(log);
  const write = lineWriter(log, level, message);
  return (fields) => {
    const suppressed = budget.admit(message, perSecond);
    if (suppressed === undefined) return;
    write(suppressed === 0 ? fields() : { ...fields(), suppressed });
  };
}
