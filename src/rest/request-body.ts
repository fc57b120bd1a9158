import { Code, ConnectError } from "@connectrpc/connect";
import { payloadTooLarge, unsupportedMediaType } from "./http-failure.ts";
import { InvalidInput } from "./invalid-input.ts";
import { parseMediaType } from "./media-type.ts";
import type { NodeServerRequest, NodeServerResponse } from "./node-http.ts";
import type { Route } from "./route.ts";

const json = "application/json";
const mergePatch = "application/merge-patch+json";

/**
 * Whether a request has a body, as far as can be told before reading it.
 *
 * @returns how many bytes it declares; undefined when it has one of undeclared length
 */
export function declaredLength(request: NodeServerRequest): number | undefined {
  const { headers } = request;
  const length = headers["content-length"];
  if (length !== undefined) return Number(length);
  if ("stream" in request) return request.stream.endAfterHeaders ? 0 : undefined;
  return headers["transfer-encoding"] === undefined ? 0 : undefined;
}

/**
 * Checks that a request body is JSON, by its Content-Type; without one it is taken to be. A JSON merge
 * patch (RFC 7396) is one only with PATCH.
 *
 * @throws HttpFailure 415
 */
function checkMediaType(request: NodeServerRequest): void {
  const field = request.headers["content-type"];
  if (!field) return;
  const type = parseMediaType(field);
  const isPatch = request.method === "PATCH";
  const fits = type?.essence === json || (isPatch && type?.essence === mergePatch);
  if (fits && (type.charset ?? "utf-8") === "utf-8") return;
  const accepted = isPatch ? `${json}, ${mergePatch}` : json;
  throw unsupportedMediaType(
    `the request body must be ${isPatch ? `${json} or ${mergePatch}` : json} in UTF-8`,
    { [isPatch ? "accept-patch" : "accept"]: accepted },
  );
}

const nothing = new Uint8Array(0);

/**
 * Takes a request's body for a route.
 *
 * @param maxBytes the most to read
 * @returns the body; empty when there is none
 * @throws HttpFailure 415 or 413
 * @throws InvalidInput when there is a body and the route has no use for it
 */
export function takeBody(
  { body }: Pick<Route<never>, "body">,
  request: NodeServerRequest,
  response: NodeServerResponse,
  maxBytes: number,
): Promise<Uint8Array> | Uint8Array {
  const declared = declaredLength(request);
  if (declared === 0) return nothing;
  if (body === undefined) {
    if (declared !== undefined) throw unusedBody();
  } else {
    checkMediaType(request);
  }
  if (declared !== undefined && declared > maxBytes) throw payloadTooLarge(maxBytes);
  return readBody(request, response, maxBytes);
}

/** The error for a body that a route has no use for. */
export function unusedBody(): InvalidInput {
  return new InvalidInput("is not used here; send none", "request body");
}

/**
 * Reads a whole request body.
 *
 * @param maxBytes the most to read
 * @throws HttpFailure 413, as soon as it is known
 * @throws ConnectError canceled when the client leaves
 */
function readBody(
  request: NodeServerRequest,
  response: NodeServerResponse,
  maxBytes: number,
): Promise<Uint8Array> {
  if (request.headers.expect !== undefined) response.writeContinue();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = (error: unknown) => {
      request.off("data", onData);
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) stop(payloadTooLarge(maxBytes));
      else chunks.push(chunk);
    };
    request.on("data", onData);
    request.on("end", () => resolve(joinChunks(chunks)));
    request.on("error", stop);
    request.on("close", () => stop(new ConnectError("the client has left", Code.Canceled)));
  });
}

function joinChunks(chunks: readonly Buffer[]): Uint8Array {
  const [first] = chunks;
  return first && chunks.length === 1 ? first : Buffer.concat(chunks);
}
