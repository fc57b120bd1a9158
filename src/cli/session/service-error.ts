import { ConnectError } from "@connectrpc/connect";
import { httpErrorFrom } from "connect-gateway/client";
import { BadRequestSchema } from "../../../gen/google/rpc/error_details_pb.ts";
import { refusalByState } from "../../stores/redis/connection/start-fault.ts";
import { CommandError, type FailedRequest } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { exitCodeOf } from "../exit-codes.ts";

/**
 * Converts a ConnectError to a CommandError that names options instead of fields. Returns other errors as they are.
 *
 * @param request the request that failed, if a server has sent the error
 */
export function toCommandError(
  { sourceOf = (field) => field }: Pick<Environment, "sourceOf">,
  error: unknown,
  request?: FailedRequest,
): unknown {
  if (!(error instanceof ConnectError)) return error;
  const violations = error
    .findDetails(BadRequestSchema)
    .flatMap((detail) => detail.fieldViolations);
  const faults = violations.map(({ field, description }) => `${sourceOf(field)}: ${description}`);
  const { code, message } = httpErrorFrom(error);
  // Only an error of this process has a cause.
  const why = refusalByState(error.cause) ?? withCause(message, error.cause);
  return new CommandError(
    code,
    faults.length > 0 ? faults.join("; ") : why,
    code === "invalid_argument" ? 2 : exitCodeOf(code),
    request,
  );
}

/** Adds why Redis has failed to a message, because a command has no log. Lost connections to a server are named already. */
function withCause(message: string, cause: unknown): string {
  const isNamed = cause instanceof ConnectError || !(cause instanceof Error);
  return isNamed || message.includes(cause.message)
    ? message
    : `${message} Reason: ${cause.message}`;
}
