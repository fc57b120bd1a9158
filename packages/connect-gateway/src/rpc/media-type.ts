import type { Protocol } from "../call/request-record.ts";
import { isUtf8, mediaTypeOf } from "../http/content/media-type.ts";
import type { Exchange } from "../http/exchange/exchange.ts";
import {
  connectFraming,
  type Framing,
  grpcFraming,
  grpcWebFraming,
  type HeaderNames,
  unaryNames,
} from "./framing.ts";
import { type BodyForm, base64, plain } from "./grpc-web/text.ts";

export interface RpcMediaType {
  /** As in a response: complete, and without parameters. */
  readonly name: string;
  readonly protocol: Exclude<Protocol, "http">;
  /** Whether messages are binary protobuf, rather than ProtoJSON. */
  readonly isBinary: boolean;
  readonly names: HeaderNames;
  /** How messages are enveloped; undefined for unary calls of Connect. */
  readonly framing: Framing | undefined;
  readonly form: BodyForm;
}

function typesOf(
  base: string,
  messages: readonly string[],
  common: Pick<RpcMediaType, "protocol" | "framing"> & { readonly form?: BodyForm },
): [name: string, RpcMediaType][] {
  return messages.map((message) => {
    const name = `application/${base}${message || "+proto"}`;
    const names = common.framing?.names ?? unaryNames;
    const type = { form: plain, ...common, name, isBinary: !message.endsWith("json"), names };
    return [`application/${base}${message}`, type];
  });
}

const grpcMessages = ["", "+proto", "+json"];
const grpcWeb = { protocol: "grpc_web", framing: grpcWebFraming } as const;

/**
 * The media types of Connect (https://connectrpc.com/docs/protocol), gRPC
 * (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md) and gRPC-Web
 * (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md), by name.
 */
const types: ReadonlyMap<string, RpcMediaType> = new Map([
  ...typesOf("grpc", grpcMessages, { protocol: "grpc", framing: grpcFraming }),
  ...typesOf("grpc-web", grpcMessages, grpcWeb),
  ...typesOf("grpc-web-text", grpcMessages, { ...grpcWeb, form: base64 }),
  ...typesOf("connect", ["+proto", "+json"], { protocol: "connect", framing: connectFraming }),
  ...typesOf("", ["proto", "json"], { protocol: "connect", framing: undefined }),
]);

export const unaryBinary = types.get("application/proto") as RpcMediaType;
export const unaryJson = types.get("application/json") as RpcMediaType;

/** Returns the media type of an RPC request; undefined for one of no RPC protocol, and for JSON that is not in UTF-8. */
export function rpcMediaTypeOf({ headers }: Exchange): RpcMediaType | undefined {
  const named = mediaTypeOf(headers["content-type"]);
  const type = named && types.get(named.essence);
  return type && (type.isBinary || isUtf8(named)) ? type : undefined;
}
