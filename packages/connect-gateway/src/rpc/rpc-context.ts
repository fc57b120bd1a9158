import { Code, type ConnectError } from "@connectrpc/connect";
import { compressedFlag } from "@connectrpc/connect/protocol";
import { callError } from "../call/call-error.ts";
import type { AnyMessage, Method } from "../call/method.ts";
import { lastResort } from "../call/public-error.ts";
import { type Operation, settle, success } from "../call/request-record.ts";
import { varyOn } from "../http/content/caching.ts";
import {
  type ContentCoding,
  isTooLarge,
  namedCoding,
  worthCompressing,
} from "../http/content/coding.ts";
import { sendContent } from "../http/content/send-content.ts";
import { readBody } from "../http/exchange/body.ts";
import type { Exchange } from "../http/exchange/exchange.ts";
import { endInPieces, pieceBytes } from "../http/exchange/send-pieces.ts";
import { type InterfaceOptions, type Packed, ProtocolContext } from "../http/protocol.ts";
import { unbuffered } from "../http/send-error.ts";
import { serveCall } from "../http/serve-call.ts";
import type { Codec, ProtoJson, RefuseField, Written } from "./codec.ts";
import {
  acceptedEncodings,
  type Negotiated,
  negotiateCompression,
  noCompression,
} from "./compression.ts";
import type { GetRequest } from "./connect/get.ts";
import {
  envelope,
  envelopeInPieces,
  messageSize,
  messageTooLarge,
  openEnvelope,
  openNext,
  prefixBytes,
  wholeEnvelopes,
} from "./envelope.ts";
import type { BodyForm } from "./grpc-web/text.ts";
import type { RpcMediaType } from "./media-type.ts";
import { type Framing, grpcFraming } from "./media-type.ts";
import { sendErrorOnly } from "./refusal.ts";
import { type ErrorOptions, type SentError, toFailure } from "./sent-error.ts";

export interface RpcOptions extends InterfaceOptions, ErrorOptions {
  readonly methods: readonly Method[];
  readonly json: ProtoJson;
  /** Makes the error of a field that is out of its bounds. */
  readonly refuseField?: RefuseField;
}

export interface RpcRoute {
  readonly method: Method;
  readonly operation: Operation;
  readonly options: RpcOptions;
  readonly binary: Codec;
  readonly json: Codec;
}

/** A call in Connect, gRPC or gRPC-Web. */
abstract class RpcContext extends ProtocolContext {
  readonly route: RpcRoute;
  readonly type: RpcMediaType;
  compression: Negotiated = noCompression;

  constructor(route: RpcRoute, type: RpcMediaType, response: Exchange) {
    super(route.method.desc, response);
    this.route = route;
    this.type = type;
    response.record.protocol = type.protocol;
    response.record.operation = route.operation;
  }

  serve(): Promise<void> | undefined {
    return serveCall(this);
  }

  /** Sends the response of a unary call. */
  protected abstract succeed(content: Written): void | Promise<void>;

  get served(): Method {
    return this.route.method;
  }

  get options(): RpcOptions {
    return this.route.options;
  }

  /** @param name in lower case */
  protected header(name: string): string | undefined {
    return this.response.headers[name]?.toString();
  }

  protected requestedEncoding(): string | undefined {
    return this.header(this.type.names.encoding);
  }

  checkHeaders(): void {
    const { accepted } = this.type.names;
    const requested = this.requestedEncoding();
    const compression = negotiateCompression(requested, this.header(accepted));
    if (!compression) {
      if (this.type.framing) this.response.setHeader(accepted, acceptedEncodings);
      throw callError(
        `unknown compression "${requested}": supported encodings are ${acceptedEncodings}`,
        Code.Unimplemented,
      );
    }
    this.compression = compression;
    this.checkTimeout();
  }

