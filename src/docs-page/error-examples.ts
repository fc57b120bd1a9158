import type { ConnectError } from "@connectrpc/connect";
import { catalogue, errorTerms, type Reason, reasonOf } from "../errors.ts";
import { type HttpError, httpErrorFrom } from "../rest/http-error.ts";
import type { JsonObject } from "../rest/openapi-json.ts";

/** An error as an Example Object. */
export function example(
  summary: string,
  { code, message, status }: Omit<HttpError, "reason">,
): JsonObject {
  return { summary, value: { code, message, status } };
}

/** A request that is refused with 400. */
export function invalid(summary: string, message: string): JsonObject {
  return example(summary, { status: 400, code: "invalid_argument", message });
}

/** Examples by the names of the catalogue, as the functions make the errors that requests meet. */
export function ofCatalogue(...errors: readonly ConnectError[]): JsonObject {
  return Object.fromEntries(
    errors.map((error) => {
      const reason = reasonOf(error) as Reason;
      return [reason, example(catalogue[reason][1], httpErrorFrom(error, errorTerms))];
    }),
  );
}
