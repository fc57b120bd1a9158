import { ConnectError } from "@connectrpc/connect";
import { BadRequestSchema } from "../../../gen/google/rpc/error_details_pb.ts";
import { httpErrorFrom } from "../../http/error-response.ts";
import { refusalByState } from "../../stores/redis/connection/start-fault.ts";
import { CommandError, type FailedRequest } from "../command-error.ts";
import { exitCodeOf } from "../exit-codes.ts";

/**
 * The option or argument that each request field comes from. Keys are field paths in proto names, without
 * indexes: `{ "limits.per_day": "--per-day" }`.
 */
export type FieldSources = Readonly<Record<string, string>>;

/**
 * Converts a ConnectError to a CommandError that names options instead of fields. Returns other errors as they are.
 *
 * @param request the request that failed, if a server has sent the error
 */
export function toCommandError(
  sources: FieldSources,
  error: unknown,
  request?: FailedRequest,
): unknown {
  if (!(error instanceof ConnectError)) {
    return error;
  }
  const violations = error
    .findDetails(BadRequestSchema)
    .flatMap((detail) => detail.fieldViolations);
  const faults = violations.map(({ field, description }) => {
    const path = field.replace(/\[\d+\]/g, "");
    return `${sources[path] ?? path}: ${description}`;
  });
  const { code, message } = httpErrorFrom(error);
  // Only an error of this process has a cause.
  const why = refusalByState(error.cause) ?? message;
  return new CommandError(
    code,
    faults.length > 0 ? faults.join("; ") : why,
    code === "invalid_argument" ? 2 : exitCodeOf(code),
    request,
  );
}
