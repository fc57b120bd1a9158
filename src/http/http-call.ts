import { Code, type ConnectError } from "@connectrpc/connect";
import { callError } from "../call/call-error.ts";
import type { Deadline } from "../call/deadline.ts";
import { HeaderView, MutableHeaders } from "../call/headers.ts";
import type { Call } from "../call/method.ts";
import type { RequestRecord } from "../call/request-record.ts";
import type { NodeServerResponse } from "./exchange/node-http.ts";
import { requestIdOf } from "./request-id.ts";

/**
 * A call that arrived over HTTP in any protocol. It creates the signal and the headers when the method first uses them,
 * because most methods never do. An AbortController with its listeners costs more than the rest of the call.
 */
export class HttpCall<Caller> implements Call<Caller> {
  readonly caller: Caller;
  readonly arrivedAt: number;
  readonly deadline: Deadline;
  readonly record: RequestRecord;
  readonly response: NodeServerResponse;
  #controller: AbortController | undefined;
  #responseHeaders: MutableHeaders | undefined;
  #responseTrailers: MutableHeaders | undefined;
  #end: unknown;
  #onEnd: ((reason: unknown) => void) | undefined;

  /**
   * @param timeoutMs how long the client waits after it has sent the header section, in milliseconds; undefined for no
   * limit
   */
  constructor(caller: Caller, response: NodeServerResponse, timeoutMs: number | undefined) {
    this.caller = caller;
    this.arrivedAt = response.req.arrivedAt;
    this.deadline = timeoutMs === undefined ? undefined : this.arrivedAt + timeoutMs;
    this.record = response.record;
    this.response = response;
  }

  get signal(): AbortSignal {
    this.#controller ??= this.#watch();
    return this.#controller.signal;
  }

  get requestId(): string {
    return requestIdOf(this.response);
  }

  get requestHeaders(): HeaderView {
    return new HeaderView(this.response.req.headers);
  }

  get responseHeaders(): MutableHeaders {
    this.#responseHeaders ??= new MutableHeaders();
    return this.#responseHeaders;
  }

  get responseTrailers(): MutableHeaders {
    this.#responseTrailers ??= new MutableHeaders();
    return this.#responseTrailers;
  }

  setHeader(name: string, value: string): void {
    this.response.setHeader(name, value);
  }

  /** Headers that the method has set, by name in lower case; undefined when there are none. */
  get headersSet(): Readonly<Record<string, string>> | undefined {
    return this.#responseHeaders?.record;
  }

  /** Trailers that the method has set, by name in lower case; undefined when there are none. */
  get trailersSet(): Readonly<Record<string, string>> | undefined {
    return this.#responseTrailers?.record;
  }

  /** Aborts the signal, even if the method first uses it later. */
  abort(reason: unknown): void {
    this.#end = reason;
    this.#controller?.abort(reason);
  }

  /** @param listener called when the method ends the call: it must abort the call and respond to the client */
  onEnd(listener: (reason: unknown) => void): void {
    this.#onEnd = listener;
  }

  end(reason: unknown): void {
    if (this.#onEnd) this.#onEnd(reason);
    else this.abort(reason);
  }

  #watch(): AbortController {
    const controller = new AbortController();
    const response = this.response;
    if (this.#end) controller.abort(this.#end);
    else if (response.destroyed) controller.abort(clientDisconnected());
    else {
      response.once("close", () => {
        if (!response.writableEnded) controller.abort(clientDisconnected());
      });
    }
    return controller;
  }
}

/** Makes the error of a call whose client has disconnected or cancelled it. */
export function clientDisconnected(): ConnectError {
  return callError("The client has disconnected or cancelled the call.", Code.Canceled);
}
