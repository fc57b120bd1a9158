import { readFileSync } from "node:fs";
import { join } from "node:path";
import { documentSchemas } from "./schemas.ts";

/** The parts of the document that its tests use. */
export interface HeaderObject {
  readonly required?: boolean;
  readonly schema: { readonly type: string };
  readonly example?: unknown;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers: Readonly<Record<string, HeaderObject>>;
  /** Undefined if the response has no content. */
  readonly content?: Readonly<Record<string, MediaType>>;
}

export interface MediaType {
  readonly schema: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly "x-scope"?: string;
  readonly security?: unknown;
  readonly parameters?: readonly {
    readonly name: string;
    readonly schema: { readonly pattern?: string };
  }[];
  readonly responses: Readonly<Record<string, object>>;
}

/** An operation and its location in the document. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
  readonly place: readonly string[];
}

export const documentText = readFileSync(
  join(import.meta.dirname, "../../../gen/openapi.json"),
  "utf8",
);
export const document = JSON.parse(documentText);
export const schemas = documentSchemas(documentText);

export const operations: readonly Operation[] = Object.entries(
  document.paths as Record<string, Record<string, OperationObject>>,
).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    operation,
    place: ["paths", path, method],
  })),
);

/** Returns the value at a location. Follows references. */
export function resolve<T>(place: readonly string[]): {
  readonly value: T;
  readonly place: readonly string[];
} {
  let found: unknown = document;
  let here: string[] = [];
  for (const name of place) {
    found = (found as Record<string, unknown>)[name];
    here.push(name);
    while (typeof found === "object" && found !== null && "$ref" in found) {
      here = String(found.$ref).slice(2).split("/");
      found = here.reduce(
        (inner, step) => (inner as Record<string, unknown>)[step] as object,
        document,
      );
    }
  }
  return { value: found as T, place: here };
}
