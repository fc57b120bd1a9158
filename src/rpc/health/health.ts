import type { ConnectError } from "@connectrpc/connect";
import {
  type Health,
  HealthCheckResponse_ServingStatus,
} from "../../../gen/health/v1/health_pb.ts";
import type { Peer } from "../../call/peer.ts";
import type { Places } from "../../call/places.ts";
import type { ServiceFunctions } from "../../call/service.ts";
import { createServing, type ServingOptions } from "./serving.ts";

/** What the health service tells of. */
export interface HealthOptions extends ServingOptions {
  /** Full names of the services. They live and die with the server: its status is theirs. */
  readonly services: readonly string[];
  /** Places of watches. */
  readonly places: Places<Peer>;
  /** The error of a check on another service. */
  unknownService(name: string): ConnectError;
}

const { SERVING, NOT_SERVING, SERVICE_UNKNOWN } = HealthCheckResponse_ServingStatus;

/**
 * The functions of `grpc.health.v1.Health`. The empty name stands for the server as a whole.
 *
 * https://github.com/grpc/grpc/blob/master/doc/health-checking.md
 */
export function createHealth(options: HealthOptions): ServiceFunctions<typeof Health, Peer> {
  const { services, places, unknownService } = options;
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

    async *watch({ service }, call) {
      // The stream of an unknown service stays open, as if it might appear: so the protocol wants it.
      const statusOf = known.has(service) ? status : () => SERVICE_UNKNOWN;
      let told: HealthCheckResponse_ServingStatus | undefined;
      for await (const isServing of serving.watch(call, places.take(call.caller))) {
        const now = statusOf(isServing);
        if (now !== told) yield { status: now };
        told = now;
      }
    },
  };
}
