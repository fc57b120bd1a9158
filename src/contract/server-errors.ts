import { durationFromMs } from "@bufbuild/protobuf/wkt";
import type { ConnectError } from "@connectrpc/connect";
import { RetryInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { retryAfter, serviceError, sharedError } from "./errors.ts";

const overloaded = (message: string) => sharedError("SERVER_OVERLOADED", message, retryAfter(1));

/** The server has too many requests or streams. The request had no effect. */
export const serverOverloaded = overloaded(
  "The server is overloaded. The request had no effect. Retry in 1 s.",
);

/** The client or its account has its share of the open requests or streams. The request had no effect. */
export const shareTaken = overloaded(
  "This client or account has as many open requests as others leave to it. The request had no effect. Retry in 1 s.",
);

export function serverDraining(): ConnectError {
  return reconnect("The server is shutting down. Reconnect to reach another instance.");
}

/** A stream ends because its connection has reached its maximum age, and the grace period after it. */
export function connectionAged(): ConnectError {
  return reconnect("The connection has reached its maximum age. Reconnect.");
}

function reconnect(message: string): ConnectError {
  return serviceError("SERVER_DRAINING", message, {
    details: [{ desc: RetryInfoSchema, value: { retryDelay: durationFromMs(0) } }],
  });
}
