import { connect, constants } from "node:http2";
import { describe, expect, it, onTestFinished } from "vitest";
import { useServer } from "../support/server.ts";
import { storeKinds } from "../support/stores.ts";

/** Returns an enveloped message of zero bytes. */
const envelope = (bytes: number) => Buffer.from([0, 0, 0, 0, bytes, ...Buffer.alloc(bytes)]);

describe.each(storeKinds)("$name", (kind) => {
  const server = useServer(kind);

  /** Makes a gRPC call. Returns the status in the first headers, and whether they end the stream. */
  function call(path: string, body: Uint8Array): Promise<{ status: unknown; isLast: boolean }> {
    const session = connect(server.url);
    onTestFinished(() => session.destroy());
    const stream = session.request({
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc",
      te: "trailers",
    });
    return new Promise((resolve, reject) => {
      stream.once("error", reject);
      stream.once("response", (headers, flags) =>
        resolve({
          status: headers["grpc-status"],
          isLast: (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0,
        }),
      );
      stream.end(body);
    });
  }

  // https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md: gRPC for Go reads a status from
  // the headers only if they end the stream.
  it.each([
    [
      "that is rejected: unauthenticated",
      "/inventory.v1.InventoryService/ListInventory",
      envelope(0),
      "16",
    ],
    ["that fails in the method: not_found", "/grpc.health.v1.Health/Check", checkOf("x"), "5"],
    ["that is malformed: invalid_argument", "/grpc.health.v1.Health/Check", envelope(1), "3"],
    [
      "with a stream of responses that is malformed: invalid_argument",
      "/grpc.health.v1.Health/Watch",
      envelope(1),
      "3",
    ],
    [
      "with streams in both directions that is malformed: invalid_argument",
      "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
      envelope(1),
      "3",
    ],
  ])("the error of a call %s ends the stream with its headers", async (_, path, body, status) => {
    expect(await call(path, body)).toEqual({ status, isLast: true });
  });
});

/** Returns the request of a health check for a service whose name is one letter. */
function checkOf(letter: string): Buffer {
  return Buffer.from([0, 0, 0, 0, 3, 0x0a, 1, letter.charCodeAt(0)]);
}
