import { create, toBinary } from "@bufbuild/protobuf";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { expect, onTestFinished, test } from "vitest";
import {
  ServerReflection,
  ServerReflectionRequestSchema,
} from "../../gen/grpc/reflection/v1/reflection_pb.ts";
import { reflectionRoutes } from "../../src/rpc/reflection.ts";
import { createGateway } from "../../src/server/gateway.ts";
import { GreetService } from "../gen/shelf/v1/greet_pb.ts";
import { type RawReply, sendHttp1, sendHttp2 } from "./raw-clients.ts";

const path = `/${ServerReflection.typeName}/ServerReflectionInfo`;
const message = toBinary(
  ServerReflectionRequestSchema,
  create(ServerReflectionRequestSchema, { messageRequest: { case: "listServices", value: "" } }),
);

/** Returns the code of a reply, and the number of responses that name a service. */
function outcomeOf({ headers, trailers, body }: RawReply) {
  const text = Buffer.from(body, "hex").toString("latin1");
  const [, ofWeb] = /grpc-status: (\d+)/.exec(text) ?? [];
  const [, ofConnect] = /"error":\{"code":"(\w+)"/.exec(text) ?? [];
  const code = trailers["grpc-status"] ?? headers["grpc-status"] ?? ofWeb ?? ofConnect ?? "ok";
  return [code, text.split(GreetService.typeName).length - 1];
}

test.each([
  ["gRPC", "application/grpc", sendHttp2, "0", "3"],
  ["gRPC-Web over HTTP/1.1", "application/grpc-web+proto", sendHttp1, "0", "3"],
  ["gRPC-Web over HTTP/2", "application/grpc-web+proto", sendHttp2, "0", "3"],
  ["Connect over HTTP/1.1", "application/connect+proto", sendHttp1, "ok", "invalid_argument"],
  ["Connect over HTTP/2", "application/connect+proto", sendHttp2, "ok", "invalid_argument"],
] as const)(
  "%s refuses a stream of requests with an envelope that ends a stream of responses",
  async (_, type, send, succeeded, invalid) => {
    const gateway = createGateway({
      routes() {},
      publicRoutes: reflectionRoutes([GreetService]),
    });
    onTestFinished(() => gateway.drain(0));
    const { port } = await gateway.listen(0, "127.0.0.1");
    const headers = { "content-type": type };
    const call = async (...envelopes: Uint8Array[]) =>
      outcomeOf(
        await send(port, { method: "POST", path, headers, body: Buffer.concat(envelopes) }),
      );
    const plain = encodeEnvelope(0, message);
    expect(await call(plain, plain)).toEqual([succeeded, 2]);
    for (const flags of [2, 3, 0x80, 0x81]) {
      for (const text of ["", "{}"]) {
        const end = encodeEnvelope(flags, Buffer.from(text));
        expect(await call(plain, end, plain)).toEqual([invalid, 1]);
        expect(await call(end)).toEqual([invalid, 0]);
      }
    }
  },
);
