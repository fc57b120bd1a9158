import type { DescMethod, DescService } from "@bufbuild/protobuf";
import {
  Code,
  type ConnectError,
  type ContextKey,
  type ContextValues,
  type HandlerContext,
} from "@connectrpc/connect";
import { callError } from "../call/call-error.ts";
import type { Deadline } from "../call/deadline.ts";
import { NodeHeaders } from "../call/headers.ts";
import { type RequestInfo, requestKey } from "../call/request-info.ts";
import type { RequestRecord } from "../call/request-record.ts";
import type { Owner } from "../call/shared-pool.ts";
import type { NodeServerResponse } from "./exchange/node-http.ts";
import { requestIdOf } from "./request-id.ts";

/**
 * The values of a context. The value that most methods read, such as the caller, has a place of its own. Fields are not
 * private, because V8 takes twice as long to make objects with private fields.
 */
export class RequestValues implements ContextValues {
  /** Whose turn the work of the request is, such as the account of its caller. */
  readonly owner: Owner;
  readonly first: symbol | undefined;
  value: unknown;
  request: RequestInfo = requestKey.defaultValue;
  others: Map<symbol, unknown> | undefined = undefined;

  /** @param key of the value that most methods read */
  constructor(owner: Owner, key?: ContextKey<unknown>, value?: unknown) {
    this.owner = owner;
    this.first = key?.id;
    this.value = value;
  }

  get<T>({ id, defaultValue }: ContextKey<T>): T {
    if (id === this.first) return this.value as T;
    if (id === requestKey.id) return this.request as T;
    return this.others?.has(id) ? (this.others.get(id) as T) : defaultValue;
  }

  set<T>({ id }: ContextKey<T>, value: T): this {
    if (id === this.first) this.value = value;
    else if (id === requestKey.id) this.request = value as RequestInfo;
    else {
      this.others ??= new Map();
      this.others.set(id, value);
    }
    return this;
  }

  delete(key: ContextKey<unknown>): this {
    this.set(key, key.defaultValue);
    return this;
  }
}

/**
 * The context of a call that arrived over HTTP in any protocol. It creates the signal and the headers when the method first
 * uses them, because most methods never do. An AbortController with its listeners costs more than the rest of the call.
 * Unlike Connect's, its signal is not aborted when a call has succeeded.
 */
export class HttpContext implements HandlerContext, RequestInfo {
  readonly method: DescMethod;
  readonly response: NodeServerResponse;
  readonly values: RequestValues;
  /** The time at which the client stops waiting, counted from the arrival of the request's header section. */
  deadline: Deadline = undefined;
  /** Headers that the method has set, by name in lower case; undefined when there are none. */
  headersSet: Record<string, string> | undefined = undefined;
  /** Trailers that the method has set, by name in lower case; undefined when there are none. */
  trailersSet: Record<string, string> | undefined = undefined;
  controller: AbortController | undefined = undefined;
  /** Why the call has ended. */
  reason: unknown = undefined;
  /** Called when the method ends the call: it must abort the call and respond to the client. */
  onEnd: ((reason: unknown) => void) | undefined = undefined;

  constructor(method: DescMethod, response: NodeServerResponse, values: RequestValues) {
    this.method = method;
    this.response = response;
    this.values = values;
    values.request = this;
  }

  /** @param timeoutMs how long the client waits after it has sent the header section; undefined for no limit */
  setTimeout(timeoutMs: number | undefined): void {
    if (timeoutMs !== undefined) this.deadline = this.arrivedAt + timeoutMs;
  }

  get service(): DescService {
    return this.method.parent;
  }

  get signal(): AbortSignal {
    this.controller ??= watch(this);
    return this.controller.signal;
  }

  timeoutMs(): number | undefined {
    return this.deadline === undefined ? undefined : this.deadline - performance.now();
  }

  get requestMethod(): string {
    return this.response.req.method ?? "";
  }

  get requestHeader(): NodeHeaders {
    return new NodeHeaders(this.response.req.headers);
  }

  get responseHeader(): NodeHeaders {
    this.headersSet ??= {};
    return new NodeHeaders(this.headersSet);
  }

  get responseTrailer(): NodeHeaders {
    this.trailersSet ??= {};
    return new NodeHeaders(this.trailersSet);
  }

  /** In addition to Connect's names, `http` for JSON over HTTP. */
  get protocolName(): string {
    return this.record.protocol.replace("_", "-");
  }

  get url(): string {
    const { socket, headers, url = "" } = this.response.req;
    const scheme = "encrypted" in socket ? "https" : "http";
    return `${scheme}://${headers[":authority"] ?? headers.host ?? ""}${url}`;
  }

  get owner(): Owner {
    return this.values.owner;
  }

  get id(): string {
    return requestIdOf(this.response);
  }

  get arrivedAt(): number {
    return this.response.req.arrivedAt;
  }

  get record(): RequestRecord {
    return this.response.record;
  }

  /** Aborts the signal, even if the method first uses it later. */
  abort(reason: unknown): void {
    this.reason = reason;
    this.controller?.abort(reason);
  }

  end(reason: unknown): void {
    if (this.onEnd) this.onEnd(reason);
    else this.abort(reason);
  }
}

/** Makes the controller of a call's signal. */
function watch({ response, reason }: HttpContext): AbortController {
  const controller = new AbortController();
  if (reason) controller.abort(reason);
  else if (response.destroyed) controller.abort(clientDisconnected());
  else {
    response.once("close", () => {
      if (!response.writableEnded) controller.abort(clientDisconnected());
    });
  }
  return controller;
}

/** Makes the error of a call whose client has disconnected or cancelled it. */
export function clientDisconnected(): ConnectError {
  return callError("The client has disconnected or cancelled the call.", Code.Canceled);
}
