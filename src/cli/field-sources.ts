import { ConnectError } from "@connectrpc/connect";
import { BadRequestSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { httpErrorFrom } from "../rest/http-error.ts";
import { CommandError } from "./command-error.ts";

/**
 * The options and arguments that the fields of a command's request come from, by the fields' paths in
 * proto names without indexes: `{ "limits.per_day": "--per-day" }`.
 */
export type FieldSources = Readonly<Record<string, string>>;

/** An error of a service, told in terms of the command's options; any other error as it is. */
export function inTermsOf(sources: FieldSources, error: unknown): unknown {
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
  return new CommandError(code, faults.length > 0 ? faults.join("; ") : message);
}
