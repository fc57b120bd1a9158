import type { DescMessage } from "@bufbuild/protobuf";
import { BadRequestSchema } from "../../../gen/google/rpc/error_details_pb.ts";
import { publicError } from "../../call/public-error.ts";
import {
  type ErrorResponse,
  type ErrorTerms,
  HttpFailure,
  httpError,
  httpErrorFrom,
} from "../../http/error-response.ts";
import { describe, InvalidInput, OutOfBounds } from "../../http/invalid-input.ts";
import type { Route } from "../path/route.ts";

/**
 * Maps any error to an HTTP error response. Its message names fields that break rules (google.rpc.BadRequest) as the client wrote
 * them: in JSON names, and relative to the request body. @param onFault called with every bug
 */
export function toErrorResponse(
  error: unknown,
  route: Route,
  terms: ErrorTerms,
  onFault: (error: unknown) => void,
): ErrorResponse {
  if (error instanceof HttpFailure) return error.error;
  if (error instanceof InvalidInput) {
    const reason = error instanceof OutOfBounds ? "FIELD_INVALID" : "MESSAGE_INVALID";
    return httpError(reason, describe(error));
  }
  const shown = publicError(error, onFault);
  const mapped = httpErrorFrom(shown, terms);
  const violations = shown
    .findDetails(BadRequestSchema)
    .flatMap((detail) => detail.fieldViolations);
  if (violations.length === 0) return mapped;
  const message = violations
    .map(({ field, description }) => `${clientPath(field, route)}: ${description}`)
    .join("; ");
  return { ...mapped, message };
}

/** Returns a path of proto names, such as `update.items[2].pet_id`, as the client wrote it. */
function clientPath(path: string, { method, body }: Route): string {
  const names = path.split(".");
  const inBody = typeof body === "object" && names[0] === body.name;
  let desc: DescMessage | undefined = method.desc.input;
  const jsonNames = names.map((name) => {
    const [, bare = name, index = ""] = /^([^[]*)(\[.*)$/.exec(name) ?? [];
    const field = desc?.fields.find((candidate) => candidate.name === bare);
    desc = field?.message;
    return (field?.jsonName ?? bare) + index;
  });
  if (!inBody) return jsonNames.join(".");
  return jsonNames.length === 1 ? "request body" : jsonNames.slice(1).join(".");
}
