import { Code, ConnectError } from "@connectrpc/connect";
import type { Deadline } from "../call/deadline.ts";
import { GivenFields, NewFields } from "../call/fields.ts";
import type { Call } from "../call/method.ts";
import { arrivedAt, isGone, type NodeServerRequest, type NodeServerResponse } from "./node-http.ts";
import { requestIdOf } from "./request-id.ts";

/**
 * A call that came by HTTP, in whatever protocol. Most methods never ask for the signal or for header
 * fields, so all of these are only made when they do: an AbortController and its listeners cost more
 * than the rest of the call.
 */
export class HttpCall<Caller> implements Call<Caller> {
  readonly caller: Caller;
  readonly deadline: Deadline;
  readonly #request: NodeServerRequest;
  readonly #response: NodeServerResponse;
  #controller: AbortController | undefined;
  #responseHeaders: NewFields | undefined;
  #responseTrailers: NewFields | undefined;
  #end: unknown;
  #onEnd: ((reason: unknown) => void) | undefined;

  /**
   * @param timeoutMs how long the client waits after it has sent the header section, in milliseconds; undefined
   * for no limit
   */
  constructor(
    caller: Caller,
    request: NodeServerRequest,
    response: NodeServerResponse,
    timeoutMs: number | undefined,
  ) {
    this.caller = caller;
    this.deadline = timeoutMs === undefined ? undefined : arrivedAt(request) + timeoutMs;
    this.#request = request;
    this.#response = response;
  }

  get signal(): AbortSignal {
    this.#controller ??= this.#watch();
    return this.#controller.signal;
  }

  get requestId(): string {
    return requestIdOf(this.#response);
  }

  get requestHeaders(): GivenFields {
    return new GivenFields(this.#request.headers);
  }

  get responseHeaders(): NewFields {
    this.#responseHeaders ??= new NewFields();
    return this.#responseHeaders;
  }

  get responseTrailers(): NewFields {
    this.#responseTrailers ??= new NewFields();
    return this.#responseTrailers;
  }

  setHeader(name: string, value: string): void {
    this.#response.setHeader(name, value);
  }

  /** Header fields that the method has set, by name in lower case; undefined when there are none. */
  get headersSet(): Readonly<Record<string, string>> | undefined {
    return this.#responseHeaders?.record;
  }

  /** Trailers that the method has set, by name in lower case; undefined when there are none. */
  get trailersSet(): Readonly<Record<string, string>> | undefined {
    return this.#responseTrailers?.record;
  }

  /** Ends the call before its time: whoever has asked for the signal, or will, is told. */
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

/** The error of a call whose client does not wait for the answer any more. */
export function clientLeft(): ConnectError {
  return new ConnectError("the client has left", Code.Canceled);
}
