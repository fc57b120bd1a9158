import type { NodeServerRequest, NodeServerResponse } from "../http/node-http.ts";

/** Header fields by name in lower case. */
export type HeaderFields = Readonly<Record<string, string>>;

/** A request, the answer to it, and what every answer to it carries. */
export interface Exchange {
  readonly request: NodeServerRequest;
  readonly response: NodeServerResponse;
  readonly headers: HeaderFields;
}
