/** The values of a line. `level`, `time` and `msg` come from the log itself. */
export interface Fields {
  readonly accountId: string;
  readonly banLevel: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly causes: Readonly<Record<string, number>>;
  readonly client: string;
  readonly code: number | string | null;
  readonly complete: boolean;
  readonly delayMs: number;
  readonly drainMs: number;
  readonly err: unknown;
  readonly faults: readonly unknown[];
  readonly exitCode: number | null;
  readonly keyId: string;
  readonly keys: number;
  readonly lifted: boolean;
  readonly lines: number;
  readonly method: string;
  readonly ms: number;
  readonly node: string;
  readonly origin: string;
  readonly outageMs: number;
  readonly pid: number;
  readonly protocol: string;
  readonly reason: string;
  readonly reasons: Readonly<Record<string, number>>;
  readonly requestId: string;
  readonly requests: number;
  readonly route: string;
  readonly server: string;
  readonly settings: Readonly<Record<string, string | null>> | readonly string[];
  readonly signal: string | null;
  readonly spans: number;
  readonly storeMs: number;
  readonly suppressed: number;
  readonly topKeys: readonly { readonly keyId: string; readonly requests: number }[];
  readonly traceId: string;
  readonly until: string;
  readonly url: string;
  readonly worker: number;
}

/** The meaning of each field. docs/operator/logs.md is generated from it. */
export const fieldMeanings: Readonly<Record<keyof Fields, string>> = {
  accountId: "account of the key, or the account that the line is about",
  banLevel: "level of the ban: 1 for the first, 5 for the longest",
  bytesIn: "bytes of the request body that were read, without headers",
  bytesOut: "bytes of the response body that were sent, without headers",
  causes: "number of connections, by the limit that closed them",
  client: "address of the client, as far as `TRUSTED_PROXIES` reported it",
  code: "result in the protocol's own terms: HTTP status, Connect code such as `not_found`, or gRPC code such as `NOT_FOUND`",
  complete:
    "`false` if the response was not sent completely, for example because the client disconnected",
  delayMs: "time until the drain begins, in milliseconds",
  drainMs: "how long draining took, in milliseconds",
  err: "`type`, `message`, `stack` and `code` of an error, at most 4,000 characters each",
  faults: "what is wrong with the settings",
  exitCode: "exit code of the worker; null if a signal ended it",
  keyId: "id of the key, which is not secret",
  keys: "number of keys with refused requests; counts at most 1,000",
  lifted: "`true` if the ban was lifted before its end",
  lines: "number of lines",
  method: "HTTP method",
  ms: "time from the end of the request's headers to the end of its response, in milliseconds",
  node: "version of Node",
  origin: "origin of the error as reported by Node, such as `unhandledRejection`",
  outageMs: "how long the server could not be used, in milliseconds",
  pid: "process id",
  protocol: "`http` (JSON over HTTP), `connect`, `grpc` or `grpc_web`",
  reason:
    "of a request: the stable [reason](../caller/errors.md) of its error; otherwise why it happened",
  reasons: "number of refused requests, by the stable [reason](../caller/errors.md) of the error",
  requestId: "`X-Request-Id` of the response",
  requests: "number of refused requests",
  route:
    "path template or RPC method that the request was for, such as `/v1/inventory/{pet_id}`; never the path itself",
  server: "`host:port` of the Redis server",
  settings: "all settings, without secrets; in `settings have changed`, only the names of those",
  signal: "signal that ended the worker; null if it exited",
  spans: "number of spans that were lost",
  storeMs: "time in which the request waited for Redis, in milliseconds",
  suppressed: "number of lines with the same `msg` that were dropped before this line",
  topKeys: "up to 5 keys with the most refused requests",
  traceId: "trace id of the request, if it is traced or its client has sent `traceparent`",
  until: "end of the ban",
  url: "address that the process listens on",
  worker: "number of the process, with `WORKERS` greater than 1",
};

/** The fields that pino writes by itself. */
export const ownFieldMeanings = {
  level: "20 debug, 30 info, 40 warn, 50 error, 60 fatal",
  time: "when the line was written, in UTC",
  msg: "kind of the line",
} as const;
