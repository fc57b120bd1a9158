import type { NodeServerRequest, NodeServerResponse } from "../../http/exchange/node-http.ts";

/** Headers by name in lower case. */
export type HttpHeaders = Readonly<Record<string, string>>;

/** A request and its response. */
export interface Exchange {
  readonly request: NodeServerRequest;
  readonly response: NodeServerResponse;
  /** Headers of the response, whether it is a success or an error. */
  readonly headers: HttpHeaders;
}
