import { Code, type ConnectError, type ConnectRouter, type ServiceImpl } from "@connectrpc/connect";
import { Health, HealthCheckResponse_ServingStatus } from "../../../gen/health/v1/health_pb.ts";
import { callError } from "../../call/call-error.ts";
import { quote } from "../../call/quote.ts";
import { type RequestInfo, requestOf } from "../../call/request-info.ts";
import { createServing, type ServingOptions } from "./serving-status.ts";

/** What the health service reports. */
export interface HealthOptions extends ServingOptions {
  /** Full names of the services. All have the status of the server as a whole. */
  readonly services: readonly string[];
  /**
   * Counts an open watch, or throws a ConnectError. By default, only the limit of open streams holds.
   *
   * @returns a function that ends the count
   */
  readonly acquireWatch?: (request: RequestInfo) => () => void;
  /** Makes the error of a check on another service. */
  unknownService?(name: string): ConnectError;
}

/** The largest request, in bytes after decompression. The names of services are much shorter. */
const readMaxBytes = 1024;

/**
 * Returns the routes of `grpc.health.v1.Health`, for the `publicRoutes` of a gateway or a server of Connect.
 *
 * https://github.com/grpc/grpc/blob/master/doc/health-checking.md
 */
export function healthRoutes(options: HealthOptions): (router: ConnectRouter) => void {
  const health = createHealth(options);
  return (router) => void router.service(Health, health, { readMaxBytes });
}

function noService(name: string): ConnectError {
  return callError(`There is no service ${quote(name)}.`, Code.NotFound);
}

const { SERVING, NOT_SERVING, SERVICE_UNKNOWN } = HealthCheckResponse_ServingStatus;

/** Makes the functions of {@link healthRoutes}. The empty name stands for the server as a whole. */
export function createHealth(options: HealthOptions): ServiceImpl<typeof Health> {
  const { services, acquireWatch = () => () => {}, unknownService = noService } = options;
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
      for await (const isServing of serving.watch(context, acquireWatch(requestOf(context)))) {
        const now = statusOf(isServing);
        if (now !== sent) yield { status: now };
        sent = now;
      }
    },
  };
}
