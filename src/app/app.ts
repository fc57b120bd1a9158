import type { DescMethod } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import {
  InventoryService,
  type ListInventoryRequest,
} from "../../gen/inventory/v1/inventory_pb.ts";
import { UsageService } from "../../gen/usage/v1/usage_pb.ts";
import { createAdmission } from "../access/admission/admission.ts";
import { type BanEvents, createBanWatch } from "../access/admission/ban-watch.ts";
import { hasLargeMessages } from "../access/admission/batch-cost.ts";
import { createExpiringKeys } from "../access/admission/expiring-keys.ts";
import { documentHandlers } from "../api-docs/handlers.ts";
import { createTrail } from "../audit/audit-log.ts";
import { createRefusalCounter } from "../audit/refusals.ts";
import { bindRoutes } from "../call/routes.ts";
import { singleFlight } from "../call/single-flight.ts";
import type { Config } from "../config/config.ts";
import { readTlsFiles } from "../config/tls-files.ts";
import { deprecationNotice } from "../contract/deprecation.ts";
import { errorTerms, fieldInvalid, missingDetails } from "../contract/errors.ts";
import { httpJson } from "../contract/http-json.ts";
import { rpcJson } from "../contract/rpc-json.ts";
import { connectionAged, serverOverloaded, shareTaken } from "../contract/server-errors.ts";
import { CallerWork } from "../http/caller-work.ts";
import { httpError } from "../http/error-response.ts";
import { banEvents } from "../observability/log/ban-events.ts";
import { auditLine, writeLine } from "../observability/log/lines.ts";
import type { Log } from "../observability/log/log.ts";
import { isOutOfFiles, outOfFilesLine } from "../observability/log/open-files.ts";
import { createRequestLog } from "../observability/log/request-log.ts";
import { startSummaries } from "../observability/log/summaries.ts";
import type { ServerState } from "../observability/metrics/service-metrics.ts";
import type { Tracing } from "../observability/tracing/tracing.ts";
import { createTranscoder, type Policy } from "../rest/transcoder.ts";
import { createRpc } from "../rpc/rpc.ts";
import { createConnectionLimit } from "../server/connections/connection-limit.ts";
import { createHeldConnections } from "../server/connections/held-connections.ts";
import { addressLimits } from "../server/connections/http2-limits.ts";
import { createListener } from "../server/connections/listener.ts";
import type { ListenerOptions } from "../server/connections/listener-options.ts";
import { createCors } from "../server/cors.ts";
import { createFrontDoor } from "../server/front-door.ts";
import { healthHandlers } from "../server/health.ts";
import { createAddressFloods } from "../server/load/address-floods.ts";
import {
  createAdmissionQueue,
  createInFlight,
  type OverloadCause,
} from "../server/load/overload.ts";
import { publicEndpoints } from "../server/public-requests.ts";
import { needsScan } from "../services/inventory/selected-page.ts";
import { createServices, errorMapper } from "../services/services.ts";
import { startSweeps } from "../services/sweeps.ts";
import { createUsageCounter } from "../services/usage/usage-counter.ts";
import { createWatchService } from "../services/watch/watch-service.ts";
import type { Stores } from "../stores/stores.ts";
import { pageHandlers } from "../web/pages.ts";
import { createPublicRoutes, maxPublicMessageBytes } from "./public-services.ts";

/** The state of the server now. */
export interface AppStatus extends ServerState {
  readonly isStopping: boolean;
}

/** A server that does not listen yet. */
export type App = ReturnType<typeof createApp>;

