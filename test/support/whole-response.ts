import { once } from "node:events";
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { ClientHttp2Stream, IncomingHttpHeaders as Http2Headers } from "node:http2";

/** A whole response, of either version of HTTP. */
export interface WholeResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly trailers: NodeJS.Dict<string | string[]>;
  readonly bytes: Buffer;
  /** The bytes as text. */
  readonly body: string;
}

function whole(
  status = 0,
  headers: IncomingHttpHeaders,
  trailers: WholeResponse["trailers"],
  bytes: Buffer,
): WholeResponse {
  return { status, headers, trailers, bytes, body: bytes.toString() };
}

/**
 * Reads the response to an HTTP/1 request. Then the rest of the request's body may fail.
 *
 * @param isEndless whether a response with status 200 has no end: of that, only the first bytes are read
 */
export async function responseTo(
  request: ClientRequest,
  isEndless = false,
): Promise<WholeResponse> {
  const [response] = (await once(request, "response")) as [IncomingMessage];
  request.on("error", () => {});
  const chunks: Buffer[] = [];
  for await (const chunk of response) {
    chunks.push(chunk);
    if (isEndless && response.statusCode === 200) break;
  }
  const bytes = Buffer.concat(chunks);
  return whole(response.statusCode, response.headers, response.trailers, bytes);
}

export async function responseOn(stream: ClientHttp2Stream): Promise<WholeResponse> {
  let trailers: Http2Headers = {};
  stream.on("trailers", (received) => {
    trailers = received;
  });
  const [headers] = (await once(stream, "response")) as [Http2Headers & { ":status"?: number }];
  const bytes = Buffer.concat(await stream.toArray());
  return whole(headers[":status"], headers, trailers, bytes);
}