  protected override readTimeout(): number | undefined {
    const { timeout, parseTimeout } = this.type.names;
    const value = this.header(timeout);
    if (value === undefined) return undefined;
    const { timeoutMs, error } = parseTimeout(value, Number.MAX_SAFE_INTEGER);
    if (error) throw error;
    return timeoutMs;
  }

  decompressionFault(error: unknown, { name }: ContentCoding): ConnectError {
    return isTooLarge(error)
      ? messageTooLarge(undefined, this.maxMessageBytes)
      : callError(`the message is not valid ${name}`, Code.InvalidArgument);
  }

  private get codec(): Codec {
    return this.type.isBinary ? this.route.binary : this.route.json;
  }

  decode(data: Uint8Array): AnyMessage {
    return this.codec.read(data);
  }

  encode(response: AnyMessage): Written | Promise<Written> {
    return this.codec.write(response);
  }

  /** Returns the compression for content; undefined if the client accepts none or it is not worth it. */
  protected codingFor({ length }: Written): ContentCoding | undefined {
    return length < worthCompressing ? undefined : this.compression.response;
  }

  send(content: Written): void | Promise<void> {
    if (this.response.destroyed) return undefined;
    const sent = this.succeed(content);
    if (sent) return sent.then(() => this.settle());
    this.settle();
    return undefined;
  }

  protected settle(): void {
    settle(this.record, this.type.protocol, success, undefined);
  }

  fail(error: unknown): void {
    const { response, type } = this;
    if (response.destroyed) return;
    // Trailers may be too long to be sent.
    if (error === lastResort || error instanceof RangeError) this.trailersSet = undefined;
    const { sent, code, reason } = toFailure(error, this.options);
    if (response.headersSent) this.failBegun(sent);
    else this.failUnbegun(sent);
    settle(this.record, type.protocol, code, reason);
  }

  protected failBegun(_error: SentError): void {
    this.response.destroy();
  }

  protected failUnbegun(error: SentError): void {
    sendErrorOnly(this.response, this.type, error, this.trailersSet);
  }
}

/** A unary call by POST, or by GET where the method has no side effects: https://connectrpc.com/docs/protocol */
export class ConnectUnaryContext extends RpcContext {
  get: GetRequest | undefined = undefined;

  protected override requestedEncoding(): string | undefined {
    return this.get ? this.get.compression : super.requestedEncoding();
  }

  readBody(): Uint8Array | Promise<Uint8Array> {
    if (this.get) return new Uint8Array();
    const { response, maxMessageBytes } = this;
    return readBody(response, maxMessageBytes, () =>
      messageTooLarge(response.declaredLength, maxMessageBytes),
    );
  }

  unpack(body: Uint8Array): Packed {
    const data = this.get?.message() ?? body;
    const { length } = data;
    if (length > this.maxMessageBytes) throw messageTooLarge(length, this.maxMessageBytes);
    return { data, coding: this.compression.request };
  }

  protected succeed(content: Written): void | Promise<void> {
    const { trailersSet } = this;
    for (const name in trailersSet) {
      this.responseHeader.set(`trailer-${name}`, String(trailersSet[name]));
    }
    if (this.get) varyOn("accept-encoding", this.response);
    return sendContent(this.response, content, this.codingFor(content), this);
  }
}

/** A call whose messages are in envelopes: any but a unary call of Connect. */
export class EnvelopedContext extends RpcContext {
  private get framing(): Framing {
    return this.type.framing as Framing;
  }

  override checkHeaders(): void {
    if (namedCoding(this.response.headers["content-encoding"]) !== undefined) {
      throw callError(
        "The body of this call must not have a Content-Encoding. Compress each message, and name the coding in Grpc-Encoding or Connect-Content-Encoding.",
        Code.Unimplemented,
      );
    }
    super.checkHeaders();
    const coding = this.compression.response;
    if (coding) this.response.setHeader(this.type.names.encoding, coding.name);
  }

