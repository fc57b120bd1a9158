import type { ConnectError } from "@connectrpc/connect";
import { catalogue, type Reason } from "../../contract/catalogue.ts";
import { errorTerms, reasonOf } from "../../contract/errors.ts";
import { type ErrorResponse, httpError, httpErrorFrom } from "../../http/error-response.ts";
import type { JsonObject } from "./generator/json.ts";

/** Returns an error as an Example Object. */
export function example(
  summary: string,
  { code, message, status }: Omit<ErrorResponse, "reason">,
): JsonObject {
  return { summary, value: { code, message, status } };
}

/** Returns an error of the catalogue as an Example Object. */
export function exampleOf(summary: string, error: unknown): JsonObject {
  return example(summary, httpErrorFrom(error, errorTerms));
}

/** Returns an example of a 400 response. */
export function invalid(summary: string, message: string): JsonObject {
  return example(summary, httpError("FIELD_INVALID", message));
}

/** Returns examples by reason, for errors of the catalogue. */
export function ofCatalogue(...errors: readonly ConnectError[]): JsonObject {
  return Object.fromEntries(
    errors.map((error) => {
      const reason = reasonOf(error) as Reason;
      return [reason, exampleOf(catalogue[reason][1], error)];
    }),
  );
}
