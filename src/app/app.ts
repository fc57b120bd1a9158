import { ConnectError } from "@connectrpc/connect";
import {
  createGateway,
  type Gateway,
  type GatewayOptions,
  healthHandlers,
  type ListenerOptions,
  type OverloadCause,
} from "connect-gateway";
import { singleFlight } from "connect-gateway/call";
import { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import { InventoryService } from "../../gen/inventory/v1/inventory_pb.ts";
import { createAdmitter } from "../admission/admission.ts";
import { type BanEvents, type BanWatch, createBanWatch } from "../admission/ban-watch.ts";
import { hasLargeMessages } from "../admission/batch-cost.ts";
import { createExpiringKeys } from "../admission/expiring-keys.ts";
import { limitHeaderNames } from "../admission/limit-headers.ts";
import { beforeAdmission, createRequestGate, setLastLimits } from "../admission/request-gate.ts";
import { documentHandlers } from "../api-docs/handlers.ts";
import { createTrail } from "../audit/audit-log.ts";
import { createRefusalCounter } from "../audit/refusals.ts";
import { callRecordKey, newCallRecord } from "../common/call-context.ts";
import type { Config } from "../config/config.ts";
import { readTlsFiles } from "../config/tls-files.ts";
import { changeOutcomeHeader } from "../contract/change-outcome.ts";
import { errorTerms, fieldInvalid, missingDetails } from "../contract/errors.ts";
import { httpJson, rpcJson } from "../contract/json.ts";
import { connectionAged, serverOverloaded, shareTaken } from "../contract/server-errors.ts";
import { auditLine, writeLine } from "../observability/log/lines.ts";
import type { Log } from "../observability/log/log.ts";
import { isOutOfFiles, outOfFilesLine } from "../observability/log/open-files.ts";
import { createRequestLog } from "../observability/log/request-log.ts";
import { startSummaries } from "../observability/log/summaries.ts";
import type { ServerState } from "../observability/metrics/service-metrics.ts";
import type { Tracing } from "../observability/tracing/tracing.ts";
import { errorMapper } from "../services/guards.ts";
import { createServices, services } from "../services/services.ts";
import { startSweeps } from "../services/sweeps.ts";
import { createUsageShipper } from "../services/usage/usage-shipper.ts";
import { createWatchService } from "../services/watch/watch-service.ts";
import type { Stores } from "../stores/stores.ts";
import { pageHandlers } from "../web/pages.ts";
import { isLong } from "./long-calls.ts";
import { createPublicRoutes } from "./public-services.ts";
import { sunsetPolicy } from "./sunset.ts";

export interface AppStatus extends ServerState {
  readonly isStopping: boolean;
}

/** A server that does not listen yet. */
export interface App extends Pick<Gateway, "listen" | "setTls"> {
  /**
   * Begins to stop: readiness checks fail from now on, and HTTP/1 connections close after their next response. Still
   * accepts connections and requests, until `drain`.
   */
  beginStop(): void;
  status(): AppStatus;
  /** Stops, like the gateway, and saves what is counted. Repeated calls return the same promise. */
  drain(graceMs: number): Promise<void>;
}

/** Functions that observe the server. They must not throw. */
export interface AppObservers extends Pick<ListenerOptions, "onRequestEnd"> {
  readonly tracing?: Pick<Tracing, "begin" | "end"> | undefined;
  /** Called with every check of the readiness, and every second while a health watch is open. */
  readonly onReadinessPoll?: () => void;
  readonly onFault?: () => void;
  /** Called with each ban that this process has caused. */
  readonly onBan?: BanEvents["onBan"];
  /** Called with the number of requests that reports of usage may lack. */
  readonly onUsageDropped?: (requests: number) => void;
  /** Called with each request that is refused because of overload. */
  readonly onOverload?: (cause: OverloadCause) => void;
}

/**
 * Builds the server. This is the only place that knows all of its parts.
 *
 * @throws Error when a rule in a proto file is invalid, or when the TLS files cannot be read
 */
export function createApp(
  config: Config,
  stores: Stores,
  log: Log,
  observers: AppObservers = {},
): App {
  const watchService = createWatchService(stores, config.watch);
  const summaries = startSummaries(log);
  const logRequest = createRequestLog(log, config, summaries.refused);
  const onFault = faultLogger(log, observers);
  const usage = createUsageShipper(stores.usage, {
    onDropped: observers.onUsageDropped ?? (() => {}),
    onFault,
  });
  const bans = logBans(log, (ban) => {
    observers.onBan?.(ban);
    usage.banned(ban);
  });
  const stopSweeps = startSweeps(stores, onFault);
  const expiring = createExpiringKeys();
  const trail = createTrail(stores, auditLine(log));
  const refusals = createRefusalCounter(trail, AdminService.typeName, onFault);
  const { routes, guards } = createServices(stores, {
    watch: watchService,
    refusals,
    bans,
    usage,
    trail,
  });
  const stopping = new AbortController();
  const draining = new AbortController();
  const sharedPing = singleFlight(stores.ping);
  const ping = () => {
    observers.onReadinessPoll?.();
    return sharedPing();
  };
  const admitter = createAdmitter({ ...config, store: stores.admission, bans, usage, expiring });
  const { tracing } = observers;
  const gateway = createGateway({
    routes,
    guards: { ...guards, isLong },
    publicRoutes: createPublicRoutes({
      services,
      reflection: config.grpcReflection,
      ping,
      stopping: stopping.signal,
      draining: draining.signal,
      healthWatches: config.healthWatches,
    }),
    requestGate: createRequestGate({
      admitter,
      prefetches: new Map([[InventoryService.method.listInventory, stores.inventory.prefetchList]]),
      errorMapper,
    }),
    beforeGate: beforeAdmission(admitter),
    readMaxBytes: (method) =>
      hasLargeMessages(method) ? config.maxBatchBodyBytes : config.maxBodyBytes,
    json: { http: httpJson, rpc: rpcJson },
    policy: sunsetPolicy(config.petsSunset),
    probes: healthHandlers({ ping, stopping: stopping.signal }),
    documents: () => new Map([...pageHandlers(), ...documentHandlers(config)]),
    terms: errorTerms,
    fieldInvalid,
    missingDetails,
    overloaded(cause, context) {
      observers.onOverload?.(cause);
      if (context) setLastLimits(admitter, context);
      return cause === "share" ? shareTaken() : serverOverloaded();
    },
    noRoom: serverOverloaded,
    cors: { origins: config.corsOrigins, ...corsHeaders },
    trustedProxies: config.trustedProxies,
    limits: limitsOf(config),
    ...(config.tls && { tls: readTlsFiles(config.tls) }),
    onRequest(exchange) {
      exchange.record.values.set(callRecordKey, newCallRecord());
      tracing?.begin(exchange);
    },
    onRequestEnd(record, response, rejected) {
      observers.onRequestEnd?.(record, response, rejected);
      logRequest(record, response, rejected);
      if (response) tracing?.end(response);
    },
    onConnectionDropped: summaries.connectionDropped,
    onFault,
  });

  async function drain(graceMs: number): Promise<void> {
    stopping.abort();
    draining.abort();
    watchService.stop();
    stopSweeps();
    await gateway.drain(graceMs).finally(summaries.stop);
    // The store's adapter has reported the failure.
    await refusals.flush().catch(() => {});
    await usage.close();
  }

  let drained: Promise<void> | undefined;
  return {
    listen: gateway.listen,
    setTls: gateway.setTls,
    beginStop() {
      stopping.abort();
      gateway.retire();
    },
    status() {
      const { watches, lag } = watchService.status();
      return {
        ...gateway.status(),
        watches,
        watchLag: lag,
        keysExpiring: expiring.count(Date.now()),
        isStopping: stopping.signal.aborted,
      };
    },
    drain(graceMs) {
      drained ??= drain(graceMs);
      return drained;
    },
  };
}

/** The headers of the service that browsers may send, and those that pages may read. */
const corsHeaders = {
  requestHeaders: ["idempotency-key"],
  responseHeaders: [
    ...limitHeaderNames,
    changeOutcomeHeader,
    "idempotency-replayed",
    "deprecation",
    "sunset",
  ],
};

/** Follows the bans that this process causes, and logs when they begin and end. */
function logBans(log: Log, onBan: BanEvents["onBan"]): BanWatch {
  return createBanWatch({
    onBan(ban) {
      onBan(ban);
      const { accountId, keyId, level, until } = ban;
      const end = new Date(until).toISOString();
      writeLine(log, "banned", { accountId, keyId, banLevel: level, until: end });
    },
    onEnd({ accountId, keyId, level }, how) {
      const lifted = how === "lifted";
      writeLine(log, "banEnded", { accountId, keyId, banLevel: level, lifted });
    },
  });
}

/** Returns a function that logs and counts errors that are bugs. */
function faultLogger(log: Log, observers: AppObservers): (error: unknown) => void {
  const logOutOfFiles = outOfFilesLine(log);
  return (error) => {
    if (isOutOfFiles(error)) {
      logOutOfFiles();
      return;
    }
    // A ConnectError is not a bug, for example when a store is not available. The store's adapter has logged it.
    if (!(error instanceof ConnectError)) {
      observers.onFault?.();
      writeLine(log, "bug", { err: error });
    }
  };
}

function limitsOf(config: Config): GatewayOptions["limits"] {
  const { listener, inFlight, maxConnections, connectionAge } = config;
  const age = connectionAge && { ...connectionAge, ended: connectionAged };
  return { ...listener, ...inFlight, maxConnections, ...(age && { age }) };
}
