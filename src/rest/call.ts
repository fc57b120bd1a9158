import { Code, ConnectError } from "@connectrpc/connect";
import type { Call } from "../call/method.ts";
import type { NodeServerResponse } from "./node-http.ts";

/**
 * A call that came by HTTP. Most methods never ask for the signal, so it is only made when they do: an
 * AbortController and its listeners cost more than the rest of the call.
 */
export class HttpCall<Caller> implements Call<Caller> {
  readonly caller: Caller;
  readonly #response: NodeServerResponse;
  #controller: AbortController | undefined;

  constructor(caller: Caller, response: NodeServerResponse) {
    this.caller = caller;
    this.#response = response;
  }

  get signal(): AbortSignal {
    this.#controller ??= this.#watch();
    return this.#controller.signal;
  }

  #watch(): AbortController {
    const controller = new AbortController();
    const response = this.#response;
    const onClose = () => {
      if (!response.writableEnded) {
        controller.abort(new ConnectError("the client has left", Code.Canceled));
      }
    };
    if (response.destroyed) onClose();
    else response.once("close", onClose);
    return controller;
  }
}
