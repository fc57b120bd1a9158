import { gunzipSync } from "node:zlib";
import { create, fromBinary, fromJsonString } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { handleFor } from "../../../../test/support/endpoint.ts";
import { fromBase64Pieces } from "../../src/rpc/grpc-web/text.ts";
import { ScanResponseSchema, ShelfService } from "../gen/shelf/v1/shelf_pb.ts";
import { streaming } from "../rest/support/methods.ts";
import { startListener } from "../server/support/listener.ts";
import { sendHttp1, sendHttp2 } from "./raw-clients.ts";
import { rpcOf } from "./support.ts";

const { scan } = ShelfService.method;

async function serve(method: ReturnType<typeof streaming>) {
  const rpc = rpcOf([method]);
  const { port } = await startListener({
    handle(exchange) {
      void handleFor("me", rpc, exchange);
    },
  });
  return port;
}

function request(type: string, headers: Readonly<Record<string, string>> = {}) {
  const body = Buffer.from(encodeEnvelope(0, Buffer.from(type.endsWith("json") ? "{}" : "")));
  return {
    method: "POST",
    path: `/${scan.parent.typeName}/${scan.name}`,
    headers: { "content-type": type, ...headers },
    body: type.includes("-text") ? Buffer.from(body.toString("base64")) : body,
  };
}

/** Returns the first message of a body, decompressed. */
function firstMessage(hex: string, type: string) {
  const sent = Buffer.from(hex, "hex");
  const body = type.includes("-text") ? Buffer.from(sent.toString(), "base64") : sent;
  const data = body.subarray(5, 5 + body.readUInt32BE(1));
  const plain = body[0] === 1 ? gunzipSync(data) : data;
  const message = type.endsWith("json")
    ? fromJsonString(ScanResponseSchema, plain.toString())
    : fromBinary(ScanResponseSchema, plain);
  return { flags: body[0], title: message.book?.title };
}

describe.each([
  "application/grpc",
  "application/grpc+json",
  "application/grpc-web",
  "application/grpc-web-text",
  "application/connect+proto",
  "application/connect+json",
])("a stream in %s", (type) => {
  const accept = {
    [type.includes("connect") ? "connect-accept-encoding" : "grpc-accept-encoding"]: "gzip",
  };

  test("compresses long messages, and encodes a frozen one once for all clients", async () => {
    const title = "x".repeat(2_000);
    const message = Object.freeze(create(ScanResponseSchema, { book: { title } }));
    const method = streaming(scan, async function* () {});
    const port = await serve({
      ...method,
      async *invoke() {
        yield message;
      },
    });
    const send = async (headers = {}) =>
      firstMessage((await sendHttp1(port, request(type, headers))).body, type);
    expect(await send(accept)).toEqual({ flags: 1, title });
    // Changing a part of a frozen message shows that the cached content is sent.
    Object.assign(message.book ?? {}, { title: "other" });
    expect(await send(accept)).toEqual({ flags: 1, title });
    expect(await send()).toEqual({ flags: 0, title });
  });

  test("does not compress short messages", async () => {
    const port = await serve(
      streaming(scan, async function* () {
        yield { book: { title: "short" } };
      }),
    );
    const { body } = await sendHttp2(port, request(type, accept));
    expect(firstMessage(body, type)).toEqual({ flags: 0, title: "short" });
  });

  test("has the headers and trailers of its method, also when it fails", async () => {
    for (const fails of [false, true]) {
      const port = await serve(
        streaming(scan, async function* (_, { responseHeader, responseTrailer }) {
          responseHeader.set("x-header", "h");
          yield { book: { title: "first" } };
          responseTrailer.set("x-trailer", "t");
          if (fails) throw new ConnectError("wrong", Code.OutOfRange);
        }),
      );
      const { status, headers, trailers, body } = await sendHttp2(port, request(type));
      expect([status, headers["x-header"]]).toEqual([200, "h"]);
      const bytes = Buffer.from(body, "hex");
      const end = type.includes("-text")
        ? bytes.toString().replace(/[^=]+=*/g, (part) => Buffer.from(part, "base64").toString())
        : bytes.toString();
      if (type.includes("connect")) {
        expect(end).toContain('"metadata":{"x-trailer":["t"]}');
        expect(/"code":"(\w+)"/.exec(end)?.[1]).toBe(fails ? "out_of_range" : undefined);
      } else {
        const all = `${end}\r\n${Object.entries(trailers)
          .map(([name, value]) => `${name}: ${value}`)
          .join("\r\n")}`;
        expect(all).toContain("x-trailer: t");
        expect(/grpc-status: (\d+)/.exec(all)?.[1]).toBe(fails ? "11" : "0");
      }
    }
  });
});

test("base64 that arrives in any pieces is decoded", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array(), fc.array(fc.nat()), async (bytes, cuts) => {
      const text = Buffer.from(Buffer.from(bytes).toString("base64"));
      const places = [0, ...cuts.map((at) => at % (text.length + 1)).sort((a, b) => a - b)];
      async function* pieces() {
        for (const [index, at] of places.entries()) yield text.subarray(at, places[index + 1]);
      }
      expect(Buffer.concat(await Array.fromAsync(fromBase64Pieces(pieces())))).toEqual(
        Buffer.from(bytes),
      );
    }),
  );
});
