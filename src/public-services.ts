import type { DescService } from "@bufbuild/protobuf";
import { ServerReflection } from "../gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ServerReflectionAlpha } from "../gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { Health } from "../gen/health/v1/health_pb.ts";
import type { Method } from "./call/method.ts";
import { bindService, type Guards } from "./call/service.ts";
import { serviceUnknown, tooManyWatches } from "./errors.ts";
import { createHealth } from "./rpc/health/health.ts";
import { createReflection } from "./rpc/reflection/reflection.ts";

/**
 * How many can watch the health of one process at once. They need no key, so that it is for strangers,
 * too, to use them up; without a bound it would be the memory that they use up.
 */
const maxWatches = 100;

/** Who calls a method that is open to everyone: nobody in particular. */
export const anyone = null;

const unguarded: Guards<typeof anyone> = {
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
}

/** The methods that need no key: those of health and, where it is wanted, of reflection. */
export function createPublicMethods(options: PublicServicesOptions): Method<typeof anyone>[] {
  const { services, reflection, ping, draining } = options;
  const health = createHealth({
    services: services.map(({ typeName }) => typeName),
    ping,
    draining,
    maxWatches,
    tooManyWatches: () => tooManyWatches(maxWatches),
    unknownService: serviceUnknown,
  });
  const methods = bindService(Health, health, unguarded);
  if (!reflection) return methods;

  const all = [...services, Health, ServerReflection, ServerReflectionAlpha];
  const serverReflectionInfo = createReflection(all);
  return [
    ...methods,
    ...bindService(ServerReflection, { serverReflectionInfo }, unguarded),
    ...bindService(ServerReflectionAlpha, { serverReflectionInfo }, unguarded),
  ];
}
