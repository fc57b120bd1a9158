import {
  create,
  type DescMessage,
  type DescMethod,
  type MessageInitShape,
  toBinary,
} from "@bufbuild/protobuf";
import type { Code } from "@connectrpc/connect";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import {
  type RawReply,
  type RawRequest,
  sendHttp1,
  sendHttp2,
} from "../../packages/connect-gateway/test/rpc/raw-clients.ts";
import { codeWord } from "../contract/unary-protocols.ts";

/** A call as it is written on the wire, without the local timeout that client libraries add. */
export interface RawCall<D extends DescMessage = DescMessage> {
  readonly method: DescMethod & { readonly input: D };
  readonly message: MessageInitShape<D>;
  readonly authorization: string;
  /** The timeout to send, in milliseconds; undefined to send none. */
  readonly timeoutMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The outcome of a call: its code as a word, `ok` for success, and its response. */
export interface RawOutcome {
  readonly code: string;
  readonly reply: RawReply;
}

/** One protocol of RPC over one version of HTTP. */
export interface RawProtocol {
  readonly name: string;
  call<D extends DescMessage>(port: number, call: RawCall<D>): Promise<RawOutcome>;
}

const bodyOf = <D extends DescMessage>({ method, message }: RawCall<D>) =>
  toBinary(method.input, create(method.input, message));

const pathOf = ({ method }: { readonly method: DescMethod }) =>
  `/${method.parent.typeName}/${method.name}`;

const bytesOf = ({ body }: RawReply) => Buffer.from(body, "hex");

function wordOf(code: unknown): string {
  return String(code) === "0" ? "ok" : codeWord(Number(code) as Code);
}

type Send = (port: number, request: RawRequest) => Promise<RawReply>;

function connect(name: string, send: Send): RawProtocol {
  return {
    name,
    async call(port, call) {
      const isUnary = call.method.methodKind === "unary";
      const reply = await send(port, {
        method: "POST",
        path: pathOf(call),
        headers: {
          "content-type": isUnary ? "application/proto" : "application/connect+proto",
          authorization: call.authorization,
          ...(call.timeoutMs !== undefined && { "connect-timeout-ms": `${call.timeoutMs}` }),
          ...call.headers,
        },
        body: isUnary ? bodyOf(call) : encodeEnvelope(0, bodyOf(call)),
      });
      if (isUnary) {
        const code = reply.status === 200 ? "ok" : JSON.parse(bytesOf(reply).toString()).code;
        return { code, reply };
      }
      const end = /\{.*\}$/s.exec(bytesOf(reply).toString())?.[0] ?? "{}";
      return { code: JSON.parse(end).error?.code ?? "ok", reply };
    },
  };
}

function grpc(name: string, type: string, send: Send): RawProtocol {
  return {
    name,
    async call(port, call) {
      const reply = await send(port, {
        method: "POST",
        path: pathOf(call),
        headers: {
          "content-type": type,
          authorization: call.authorization,
          ...(call.timeoutMs !== undefined && { "grpc-timeout": `${call.timeoutMs}m` }),
          ...call.headers,
        },
        body: encodeEnvelope(0, bodyOf(call)),
      });
      const inBody = /grpc-status: (\d+)/.exec(bytesOf(reply).toString("latin1"))?.[1];
      const status = reply.trailers["grpc-status"] ?? reply.headers["grpc-status"] ?? inBody;
      return { code: wordOf(status), reply };
    },
  };
}

/** The RPC protocols, as bytes on the wire. */
export const rawProtocols: readonly RawProtocol[] = [
  connect("Connect, HTTP/1.1", sendHttp1),
  connect("Connect, HTTP/2", sendHttp2),
  grpc("gRPC", "application/grpc", sendHttp2),
  grpc("gRPC-Web, HTTP/1.1", "application/grpc-web+proto", sendHttp1),
  grpc("gRPC-Web, HTTP/2", "application/grpc-web+proto", sendHttp2),
];
