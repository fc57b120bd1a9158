import type { UniversalHandlerFn } from "@connectrpc/connect/protocol";
import { parseContentType } from "@connectrpc/connect/protocol-grpc-web";
import { fromBase64, textType, toBase64 } from "./text.ts";

/**
 * Teaches a handler for gRPC-Web its form in base64, which Connect's do not know:
 * https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md
 */
export function withText(handler: UniversalHandlerFn): UniversalHandlerFn {
  return async (request) => {
    const type = request.header.get("content-type");
    if (!type || !parseContentType(type)?.text) return handler(request);
    const header = new Headers(request.header);
    header.set("content-type", type.replace(/-text/i, ""));
    header.delete("content-length");
    const answer = await handler({
      ...request,
      header,
      body: decoded(request.body as AsyncIterable<Uint8Array>),
    });
    if (!answer.header || !answer.body) return answer;
    const answerHeader = new Headers(answer.header);
    answerHeader.set("content-type", textType(answerHeader.get("content-type") ?? ""));
    return { ...answer, header: answerHeader, body: encoded(answer.body) };
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
