import type { UniversalHandlerFn } from "@connectrpc/connect/protocol";
import { fromBase64, textType, toBase64 } from "./text.ts";

/**
 * Makes a handler for gRPC-Web support bodies in base64, which Connect's handlers do not:
 * https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md
 */
export function withText(handler: UniversalHandlerFn): UniversalHandlerFn {
  return async (request) => {
    const type = request.header.get("content-type");
    if (!type?.includes("-text")) return handler(request);
    const header = new Headers(request.header);
    header.set("content-type", type.replace("-text", ""));
    header.delete("content-length");
    const response = await handler({
      ...request,
      header,
      body: decoded(request.body as AsyncIterable<Uint8Array>),
    });
    if (!response.header || !response.body) return response;
    const responseHeader = new Headers(response.header);
    responseHeader.set("content-type", textType(responseHeader.get("content-type") ?? ""));
    return { ...response, header: responseHeader, body: encoded(response.body) };
  };
}

async function* decoded(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest = Buffer.alloc(0);
  for await (const chunk of body) {
    const text = Buffer.concat([rest, chunk]);
    const whole = text.length - (text.length % 4);
    yield fromBase64(text.subarray(0, whole));
    rest = text.subarray(whole);
  }
  yield fromBase64(rest);
}

async function* encoded(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) yield toBase64(chunk);
}
