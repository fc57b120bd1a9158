import type { Protocol } from "../call/request-record.ts";
import { isUtf8, mediaTypeOf } from "../http/content/media-type.ts";
import type { NodeServerRequest } from "../http/exchange/node-http.ts";

/** A media type of an RPC protocol. */
export interface RpcMediaType {
  /** As in a response: without parameters. */
  readonly name: string;
  readonly protocol: Exclude<Protocol, "http">;
  /** Whether messages are binary protobuf, rather than ProtoJSON. */
  readonly isBinary: boolean;
  /** Whether a body consists of enveloped messages. */
  readonly isEnveloped: boolean;
  /** Whether a body is in base64. */
  readonly isText: boolean;
}

function typesOf(
  protocol: RpcMediaType["protocol"],
  base: string,
  forms: readonly string[],
  { isEnveloped = true, isText = false } = {},
): RpcMediaType[] {
  return forms.map((form) => {
    const name = `application/${base}${form}`;
    return { name, protocol, isBinary: !form.endsWith("json"), isEnveloped, isText };
  });
}

/**
 * The media types of Connect (https://connectrpc.com/docs/protocol), gRPC
 * (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md) and gRPC-Web
 * (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md), by name.
 */
const types: ReadonlyMap<string, RpcMediaType> = new Map(
  [
    ...typesOf("grpc", "grpc", ["", "+proto", "+json"]),
    ...typesOf("grpc_web", "grpc-web", ["", "+proto", "+json"]),
    ...typesOf("grpc_web", "grpc-web-text", ["", "+proto", "+json"], { isText: true }),
    ...typesOf("connect", "connect", ["+proto", "+json"]),
    ...typesOf("connect", "", ["proto", "json"], { isEnveloped: false }),
  ].map((type) => [type.name, type]),
);

/**
 * Reads the Content-Type header of an RPC request. Its parameters have no meaning, except for the charset of JSON.
 *
 * @returns undefined for a media type of no RPC protocol, and for JSON that is not in UTF-8
 */
function rpcMediaType(header: string | undefined): RpcMediaType | undefined {
  const named = mediaTypeOf(header);
  const type = named && types.get(named.essence);
  return type && (type.isBinary || isUtf8(named)) ? type : undefined;
}

/** Returns the media type of an RPC request, as {@link rpcMediaType} does. */
export function rpcMediaTypeOf({ headers }: NodeServerRequest): RpcMediaType | undefined {
  return rpcMediaType(headers["content-type"]);
}
