import { EventEmitter, once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Code, type ConnectError, type ConnectRouter, type ServiceImpl } from "@connectrpc/connect";
import { Health, HealthCheckResponse_ServingStatus } from "../../gen/health/v1/health_pb.ts";
import { callError } from "../call/call-error.ts";
import { guarded, madeBy, notPromise } from "../call/guard.ts";
import {
  all,
  anyFunction,
  anyObject,
  options as checksOf,
  milliseconds,
  texts,
} from "../call/option-checks.ts";
import { quote } from "../call/quote.ts";
import { type RequestInfo, requestOf } from "../call/request-info.ts";
import type { Exchange, Handler } from "../http/exchange/exchange.ts";
import { endWithText } from "../http/send-error.ts";

/** What the health service reports. */
export interface HealthOptions {
  /** Full names of the services. All have the status of the server as a whole. */
  readonly services: readonly string[];
  /**
   * Rejects when the server cannot serve, such as without its database; by default, it can. A ping that takes longer than 5 s
   * has failed. Calls made while a ping runs should share it (see `singleFlight`): every check makes one.
   */
  ping?(): Promise<void>;
  /** Aborted when the server begins to stop. It reports that it is not serving from then on. By default, never. */
  readonly stopping?: AbortSignal;
  /** Aborted when the server drains, at that time or later. Watches end. By default, with {@link stopping}. */
  readonly draining?: AbortSignal;
  /**
   * Counts an open watch, or throws a ConnectError. By default, only the limit of open streams holds.
   *
   * @returns a function that ends the count
   */
  readonly acquireWatch?: (request: RequestInfo) => () => void;
  /** Makes the error of a check on another service. */
  unknownService?(name: string): ConnectError;
  /** Makes the error of a watch whose client does not read, when the server stops. */
  stopped?(): ConnectError;
  /** Time between two pings while there are watches, in milliseconds; 1000 by default. */
  readonly intervalMs?: number;
}

/** The largest request, in bytes after decompression. The names of services are much shorter. */
const readMaxBytes = 1024;

/** Time after which a ping has failed, in milliseconds. */
const pingTimeoutMs = 5_000;

/** Time that clients have to read that the server is stopping, in milliseconds. */
const lingerMs = 1_000;

const { SERVING, NOT_SERVING, SERVICE_UNKNOWN } = HealthCheckResponse_ServingStatus;

const checks = {
  services: texts,
  ...all(anyFunction, "ping", "acquireWatch", "unknownService", "stopped"),
  ...all(anyObject, "stopping", "draining"),
  intervalMs: milliseconds,
};

/** Checks the options of health checks, of which none is required. @throws TypeError or RangeError that names an option */
const checkHealth = checksOf<HealthOptions>(checks);
const checkRoutes = checksOf<HealthOptions>(checks, ["services"]);

/**
 * Returns the routes of `grpc.health.v1.Health`, for the `publicRoutes` of a gateway or a server of Connect. However many
 * watches there are, one timer pings for them, and only while there are any.
 *
 * https://github.com/grpc/grpc/blob/master/doc/health-checking.md
 *
 * @throws TypeError or RangeError that names an option that is unknown or invalid
 */
