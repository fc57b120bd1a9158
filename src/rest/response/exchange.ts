import type { NodeServerResponse } from "../../http/exchange/node-http.ts";

/** Headers by name in lower case. */
export type HttpHeaders = Readonly<Record<string, string>>;

/** The response to a request, which it names. */
export interface Exchange {
  readonly response: NodeServerResponse;
  /** Headers of the response, whether it is a success or an error. */
  readonly headers: HttpHeaders;
}
