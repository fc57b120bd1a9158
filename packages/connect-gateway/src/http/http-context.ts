import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { Code, type ConnectError, type HandlerContext } from "@connectrpc/connect";
import { callError } from "../call/call-error.ts";
import type { Deadline } from "../call/deadline.ts";
import { HeaderView, NodeHeaders, OwnHeaders, ownName } from "../call/headers.ts";
import { lastResort } from "../call/public-error.ts";
import type { RequestInfo } from "../call/request-info.ts";
import type { RequestRecord } from "../call/request-record.ts";
import type { RequestValues } from "../call/request-values.ts";
import type { Owner } from "../call/shared-pool.ts";
import { addressGroup, addressOf, ipOf } from "./client-address.ts";
import type { Exchange } from "./exchange/exchange.ts";
import { requestIdOf } from "./request-id.ts";
import type { RequestTarget } from "./request-target.ts";
import { timeoutOf } from "./timeout-headers.ts";

/**
 * The context of a call that arrived over HTTP in any protocol. It creates the signal and the headers when the method first
 * uses them, because most methods never do. An AbortController with its listeners costs more than the rest of the call.
 * Unlike Connect's, its signal is not aborted when a call has succeeded.
 */
export abstract class HttpContext implements HandlerContext, RequestInfo {
  /** Undefined for a path that no method has: nothing but the gate gets such a context. */
  readonly method: DescMethod;
  readonly response: Exchange;
  readonly values: RequestValues;
  /** The {@link deadline}; null until it is first read. */
  private ownDeadline: Deadline | null = null;
  private timeoutFault: unknown = undefined;
  /** Whether the method has set headers of the response, or read them. */
  hasHeaders = false;
  /** Trailers that the method has set, by name in lower case; undefined when there are none. */
  trailersSet: Record<string, string | string[]> | undefined = undefined;
  controller: AbortController | undefined = undefined;
  /** Why the call has ended. */
  reason: unknown = undefined;
  /** Called when the method ends the call: it must abort the call and respond to the client. */
  onEnd: ((reason: unknown) => void) | undefined = undefined;

  /** @param method undefined for a path that no method has */
  constructor(method: DescMethod | undefined, response: Exchange) {
    this.method = method as DescMethod;
    this.response = response;
    const { values } = response.record;
    values.request = this;
    this.values = values;
  }

  /** Responds to the request, which the gate has let pass. The promise never rejects. */
  abstract serve(): void | Promise<void>;
  /** Responds with an error, without reading the request's body. Never throws. */
  abstract refuse(error: unknown): void;

  /** Returns the timeout in the request's headers, in milliseconds; undefined for none. @throws any error if it is malformed */
  protected readTimeout(): number | undefined {
    return timeoutOf(this.response);
  }

  /** The time at which the client stops waiting, counted from the arrival of the header section. A malformed timeout is none. */
  get deadline(): Deadline {
    if (this.ownDeadline === null) {
      this.ownDeadline = undefined;
      try {
        const timeoutMs = this.readTimeout();
        if (timeoutMs !== undefined) this.ownDeadline = this.arrivedAt + timeoutMs;
      } catch (error) {
        this.timeoutFault = error;
      }
    }
    return this.ownDeadline;
  }

  /** @throws the error of a malformed timeout */
  protected checkTimeout(): void {
    if (this.deadline === undefined && this.timeoutFault) throw this.timeoutFault;
  }

  get service(): DescService {
    return this.method?.parent;
  }

  get signal(): AbortSignal {
    this.controller ??= watch(this);
    return this.controller.signal;
  }

  timeoutMs(): number | undefined {
    const { deadline } = this;
    return deadline === undefined ? undefined : deadline - performance.now();
  }

  get requestMethod(): string {
    return this.response.method ?? "";
  }

  get requestHeader(): NodeHeaders {
    return new NodeHeaders(this.response.headers);
  }

  get responseHeader(): ResponseHeaders {
    this.hasHeaders = true;
    return new ResponseHeaders(this.response);
  }

  get responseTrailer(): OwnHeaders {
    this.trailersSet ??= {};
    return new OwnHeaders(this.trailersSet);
  }

  /** In addition to Connect's names, `http` for JSON over HTTP. */
  get protocolName(): string {
    return this.record.protocol.replace("_", "-");
  }

  get url(): string {
    const { isEncrypted, headers, url = "" } = this.response;
    const scheme = isEncrypted ? "https" : "http";
    return `${scheme}://${headers[":authority"] ?? headers.host ?? ""}${url}`;
  }

  get owner(): Owner {
    return this.values.owner;
  }

  get id(): string {
    return requestIdOf(this.response);
  }

  get arrivedAt(): number {
    return this.response.arrivedAt;
  }

  get address(): string {
    return addressOf(this.response);
  }

  get ip(): string | undefined {
    return ipOf(this.response);
  }

  get connection(): object | undefined {
    const { connection } = this.response;
    return this.address === addressGroup(connection.peer) ? connection.socket : undefined;
  }

  get declaredLength(): number | undefined {
    return this.response.declaredLength;
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
    const isError = reason instanceof Error;
    const error = isError ? reason : new TypeError(`end needs an error, not ${typeof reason}`);
    if (this.onEnd) this.onEnd(error);
    else this.abort(error);
  }
}

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

interface Failing {
  readonly response: Exchange;
  readonly options: { readonly onFault: (error: unknown) => void };
}

/** Sends an error. When that fails, reports why and sends {@link lastResort} instead. @param count number of messages before it */
export function trySend<C extends Failing>(
  context: C,
  error: unknown,
  send: (context: C, error: unknown, count: number) => void,
  count = 0,
): void {
  try {
    send(context, error, count);
  } catch (fault) {
    context.options.onFault(fault);
    try {
      send(context, lastResort, count);
    } catch (last) {
      context.options.onFault(last);
      context.response.destroy();
    }
  }
}

/** Makes the context of a request, and writes its protocol and operation to its record. Does no I/O. */
export type Open = (response: Exchange) => HttpContext;

export interface Endpoints {
  /** Makes the context of a request, as {@link Open} does; undefined for a path that the interface does not know. */
  open(target: RequestTarget, response: Exchange): HttpContext | undefined;
  /** Makes the context of a request for a path that no interface knows. */
  readonly openUnknown: Open;
}

/** The headers of a response, which are sent with success and with errors. Changes change the response. */
export class ResponseHeaders extends HeaderView {
  readonly response: Exchange;

  constructor(response: Exchange) {
    super();
    this.response = response;
  }

  get(name: string): string | null {
    const values = this.response.valuesOf(lower(name));
    return values.length > 0 ? values.join(", ") : null;
  }

  has(name: string): boolean {
    return this.response.hasHeader(lower(name));
  }

  delete(name: string): void {
    this.response.removeHeader(this.keyOf(name));
  }

  getSetCookie(): string[] {
    return this.response.valuesOf("set-cookie");
  }

  protected override keyOf(name: string): Lowercase<string> {
    return ownName(name);
  }

  protected put(name: Lowercase<string>, value: string | string[]): void {
    if (typeof value === "string") this.response.setHeader(name, value);
    else this.response.setHeaders({ [name]: value });
  }

  protected names(): string[] {
    return Object.keys(this.response.getHeaders());
  }
}

const lower = (name: string) => name.toLowerCase() as Lowercase<string>;
