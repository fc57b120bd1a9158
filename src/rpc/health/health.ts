import type { ConnectError, ServiceImpl } from "@connectrpc/connect";
import {
  type Health,
  HealthCheckResponse_ServingStatus,
} from "../../../gen/health/v1/health_pb.ts";
import type { Acquire } from "../../call/concurrency-limits.ts";
import { type Peer, peerKey } from "../../call/peer.ts";
import { createServing, type ServingOptions } from "./serving-status.ts";

/** What the health service needs. */
export interface HealthOptions extends ServingOptions {
  /** Full names of the services. All have the status of the server as a whole. */
  readonly services: readonly string[];
  /** Counts an open watch. */
  readonly acquireWatch: Acquire<Peer>;
  /** The error of a check on another service. */
  unknownService(name: string): ConnectError;
}

const { SERVING, NOT_SERVING, SERVICE_UNKNOWN } = HealthCheckResponse_ServingStatus;

/**
 * Makes the functions of `grpc.health.v1.Health`. The empty name stands for the server as a whole.
 *
 * https://github.com/grpc/grpc/blob/master/doc/health-checking.md
 */
export function createHealth(options: HealthOptions): ServiceImpl<typeof Health> {
  const { services, acquireWatch, unknownService } = options;
  const serving = createServing(options);
  const known: ReadonlySet<string> = new Set(["", ...services]);
  const status = (isServing: boolean) => (isServing ? SERVING : NOT_SERVING);

  return {
    async check({ service }) {
      if (!known.has(service)) throw unknownService(service);
      return { status: status(await serving.isServing()) };
    },

    async list() {
      const all = { status: status(await serving.isServing()) };
      return { statuses: Object.fromEntries([...known].map((name) => [name, all])) };
    },

    async *watch({ service }, context) {
      // The protocol requires the watch of an unknown service to stay open: the service might appear.
      const statusOf = known.has(service) ? status : () => SERVICE_UNKNOWN;
      let sent: HealthCheckResponse_ServingStatus | undefined;
      for await (const isServing of serving.watch(
        context,
        acquireWatch(context.values.get(peerKey)),
      )) {
        const now = statusOf(isServing);
        if (now !== sent) yield { status: now };
        sent = now;
      }
    },
  };
}
