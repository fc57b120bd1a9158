interface Field<T> {
  /** The meaning, for the reference. */
  readonly meaning: string;
  /** Never set. Only the type counts: that of the field's values. */
  readonly value?: T;
}

const field = <T>(meaning: string): Field<T> => ({ meaning });
const text = field<string>;
const number = field<number>;

/** The fields of lines. `level`, `time` and `msg` come from the log itself. docs/operator/logs.md is generated from them. */
export const fields = {
  accountId: text("account of the key, or the account that the line is about"),
  attempt: number("number of the attempt: 1 for the first"),
  banLevel: number("level of the ban: 1 for the first, 5 for the longest"),
  bytesIn: number("bytes of the request body that were read, without headers"),
  bytesOut: number(
    "bytes of the response body that were sent, without headers; 0 for a malformed or late HTTP/1.1 request",
  ),
  causes: field<Readonly<Record<string, number>>>(
    "number of connections, by the limit that closed them",
  ),
  client: text(
    "address of the client: that of the connection, or the one that `TRUSTED_PROXIES` report",
  ),
  code: field<number | string | null>(
    "result in the protocol's own terms: HTTP status, Connect code such as `not_found`, or gRPC code such as `NOT_FOUND`",
  ),
  complete: field<boolean>(
    "`false` if the response was not sent completely, for example because the client disconnected",
  ),
  delayMs: number("time until the drain begins, or until the next attempt, in milliseconds"),
  drainMs: number("how long draining took, in milliseconds"),
  entry: field<object>("the entry of the audit trail: its `body`, without API keys, up to 4 kB"),
  err: field<unknown>(
    "`type`, `message`, `stack` and `code` of an error, at most 4,000 characters each",
  ),
  faults: field<readonly unknown[]>("what is wrong with the settings"),
  exitCode: field<number | null>("exit code of the worker; null if a signal ended it"),
  isNew: field<boolean>("`true` if the relay had no place before"),
  keyId: text("id of the key, which is not secret"),
  keys: number("number of keys with refused requests; counts at most 1,000"),
  lifted: field<boolean>("`true` if the ban was lifted before its end"),
  lines: number("number of lines"),
  method: text("HTTP method"),
  ms: number(
    "time from the end of the request's headers to the end of its response, in milliseconds",
  ),
  node: text("version of Node"),
  origin: text("origin of the error as reported by Node, such as `unhandledRejection`"),
  stepMs: number("by how much the clock was set back, in milliseconds"),
  outageMs: number("how long the server could not be used, in milliseconds"),
  pid: number("process id"),
  protocol: text("`http` (JSON over HTTP), `connect`, `grpc` or `grpc_web`"),
  reason: text(
    "of a request: the stable [reason](../caller/errors.md) of its error; otherwise why it happened",
  ),
  reasons: field<Readonly<Record<string, number>>>(
    "number of refused requests, by the stable [reason](../caller/errors.md) of the error",
  ),
  relay: text("name of the [relay](relay.md)"),
  requestId: text("`X-Request-Id` of the response"),
  requests: number("number of refused requests"),
  route: text(
    "path template or RPC method that the request was for, such as `/v1/inventory/{pet_id}`; never the path itself",
  ),
  sequence: number(
    "number of the entry; absent if Redis did not confirm it, so that the trail may lack it",
  ),
  server: text(
    "`host:port` of the Redis server; with Sentinel, the name of the primary, or `sentinels` for all of them",
  ),
  settings: field<Readonly<Record<string, string | null>> | readonly string[]>(
    "all settings, without secrets; in `settings have changed`, only the names of the changed ones",
  ),
  signal: field<string | null>("signal that ended the worker; null if it exited"),
  spans: number("number of spans that were lost"),
  storeMs: number("time in which the request waited for Redis, in milliseconds"),
  suppressed: number("number of lines with the same `msg` that were dropped before this line"),
  topKeys: field<readonly { readonly keyId: string; readonly requests: number }[]>(
    "up to 5 keys with the most refused requests",
  ),
  traceId: text("trace id of the request, if it is traced or its client has sent `traceparent`"),
  until: text("end of the ban"),
  url: text("address that the process listens on"),
  version: text("version of the change; in `relay begins`, of the place"),
  worker: number("number of the process, with `WORKERS` greater than 1"),
};

export type Fields = {
  readonly [N in keyof typeof fields]: (typeof fields)[N] extends Field<infer T> ? T : never;
};

/** The fields that pino writes by itself. */
export const ownFields = {
  level: number("one of the [levels](#levels)"),
  time: text("when the line was written, in UTC"),
  msg: text("kind of the line"),
};
