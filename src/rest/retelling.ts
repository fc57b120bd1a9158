import type { DescMessage } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { BadRequestSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { type ErrorTerms, type HttpError, httpErrorFrom } from "./http-error.ts";
import { HttpFailure } from "./http-failure.ts";
import { describe, InvalidInput } from "./invalid-input.ts";
import type { Route } from "./route.ts";

/**
 * Tells any error in the terms of the client that sent the request.
 *
 * Violations of fields that an RPC error lists as google.rpc.BadRequest are named as the client named
 * the fields: by JSON name, from the request body on where they are in it.
 *
 * @param route where the request went, if it is known
 * @param terms what the service knows of its errors
 */
export function retell(
  error: unknown,
  route: Route<never> | undefined,
  terms?: ErrorTerms,
): HttpError {
  if (error instanceof HttpFailure) return error.error;
  if (error instanceof InvalidInput) {
    const message = describe(error);
    return { status: 400, reason: "MESSAGE_INVALID", code: "invalid_argument", message };
  }
  const told = httpErrorFrom(error, terms);
  if (!route || !(error instanceof ConnectError)) return told;
  const violations = error
    .findDetails(BadRequestSchema)
    .flatMap((detail) => detail.fieldViolations);
  if (violations.length === 0) return told;
  const message = violations
    .map(({ field, description }) => `${clientPath(field, route)}: ${description}`)
    .join("; ");
  return { ...told, message };
}

/**
 * @param path proto names from the request message down, such as `update.items[2].pet_id`
 * @returns the same in JSON names, and relative to the request body when it is in there
 */
function clientPath(path: string, { method, body }: Route<never>): string {
  const names = path.split(".");
  const inBody = typeof body === "object" && names[0] === body.name;
  let desc: DescMessage | undefined = method.desc.input;
  const told = names.map((name) => {
    const [, bare = name, index = ""] = /^([^[]*)(\[.*)$/.exec(name) ?? [];
    const field = desc?.fields.find((candidate) => candidate.name === bare);
    desc = field?.message;
    return (field?.jsonName ?? bare) + index;
  });
  if (!inBody) return told.join(".");
  return told.length === 1 ? "request body" : told.slice(1).join(".");
}
