import { Code, ConnectError } from "@connectrpc/connect";
import type { Call } from "../call/method.ts";
import { isGone, type NodeServerResponse } from "../http/node-http.ts";

/**
 * A call that came by HTTP. Most methods never ask for the signal or set a header field, so both are
 * only made when they do: an AbortController and its listeners cost more than the rest of the call.
 */
export class HttpCall<Caller> implements Call<Caller> {
  readonly caller: Caller;
  readonly #response: NodeServerResponse;
  #controller: AbortController | undefined;
  #headers: Map<string, string> | undefined;
  #end: ConnectError | undefined;

  constructor(caller: Caller, response: NodeServerResponse) {
    this.caller = caller;
    this.#response = response;
  }

  get signal(): AbortSignal {
    this.#controller ??= this.#watch();
    return this.#controller.signal;
  }

  get responseHeaders(): Map<string, string> {
    this.#headers ??= new Map();
    return this.#headers;
  }

  /** Header fields that the method has set, by name in lower case. */
  get headersSet(): Readonly<Record<string, string>> {
    if (!this.#headers) return none;
    const entries = [...this.#headers].map(([name, value]) => [name.toLowerCase(), value] as const);
    return Object.fromEntries(entries);
  }

  /** Ends the call before its time: whoever has asked for the signal, or will, is told. */
  abort(reason: ConnectError): void {
    this.#end = reason;
    this.#controller?.abort(reason);
  }

  #watch(): AbortController {
    const controller = new AbortController();
    const response = this.#response;
    if (this.#end) controller.abort(this.#end);
    else if (isGone(response)) controller.abort(clientLeft());
    else {
      response.once("close", () => {
        if (!response.writableEnded) controller.abort(clientLeft());
      });
    }
    return controller;
  }
}

const none = {};

/** The error of a call whose client does not wait for the answer any more. */
export function clientLeft(): ConnectError {
  return new ConnectError("the client has left", Code.Canceled);
}