/** Functions that observe the server. They must not throw. */
export interface AppObservers extends Pick<ListenerOptions, "onRequestEnd"> {
  /** Traces requests. */
  readonly tracing?: Pick<Tracing, "begin" | "end"> | undefined;
  /** Called with every check of the readiness, and every second while a health watch is open. */
  readonly onReadinessPoll?: () => void;
  /** Called with each error that is a bug. */
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
 * @param observers functions that are called with what happens
 * @throws Error when a rule in a proto file is invalid, or when the TLS files cannot be read
 */
export function createApp(config: Config, stores: Stores, log: Log, observers: AppObservers = {}) {
  const watchService = createWatchService(stores, config.watch);
  const logBan = banEvents(log);
  const summaries = startSummaries(log);
  const logRequest = createRequestLog(log, config, summaries.refused);
  const logOutOfFiles = outOfFilesLine(log);
  const onFault = (error: unknown) => {
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
  const usage = createUsageCounter(stores.usage, {
    onDropped: observers.onUsageDropped ?? (() => {}),
    onFault,
  });
  const bans = createBanWatch({
    onBan(ban) {
      observers.onBan?.(ban);
      logBan.onBan(ban);
      usage.banned(ban);
    },
    onEnd: logBan.onEnd,
  });
  const sweeps = startSweeps(stores, onFault);
  const expiring = createExpiringKeys();
  const trail = createTrail(stores, auditLine(log));
  const refusals = createRefusalCounter(trail, AdminService.typeName, onFault);
  const methods = bindRoutes(
    createServices(stores, { watch: watchService, refusals, bans, usage, trail }),
  );
  const maxBodyBytes = (method: DescMethod) =>
    hasLargeMessages(method) ? config.maxBatchBodyBytes : config.maxBodyBytes;
  const stopping = new AbortController();
  const draining = new AbortController();
  const sharedPing = singleFlight(stores.ping);
  const ping = () => {
    observers.onReadinessPoll?.();
    return sharedPing();
  };
  const work = new CallerWork({
    overloaded: serverOverloaded,
    wholeLists: new Map([
      [
        InventoryService.method.listInventory,
        (request) => needsScan(request as ListInventoryRequest),
      ],
    ]),
    longMethods: new Set([UsageService.method.getUsage, AdminService.method.getAccountUsage]),
  });
  const rpcOptions = {
    maxMessageBytes: maxBodyBytes,
    json: rpcJson,
    refuseField: fieldInvalid,
    missingDetails,
    reasonOf: errorTerms.reasonOf,
    onFault,
  };
  const publicRoutes = createPublicRoutes({
    services: [...new Set(methods.map(({ desc }) => desc.parent))],
    reflection: config.grpcReflection,
    ping,
    stopping: stopping.signal,
    draining: draining.signal,
    healthWatches: config.healthWatches,
  });

  const publicOptions = {
    ...rpcOptions,
    work: new CallerWork({ overloaded: serverOverloaded }),
    methods: bindRoutes({ routes: publicRoutes }),
    maxMessageBytes: () => maxPublicMessageBytes,
  };

  const rest = createTranscoder({
    methods,
    json: httpJson,
    work,
    maxBodyBytes,
    errorTerms,
    policy: sunsetPolicy(config.petsSunset),
    onFault,
  });
  const inFlight = createInFlight(config.inFlight);
  const admission = createAdmission({
    ...config,
    store: stores.admission,
    bans,
    usage,
    expiring,
  });
  const queue = createAdmissionQueue(admission.callerOf);
  const cors = createCors(config.corsOrigins);
  const frontDoor = createFrontDoor({
    publicEndpoints: publicEndpoints(
      {
        probes: healthHandlers(ping, () => stopping.signal.aborted),
        documents: new Map([...pageHandlers(), ...documentHandlers(rest.routes, config)]),
        methods: createRpc(publicOptions).byPath,
      },
      rest.unknown,
    ),
    trustedProxies: config.trustedProxies,
    cors,
    admission,
    queue,
    overloaded(cause) {
      observers.onOverload?.(cause);
      return cause === "share" ? shareTaken() : serverOverloaded();
    },
    rest,
    rpc: createRpc({ ...rpcOptions, work, methods }),
    prefetches: new Map([[InventoryService.method.listInventory, stores.inventory.prefetchList]]),
    inFlight,
    errorMapper,
    onFault,
  });
  const { tracing } = observers;
  const listener = createListener({
    handle: frontDoor.handle,
    onRequest(request, response) {
      cors.begin(request, response);
      tracing?.begin(request, response);
    },
    rejectionHeaders: cors.headersFor,
    onRequestEnd(record, response, rejected) {
      observers.onRequestEnd?.(record, response, rejected);
      logRequest(record, response, rejected);
      if (response) tracing?.end(response);
    },
    onConnectionDropped: summaries.connectionDropped,
    onThrow: frontDoor.onThrow,
    held: createHeldConnections(queue, (client) => inFlight.holderOf("unary", client)),
    ...(config.tls && { tls: readTlsFiles(config.tls) }),
    headersTimeoutMs: config.headersTimeoutMs,
    requestTimeoutMs: config.requestTimeoutMs,
    keepAliveTimeoutMs: config.keepAliveTimeoutMs,
    ...(config.connectionAge && { age: { ...config.connectionAge, ended: connectionAged } }),
    sendTimeoutMs: config.sendTimeoutMs,
    maxConnections: config.maxConnections,
    accept: createConnectionLimit(
      { maxConnections: config.maxConnections, maxPerAddress: config.maxConnectionsPerAddress },
      config.trustedProxies,
    ),
    addressFloods: createAddressFloods(addressLimits, config.trustedProxies),
    maxHeaderBytes: config.maxHeaderBytes,
    unread: { ...config.unread, exempt: config.trustedProxies },
    onFault,
  });

  async function drain(graceMs: number): Promise<void> {
    stopping.abort();
    draining.abort();
    watchService.stop();
    sweeps.stop();
    await listener.drain(graceMs).finally(summaries.stop);
    // The store's adapter has reported the failure.
    await refusals.flush().catch(() => {});
    await usage.close();
  }

  let drained: Promise<void> | undefined;
  return {
    listen: listener.listen,
    setTls: listener.setTls,
    /**
     * Begins to stop: readiness checks fail from now on, and HTTP/1 connections close after their next response. Still
     * accepts connections and requests, until `drain`.
     */
    beginStop(): void {
      stopping.abort();
      listener.retireHttp1();
    },
    status(): AppStatus {
      const { watches, lag } = watchService.status();
      const { count } = inFlight;
      return {
        connections: listener.connections(),
        inFlight: { unary: count("unary"), stream: count("stream"), public: count("public") },
        watches,
        watchLag: lag,
        keysExpiring: expiring.count(Date.now()),
        isStopping: stopping.signal.aborted,
      };
    },
    drain: (graceMs: number) => {
      drained ??= drain(graceMs);
      return drained;
    },
  };
}

/** Announces in every response of a deprecated operation that it is deprecated. After the sunset, responds 410. */
function sunsetPolicy(sunset: number): (method: DescMethod) => Policy | undefined {
  const notices = new Map<DescMethod, Policy | undefined>();

  function noticeOf(method: DescMethod): Policy | undefined {
    const notice = deprecationNotice(method, sunset);
    return (
      notice && {
        headers: notice.headers,
        refusal: httpError(
          "OPERATION_ENDED",
          `This operation ended on ${new Date(sunset).toISOString().slice(0, 10)}. Use ${notice.successor}.`,
        ),
      }
    );
  }

  return (method) => {
    const notice = notices.getOrInsertComputed(method, noticeOf);
    return notice && Date.now() < sunset ? { headers: notice.headers } : notice;
  };
}
