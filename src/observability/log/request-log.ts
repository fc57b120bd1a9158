import { Code } from "@connectrpc/connect";
import {
  clientAddress,
  clientIp,
  type Exchange,
  forwardedFor,
  peerAddress,
  requestIdOf,
} from "connect-gateway";
import { codeName, type Rejected, type RequestRecord } from "connect-gateway/call";
import { callRecordOf } from "../../common/call-context.ts";
import type { Config } from "../../config/config.ts";
import { knownMethod } from "../semantic-names.ts";
import { traceIdOf } from "../traceparent.ts";
import type { LineLimit } from "./line-budget.ts";
import { type FieldsOf, lineKinds } from "./lines.ts";
import { type Log, lineWriter, maxLinesPerSecond } from "./log.ts";
import type { Summaries } from "./summaries.ts";

type RequestLogOptions = Pick<
  Config,
  "accessLog" | "accessLogSample" | "accessLogLinesPerSecond" | "slowRequestMs" | "trustedProxies"
>;

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
    if (isRefusal(record)) refused(record.reason ?? "", callRecordOf(record).caller?.keyId);
    const failure = failureOf(record);
    const isLogged = isSelected(isOk);
    if (!failure && !isSlow && !isLogged) return;
    const peer = response ? peerAddress(response) : rejected?.peer;
    const forwarded = response && forwardedFor(response);
    const { caller, storeMs, span } = callRecordOf(record);
    const client = caller?.accountId ?? (peer && clientAddress(peer, forwarded, trustedProxies));
    // Nothing that a client has sent, except its `X-Request-Id`.
    const fields = (): FieldsOf<"access"> => ({
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
      client: clientIp(peer, forwarded, trustedProxies),
      requestId: response ? requestIdOf(response) : rejected?.requestId,
      traceId: traceIdOf(span, response?.headers.traceparent),
    });
    if (failure) write[failure](fields, client);
    if (isSlow) write.slow(fields, client);
    if (isLogged) write.access(fields, client);
  };
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
  const write = lineWriter(log, level, message);
  return (fields, client) => {
    const suppressed = log.budget.admit(message, limit, client);
    if (suppressed === undefined) return;
    write(suppressed === 0 ? fields() : { ...fields(), suppressed });
  };
}

function round(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}

/** RPC codes that mean the same as 500, and those that mean the same as 502 to 504. */
const bugs: ReadonlySet<number> = new Set([Code.Unknown, Code.Internal, Code.DataLoss]);
const outages: ReadonlySet<number> = new Set([Code.DeadlineExceeded, Code.Unavailable]);

/** Returns the code of a request in the terms of its protocol. */
function codeText({ protocol, code }: RequestRecord): number | string {
  return protocol === "http" ? code : codeName(protocol, code);
}

/** Returns whether a request has succeeded. */
function isSuccess({ protocol, code }: RequestRecord): boolean {
  return protocol === "http" ? code < 400 : code === 0;
}

/** Returns whether a request was refused because of a limit of the caller. */
function isRefusal({ protocol, code }: RequestRecord): boolean {
  return code === (protocol === "http" ? 429 : Code.ResourceExhausted);
}

/** Returns the kind of line that reports the failure of the server; undefined when the server has not failed. */
function failureOf({ protocol, code }: RequestRecord): "failed" | "unavailable" | undefined {
  if (protocol === "http") {
    if (code < 500) return undefined;
    return code === 500 ? "failed" : "unavailable";
  }
  if (bugs.has(code)) return "failed";
  return outages.has(code) ? "unavailable" : undefined;
}
