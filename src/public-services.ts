import type { DescService } from "@bufbuild/protobuf";
import { file_google_rpc_error_details } from "../gen/google/rpc/error_details_pb.ts";
import { ServerReflection } from "../gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ServerReflectionAlpha } from "../gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { Health } from "../gen/health/v1/health_pb.ts";
import type { Method } from "./call/method.ts";
import type { Peer } from "./call/peer.ts";
import { createPlaces, type Places } from "./call/places.ts";
import { bindService, type Guards } from "./call/service.ts";
import {
  healthWatchLimitReached,
  reflectionOff,
  serverDraining,
  serviceUnknown,
} from "./errors.ts";
import { createHealth } from "./rpc/health/health.ts";
import { createReflection } from "./rpc/reflection/reflection.ts";

const unguarded: Guards<Peer> = {
  authorizer: () => () => {},
  validator: () => () => {},
};

/** What the open methods tell of. */
export interface PublicServicesOptions {
  /** The services that are not open to everyone. */
  readonly services: readonly DescService[];
  /** Whether reflection is offered. */
  readonly reflection: boolean;
  /** Rejects when the stores can't be used. */
  ping(): Promise<void>;
  /** Aborted when the process begins to stop. */
  readonly draining: AbortSignal;
  /** Most health watches at once. */
  readonly healthWatches: HealthWatchLimits;
}

/** Most health watches at once: of the process, of one client address and of one connection. */
export interface HealthWatchLimits {
  readonly maxPerProcess: number;
  readonly maxPerAddress: number;
  readonly maxPerConnection: number;
}

/** The methods that need no key: those of health and reflection. */
export function createPublicMethods(options: PublicServicesOptions): Method<Peer>[] {
  const { services, reflection, ping, draining, healthWatches } = options;
  const health = createHealth({
    services: services.map(({ typeName }) => typeName),
    ping,
    draining,
    places: createHealthPlaces(healthWatches),
    stopped: serverDraining,
    unknownService: serviceUnknown,
  });
  const methods = bindService(Health, health, unguarded);
  const all = [...services, Health, ServerReflection, ServerReflectionAlpha];
  const serverReflectionInfo = reflection
    ? createReflection(all, [file_google_rpc_error_details])
    : refuseReflection;
  return [
    ...methods,
    ...bindService(ServerReflection, { serverReflectionInfo }, unguarded),
    ...bindService(ServerReflectionAlpha, { serverReflectionInfo }, unguarded),
  ];
}

/** Responds when reflection is off. Without it, callers without a key would get the error that a key is missing. */
// biome-ignore lint/correctness/useYield: the stream ends before its first message.
async function* refuseReflection(): AsyncGenerator<never> {
  throw reflectionOff();
}

/**
 * The bounds of health watches. Health watches need no key, so the bound per address keeps one client from taking
 * the places of all others.
 */
function createHealthPlaces(limits: HealthWatchLimits): Places<Peer> {
  const { maxPerConnection, maxPerAddress, maxPerProcess } = limits;
  return createPlaces<Peer>([
    {
      most: maxPerConnection,
      keyOf: ({ connection }) => connection,
      exceeded: () =>
        healthWatchLimitReached("MAX_HEALTH_WATCHES_PER_CONNECTION", maxPerConnection),
    },
    {
      most: maxPerAddress,
      keyOf: ({ address }) => address,
      exceeded: () => healthWatchLimitReached("MAX_HEALTH_WATCHES_PER_ADDRESS", maxPerAddress),
    },
    {
      most: maxPerProcess,
      keyOf: () => "process",
      exceeded: () => healthWatchLimitReached("MAX_HEALTH_WATCHES", maxPerProcess),
    },
  ]);
}
