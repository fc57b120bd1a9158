import type { DescService } from "@bufbuild/protobuf";
import type { ConnectError, ConnectRouter } from "@connectrpc/connect";
import {
  Health,
  healthRoutes,
  reflectionRoutes,
  ServerReflection,
  ServerReflectionAlpha,
} from "connect-gateway";
import { abridge, type RequestInfo, SharedPool } from "connect-gateway/call";
import { file_google_rpc_error_details } from "../../gen/google/rpc/error_details_pb.ts";
import { type Acquire, createConcurrencyLimits } from "../common/concurrency-limits.ts";
import type { Config } from "../config/config.ts";
import { longestQuote, serviceError, sharedError } from "../contract/errors.ts";
import { serverDraining } from "../contract/server-errors.ts";

export interface PublicServicesOptions {
  readonly services: readonly DescService[];
  readonly reflection: boolean;
  /** Rejects when the stores cannot be reached. */
  ping(): Promise<void>;
  /** Aborted when the process begins to stop. It is not ready from then on. */
  readonly stopping: AbortSignal;
  readonly draining: AbortSignal;
  readonly healthWatches: Config["healthWatches"];
}

/** Registers the services that need no API key: health and reflection. */
export function createPublicRoutes(
  options: PublicServicesOptions,
): (router: ConnectRouter) => void {
  const { services, reflection, ping, stopping, draining, healthWatches } = options;
  const addHealth = healthRoutes({
    services: services.map(({ typeName }) => typeName),
    ping,
    stopping,
    draining,
    acquireWatch: createHealthWatchLimits(healthWatches),
    stopped: serverDraining,
    unknownService: serviceUnknown,
  });
  const addReflection = reflection
    ? reflectionRoutes([...services, Health], [file_google_rpc_error_details])
    : refuseReflection;
  return (router) => {
    addHealth(router);
    addReflection(router);
  };
}

function refuseReflection(router: ConnectRouter): void {
  router.service(ServerReflection, { serverReflectionInfo });
  router.service(ServerReflectionAlpha, { serverReflectionInfo });
}

/** Says that reflection is off. Otherwise, clients without a key would get the error that a key is missing. */
// biome-ignore lint/correctness/useYield: the stream ends before its first message.
async function* serverReflectionInfo(): AsyncGenerator<never> {
  throw reflectionOff();
}

function createHealthWatchLimits(limits: Config["healthWatches"]): Acquire<RequestInfo> {
  const { maxPerConnection, maxPerAddress, maxPerProcess } = limits;
  const name = "health watches";
  return createConcurrencyLimits<RequestInfo>([
    {
      pool: new SharedPool({ name, size: Number.POSITIVE_INFINITY, share: maxPerConnection }),
      ownerOf: ({ connection }) => connection,
      exceeded: () =>
        healthWatchLimitReached("MAX_HEALTH_WATCHES_PER_CONNECTION", maxPerConnection),
    },
    {
      pool: new SharedPool({ name, size: maxPerProcess, share: maxPerAddress }),
      ownerOf: ({ address }) => address,
      exceeded: (of) =>
        of === "share"
          ? healthWatchLimitReached("MAX_HEALTH_WATCHES_PER_ADDRESS", maxPerAddress)
          : healthWatchLimitReached("MAX_HEALTH_WATCHES", maxPerProcess),
    },
  ]);
}

const reflectionOff = sharedError(
  "NOT_SUPPORTED",
  "Server reflection is off (GRPC_REFLECTION). Use the service's .proto files.",
);

function serviceUnknown(service: string): ConnectError {
  const name = abridge(service, longestQuote);
  return serviceError("SERVICE_UNKNOWN", `Service ${name} does not exist.`, {
    metadata: { service: name },
  });
}

/**
 * Too many health watches are open. The code is UNIMPLEMENTED, because a client then stops its checks and treats the server
 * as healthy (gRFC A17). After any other error, it would treat the server as unhealthy and retry.
 */
function healthWatchLimitReached(setting: string, most: number): ConnectError {
  return serviceError(
    "HEALTH_WATCH_LIMIT_REACHED",
    `Too many health watches are open (limit ${most}, ${setting}). Call Check instead.`,
    { metadata: { setting, most: String(most) } },
  );
}
