import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { expect, onTestFinished, test } from "vitest";
import { codings } from "../../src/http/content/coding.ts";
import { createGateway } from "../../src/server/gateway.ts";
import { ShelfService } from "../gen/shelf/v1/shelf_pb.ts";
import { sendHttp2 } from "../rpc/raw-clients.ts";

const path = `/${ShelfService.typeName}/PutTags`;

/** A short text is decompressed at once, a long one in node's thread pool. */
const texts = { short: "a", long: Array.from({ length: 9_000 }, (_, at) => at * at).join(" ") };

/** Sends tags in JSON over HTTP and Connect, and in envelopes of gRPC-Web. Returns what a server responds. */
async function send(port: number, name: string, text: string, change: (data: Buffer) => Buffer) {
  const coding = codings.find((each) => each.name === name);
  if (!coding) throw new Error("there is no such coding");
  const compress = async (json: unknown) =>
    change(await coding.compress(Buffer.from(JSON.stringify(json))));
  const post = { method: "POST", path };
  const json = { "content-type": "application/json", "content-encoding": name };
  const web = { "content-type": "application/grpc-web+json", "grpc-encoding": name };
  const whole = encodeEnvelope(1, await compress({ tags: [text] }));
  const replies = [
    await sendHttp2(port, {
      method: "PUT",
      path: "/v1/books/1/tags",
      headers: json,
      body: await compress([text]),
    }),
    await sendHttp2(port, { ...post, headers: json, body: await compress({ tags: [text] }) }),
    await sendHttp2(port, { ...post, headers: web, body: whole }),
  ];
  return replies.map(({ status, headers, body }) => {
    const inBody = Buffer.from(body, "hex").toString("latin1");
    const grpcStatus = headers["grpc-status"] ?? /grpc-status: (\d+)/.exec(inBody)?.[1];
    return grpcStatus ?? status;
  });
}

test.each(
  codings.flatMap(({ name }) => Object.entries(texts).map(([size, text]) => [name, size, text])),
)("%s with bytes after its end is refused: a %s text", async (name = "", _ = "", text = "") => {
  const gateway = createGateway({
    routes: ({ rpc }) => rpc(ShelfService.method.putTags, ({ tags }) => ({ tags })),
  });
  onTestFinished(() => gateway.drain(0));
  const { port } = await gateway.listen(0, "127.0.0.1");
  expect(await send(port, name, text, (data) => data)).toEqual([200, 200, "0"]);
  for (const junk of ["x", "junk", "\0", "\0".repeat(2_000)]) {
    const change = (data: Buffer) => Buffer.concat([data, Buffer.from(junk)]);
    expect(await send(port, name, text, change), JSON.stringify(junk)).toEqual([400, 400, "3"]);
  }
  const cut = (data: Buffer) => data.subarray(0, -1);
  expect(await send(port, name, text, cut)).toEqual([400, 400, "3"]);
});
