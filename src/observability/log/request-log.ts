import type { BlockList } from "node:net";
import {
  clientAddress,
  clientIp,
  type Exchange,
  forwardedFor,
  peerAddress,
  requestIdOf,
} from "connect-gateway";
import type { Rejected, RequestRecord } from "connect-gateway/call";
import { callRecordOf } from "../../common/call-context.ts";
import { knownMethod } from "../known-method.ts";
import { traceIdOf } from "../traceparent.ts";
import type { LineLimit } from "./line-budget.ts";
import { type FieldsOf, lineKinds } from "./lines.ts";
import { type Log, lineBudget, lineWriter, maxLinesPerSecond } from "./log.ts";
import { codeText, failureOf, isRefusal, isSuccess } from "./outcome.ts";
import type { Summaries } from "./summaries.ts";

export interface RequestLogOptions {
  readonly accessLog: "off" | "errors" | "sampled" | "all";
  /** The share of the requests that `sampled` selects, from 0 to 1. */
  readonly accessLogSample: number;
  readonly accessLogLinesPerSecond: number;
  /** Requests that take at least this long are logged, in milliseconds; 0 when none are. */
  readonly slowRequestMs: number;
  readonly trustedProxies: BlockList;
}

/** Creates the function that writes the lines about requests: failures, slow requests, and the access log. */
export function createRequestLog(
  log: Log,
  options: RequestLogOptions,
  refused: Summaries["refused"],
) {
  const { accessLog, slowRequestMs, trustedProxies } = options;
  const logsSuccesses = accessLog === "all" || accessLog === "sampled";
  const needsTime = logsSuccesses || slowRequestMs > 0;
  const isSelected = selectionOf(options);
  const write = {
    failed: eventWriter(log, "failed"),
    unavailable: eventWriter(log, "unavailable"),
    slow: eventWriter(log, "slow"),
    access: limitedWriter(log, "access", { lines: options.accessLogLinesPerSecond }),
  };

  /** Reports a request whose response is closed. @param response undefined when the header section was rejected */
  return (record: RequestRecord, response: Exchange | undefined, rejected?: Rejected): void => {
    const isOk = isSuccess(record);
    if (isOk && !needsTime) return;
    const ms = performance.now() - record.startedAt;
    const isSlow = slowRequestMs > 0 && ms >= slowRequestMs && !record.isStream;
    if (isOk && !isSlow && !logsSuccesses) return;
    const fields = () => requestFields({ record, response, ms, rejected }, trustedProxies);
    if (isRefusal(record)) refused(record.reason ?? "", callRecordOf(record).caller?.keyId);
    const failure = failureOf(record);
    const isLogged = isSelected(isOk);
    if (!failure && !isSlow && !isLogged) return;
    const { caller } = callRecordOf(record);
    const client = caller?.accountId ?? addressOf(response, rejected, trustedProxies);
    if (failure) write[failure](fields, client);
    if (isSlow) write.slow(fields, client);
    if (isLogged) write.access(fields, client);
  };
}

function addressOf(
  response: Exchange | undefined,
  rejected: Rejected | undefined,
  trustedProxies: BlockList,
): string | undefined {
  const peer = response ? peerAddress(response) : rejected?.peer;
  return peer && clientAddress(peer, response && forwardedFor(response), trustedProxies);
}

/** Returns the function that decides whether a request has a line in the access log. */
function selectionOf({ accessLog, accessLogSample }: RequestLogOptions) {
  const selections: Record<typeof accessLog, (isOk: boolean) => boolean> = {
    off: () => false,
    errors: (isOk) => !isOk,
    sampled: () => Math.random() < accessLogSample,
    all: () => true,
  };
  return selections[accessLog];
}

/** A request whose response is closed. */
interface Ended {
  readonly record: RequestRecord;
  readonly response: Exchange | undefined;
  readonly ms: number;
  readonly rejected: Rejected | undefined;
}

type RequestLine = "failed" | "unavailable" | "slow" | "access";

/** The most lines a second about failed or slow requests. */
const eventLimit: LineLimit = { lines: 2 * maxLinesPerSecond, ofClient: maxLinesPerSecond };

/** Writes a line about a request of a client. The fields are made only if it is written, because floods of requests fail. */
type Writer = (fields: () => FieldsOf<RequestLine>, client: string | undefined) => void;

/** Returns a writer that obeys the level of the log. */
function eventWriter(log: Log, name: RequestLine): Writer {
  const { level } = lineKinds[name];
  const write = limitedWriter(log, name, eventLimit);
  return (fields, client) => {
    if (log.isLevelEnabled(level)) write(fields, client);
  };
}

function limitedWriter(log: Log, name: RequestLine, limit: LineLimit): Writer {
  const { level, message } = lineKinds[name];
  const budget = lineBudget(log);
  const write = lineWriter(log, level, message);
  return (fields, client) => {
    const suppressed = budget.admit(message, limit, client);
    if (suppressed === undefined) return;
    write(suppressed === 0 ? fields() : { ...fields(), suppressed });
  };
}

/** Returns what is logged about a request: nothing that a client has sent, except its `X-Request-Id`. */
function requestFields(
  { record, response, ms, rejected }: Ended,
  trustedProxies: BlockList,
): FieldsOf<"access"> {
  const { caller, storeMs, span } = callRecordOf(record);
  return {
    method: response && knownMethod(response.method),
    route: record.operation.route,
    protocol: record.protocol,
    code: codeText(record),
    reason: record.reason,
    complete: response === undefined || response.isComplete,
    ms: round(ms),
    storeMs: round(storeMs),
    bytesIn: record.bytesIn,
    bytesOut: record.bytesOut,
    accountId: caller?.accountId,
    keyId: caller?.keyId,
    client: response
      ? clientIp(peerAddress(response), forwardedFor(response), trustedProxies)
      : clientIp(rejected?.peer, undefined, trustedProxies),
    requestId: response ? requestIdOf(response) : rejected?.requestId,
    traceId: traceIdOf(span, response?.headers.traceparent),
  };
}

function round(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
