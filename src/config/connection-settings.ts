import { integer, zeroOr } from "./parsers.ts";
import { type Setting, setting } from "./setting.ts";

/** Sizes, times and numbers of requests and connections. */
export const connectionSettings = {
  MAX_BODY_BYTES: setting(
    "Maximum size of a request body or an RPC message, in bytes after decompression. For request batches, it is at least 262144.",
    integer(1_024, 67_108_864, 65_536),
  ),
  MAX_HEADER_BYTES: setting(
    "Maximum size of the header section of a request, in bytes. Over HTTP/2, each header counts 32 bytes more.",
    integer(4_096, 262_144, 16_384),
  ),
  HEADERS_TIMEOUT_MS: setting(
    "Time in which the header section of a request must arrive, in milliseconds. Otherwise the request fails.",
    integer(100, 300_000, 10_000),
  ),
  REQUEST_TIMEOUT_MS: setting(
    "Time in which the whole body of a request must arrive, in milliseconds. Otherwise the request fails. The limit also applies to the stream of `ImportPets`.",
    integer(100, 3_600_000, 30_000),
  ),
  KEEP_ALIVE_TIMEOUT_MS: setting(
    "Time after which an idle connection is closed, in milliseconds. HTTP/1.1 connections are closed 1 s later than `Keep-Alive` says.",
    integer(100, 3_600_000, 65_000),
  ),
  MAX_CONNECTION_AGE_MS: setting(
    "Time after which the service asks the client to replace a connection by a new one, in milliseconds. The time of each connection is randomly up to 10 % longer or shorter. 5 minutes later, or after the same time if that is shorter, the service ends the streams of the connection with `SERVER_DRAINING`, and closes the connection 2 s later. 0 means no limit.",
    zeroOr(100, 604_800_000, 1_800_000),
  ),
  SEND_TIMEOUT_MS: setting(
    "Time after which a slow client is disconnected, in milliseconds. The service resets a connection if the client reads less than 240 bytes per second from it. On a faster HTTP/2 connection, the service resets a stream if the client reads less than 24 bytes per second from it.",
    integer(100, 3_600_000, 30_000),
  ),
  MAX_UNREAD_BYTES: setting(
    "Maximum size of the data that waits for clients, in bytes, for each process: responses that clients have not read, headers, unfinished bodies, and queues of the kernel. Above this size, the client address with the most bytes loses the connections that have waited the longest.",
    integer(1_048_576, 1_099_511_627_776, 134_217_728),
  ),
  MAX_UNREAD_BYTES_PER_ADDRESS: setting(
    "The same maximum for the connections of one client address (IPv4 address or IPv6 /64). `TRUSTED_PROXIES` are exempt.",
    integer(1_048_576, 1_099_511_627_776, 33_554_432),
  ),
  MAX_CONNECTIONS: setting(
    "Maximum number of open connections of one process. Further connections are closed at once. One address gets about half at most; `TRUSTED_PROXIES` are exempt.",
    integer(1, 1_000_000, 10_000),
  ),
  MAX_CONNECTIONS_PER_ADDRESS: setting(
    "Maximum number of open connections of one client address (IPv4 address or IPv6 /64) in one process. Further connections are reset at once. `TRUSTED_PROXIES` are exempt.",
    integer(1, 1_000_000, 1_000),
  ),
  MAX_REQUESTS_IN_FLIGHT: setting(
    "Maximum number of open requests of one process, without streams. Further requests get 503. One account gets about half at most. Until the key of a request is checked, the request counts for its address. Requests that need no key, such as gRPC health checks, are counted separately, by address.",
    integer(1, 1_000_000, 4_096),
  ),
  MAX_STREAMS: setting(
    "Maximum number of open streams of one process, such as watches and imports. Further streams get 503. One account gets about half at most.",
    integer(1, 1_000_000, 10_000),
  ),
  ANONYMOUS_PER_MINUTE: setting(
    "Maximum number of requests without a valid API key per minute from one address (IPv4 address or IPv6 /64). An IPv6 /56 gets 4 times as many, and a /48 16 times.",
    integer(1, 1_000_000, 600),
  ),
  ANONYMOUS_PER_DAY: setting(
    "Maximum number of requests without a valid API key per day from one address, with the same factors.",
    integer(1, 1_000_000_000, 10_000),
  ),
  DRAIN_DELAY_MS: setting(
    "Time between SIGTERM and the drain, in milliseconds. During this time, the service reports that it is not ready, but still accepts connections and requests. Default: 5000 if a client has polled readiness in the last minute (`/readyz`, or `Check`, `List` or `Watch` of `grpc.health.v1.Health`), in any process of `WORKERS`; otherwise 0. SIGINT always drains at once.",
    integer(0, 3_600_000),
  ),
  DRAIN_TIMEOUT_MS: setting(
    "Time in which open requests can end after SIGINT, or after SIGTERM and `DRAIN_DELAY_MS`, in milliseconds.",
    integer(0, 3_600_000, 10_000),
  ),
} satisfies Record<string, Setting<unknown>>;