  readBody(): Uint8Array | Promise<Uint8Array> {
    const { maxMessageBytes } = this;
    const { form } = this.type;
    return readBody(this.response, form.length(prefixBytes + maxMessageBytes), (start) => {
      const prefix = form.decode(start.subarray(0, form.length(prefixBytes)));
      return messageTooLarge(messageSize(prefix), maxMessageBytes);
    });
  }

  unpack(body: Uint8Array): Packed {
    const message = this.type.form.decode(body);
    return openEnvelope(message, this.maxMessageBytes, this.method, this.compression.request);
  }

  override async *unpackEach(body: AsyncIterable<Uint8Array>): AsyncGenerator<Packed> {
    const { maxMessageBytes, response, compression, type } = this;
    const decoded = type.form.decodePieces(body);
    for await (const each of wholeEnvelopes(decoded, maxMessageBytes, response.unread)) {
      yield openNext(each, compression.request);
    }
  }

  override begin(): void {
    this.response.setHeader(unbuffered[0], unbuffered[1]);
    this.response.writeHead(200, { "content-type": this.type.name });
  }

  override encodeNext(message: AnyMessage): Uint8Array | Promise<Uint8Array> {
    const written = this.encode(message);
    return written instanceof Promise
      ? written.then((content) => this.encodeContent(content))
      : this.encodeContent(written);
  }

  private encodeContent(content: Written): Uint8Array | Promise<Uint8Array> {
    const coding = this.codingFor(content);
    const { form } = this.type;
    if (!coding) return form.encode(envelope(0, content.data));
    return this.work
      .compress(this, content, coding)
      .then((data) => form.encode(envelope(compressedFlag, data)));
  }

  override complete(): void {
    const { response } = this;
    if (response.destroyed) return;
    this.finish(undefined);
    this.settle();
  }

  protected override failBegun(error: SentError): void {
    this.finish(error);
  }

  protected override failUnbegun(error: SentError): void {
    // gRPC's clients of streams expect headers before the status.
    if (this.framing !== grpcFraming || this.served.kind === "unary" || !this.hasHeaders) {
      super.failUnbegun(error);
    } else {
      this.begin();
      this.finish(error);
    }
  }

  private finish(error: SentError | undefined): void {
    const { response, type } = this;
    const ending = this.framing.ending(error, this.trailersSet);
    if (ending instanceof Uint8Array) response.end(type.form.encode(ending));
    else {
      response.addTrailers(ending);
      response.end();
    }
  }

  protected succeed(content: Written): void | Promise<void> {
    const coding = this.codingFor(content);
    if (!coding) return this.sendWhole(0, content.data);
    return this.work
      .compress(this, content, coding)
      .then((data) => this.sendWhole(compressedFlag, data));
  }

  /** Sends the response of a unary call. Does not copy a long message. */
  private sendWhole(flags: number, data: string | Uint8Array): void {
    const { response } = this;
    if (response.destroyed) return;
    const { form } = this.type;
    const whole =
      typeof data === "string" || data.length <= pieceBytes
        ? form.encode(envelope(flags, data))
        : undefined;
    const headers: Record<string, string | number> = { "content-type": this.type.name };
    const ending = this.framing.ending(undefined, this.trailersSet);
    const last = ending instanceof Uint8Array ? form.encode(ending) : undefined;
    if (last) {
      const length = whole?.length ?? form.length(prefixBytes) + form.length(data.length);
      headers["content-length"] = length + last.length;
    }
    response.writeHead(200, headers);
    if (!(ending instanceof Uint8Array)) response.addTrailers(ending);
    if (whole) response.end(last ? Buffer.concat([whole, last]) : whole);
    else endInPieces(response, encodedPieces(form, flags, data as Uint8Array, last));
  }
}

function* encodedPieces(
  form: BodyForm,
  flags: number,
  data: Uint8Array,
  last: Uint8Array | undefined,
): Generator<Uint8Array> {
  for (const piece of envelopeInPieces(flags, data)) yield form.encode(piece);
  if (last) yield last;
}