export function healthRoutes(options: HealthOptions): (router: ConnectRouter) => void {
  checkRoutes(options, "");
  const {
    services,
    ping = async () => {},
    stopping = new AbortController().signal,
    draining = stopping,
    acquireWatch = () => () => {},
    unknownService = (name) => callError(`There is no service ${quote(name)}.`, Code.NotFound),
    stopped = () => callError("The server is shutting down. Reconnect.", Code.Unavailable),
    intervalMs = 1_000,
  } = options;
  /** The empty name stands for the server as a whole. */
  const known: ReadonlySet<string> = new Set(["", ...services]);
  /** The functions that end the open watches. */
  const watches = new Set<RequestInfo["end"]>();
  const changes = new EventEmitter().setMaxListeners(0);
  let isReady = false;
  let isFollowing = false;

  const status = () => (isReady && !stopping.aborted ? SERVING : NOT_SERVING);

  const wakeAll = () => changes.emit("change");

  /** Ends all watches, also those of clients that do not read, which would otherwise keep the server from stopping. */
  function stop(): void {
    wakeAll();
    const endAll = (reason: unknown) => {
      for (const end of watches) end(reason);
    };
    setTimeout(
      guarded(endAll, () => endAll(notPromise(stopped(), "stopped"))),
      lingerMs,
    ).unref();
  }
  stopping.addEventListener("abort", wakeAll, { once: true });
  draining.addEventListener("abort", stop, { once: true });

  async function update(): Promise<void> {
    const ready = await isServing(ping);
    if (ready === isReady) return;
    isReady = ready;
    wakeAll();
  }

  async function updated() {
    if (!stopping.aborted) await update();
    return { status: status() };
  }

  async function follow(): Promise<void> {
    if (isFollowing) return;
    isFollowing = true;
    for (;;) {
      await sleep(intervalMs, undefined, { ref: false });
      if (watches.size === 0) break;
      await update();
    }
    isFollowing = false;
  }

  const health: ServiceImpl<typeof Health> = {
    async check({ service }) {
      if (!known.has(service)) throw unknownService(service);
      return updated();
    },

    async list() {
      const all = await updated();
      return { statuses: Object.fromEntries([...known].map((name) => [name, all])) };
    },

    /** A slow reader gets only the latest status. Ends when the server drains and has reported that it is not serving. */
    async *watch({ service }, context) {
      const release = madeBy(acquireWatch(requestOf(context)), "acquireWatch");
      const { signal } = context;
      // The protocol requires the watch of an unknown service to stay open: the service might appear.
      const statusOf = known.has(service) ? status : () => SERVICE_UNKNOWN;
      const end = (reason: unknown) => requestOf(context).end(reason);
      // Runs on the signal too, because the end of a stream that is not read never comes.
      const leave = guarded(end, () => {
        if (watches.delete(end)) release();
      });
      watches.add(end);
      signal.addEventListener("abort", leave, { once: true });
      try {
        await update();
        void follow();
        let sent: HealthCheckResponse_ServingStatus | undefined;
        while (!signal.aborted) {
          const now = statusOf();
          if (now !== sent) {
            sent = now;
            yield { status: now };
          } else if (draining.aborted) {
            return;
          } else {
            await once(changes, "change", { signal }).catch(() => {});
          }
        }
      } finally {
        signal.removeEventListener("abort", leave);
        leave();
      }
    },
  };
  return (router) => void router.service(Health, health, { readMaxBytes });
}

/** Returns whether a ping succeeds within 5 s. Never rejects. */
export async function isServing(ping: () => Promise<unknown>): Promise<boolean> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(reject, pingTimeoutMs);
  try {
    await Promise.race([ping(), tooLate]);
    return true;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Makes the handlers of the health checks. `/livez` responds 200 while the process runs. `/readyz` responds 503 while
 * the ping rejects or takes longer than 5 s, and from the moment the process begins to stop.
 *
 * @param options those of `healthRoutes` hold here too
 * @throws TypeError or RangeError that names an option that is unknown or invalid
 */
export function healthHandlers(
  options: Pick<HealthOptions, "ping" | "stopping">,
): ReadonlyMap<string, Handler> {
  checkHealth(options, "");
  const { ping = async () => {}, stopping } = options;
  return new Map<string, Handler>([
    ["/livez", (response) => respond(response, 200, "ok")],
    [
      "/readyz",
      async (response) => {
        if (stopping?.aborted) respond(response, 503, "draining");
        else if (await isServing(ping)) respond(response, 200, "ok");
        else respond(response, 503, "not ready");
      },
    ],
  ]);
}

function respond(response: Exchange, httpStatus: number, status: string): void {
  const body = JSON.stringify({ status });
  response.writeHead(httpStatus, {
    "content-type": "application/json",
    "content-length": body.length,
    "cache-control": "no-store",
  });
  endWithText(response, body, body.length);
}
