import { type ClientHttp2Session, connect } from "node:http2";
import { gzipSync } from "node:zlib";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { describe, expect, it } from "vitest";
import { newAuthorization } from "../support/accounts.ts";
import { collectGarbage } from "../support/collect-garbage.ts";
import { type ServerUnderTest, useServer } from "../support/server.ts";
import { memoryKind } from "../support/stores.ts";

const list = "/inventory.v1.InventoryService/ListInventory";
describe("hostile clients", () => {
  const server = useServer(memoryKind, {
    HEADERS_TIMEOUT_MS: "200",
    REQUEST_TIMEOUT_MS: "200",
  });

  it("a unary call whose body never ends gets 408 in time, and its connection stays open", async () => {
    const { session, headers } = await connected(server);
    const stream = session.request({ ...headers, ":path": list });
    stream.write(Buffer.from([0, 0, 0]));
    expect(await statusOf(stream)).toBe(408);
    expect(await grpcStatusOf(session, headers, encodeEnvelope(0, new Uint8Array()))).toBe("0");
    session.close();
    expect(server.faults).toEqual([]);
  });

  it.each(
    ["application/connect+json", "application/grpc-web+proto", "application/grpc"].flatMap((type) =>
      ["inventory.v1.InventoryService/WatchInventory", "admin.v1.AdminService/ImportInventory"].map(
        (method) => [type, `/${method}`] as const,
      ),
    ),
  )(
    "a streaming call in %s of %s whose body never ends gets 408, and its HTTP/2 stream is closed",
    async (type, path) => {
      const { session, headers } = await connected(server);
      const stream = session.request({ ...headers, ":path": path, "content-type": type });
      const closed = new Promise((resolve) => stream.once("close", resolve));
      stream.write(Buffer.from([0, 0, 0]));
      expect(await statusOf(stream)).toBe(408);
      stream.resume();
      await closed;
      expect(stream.rstCode).toBe(0);
      session.close();
      expect(server.faults).toEqual([]);
    },
  );

  it("1,000 calls that are reset at once cause no fault", async () => {
    for (let round = 0; round < 4; round++) {
      const { session, headers } = await connected(server);
      const closed = new Promise((resolve) => session.once("close", resolve));
      session.on("error", () => undefined);
      for (let count = 0; count < 250; count++) {
        const stream = session.request({ ...headers, ":path": list });
        stream.on("error", () => undefined);
        stream.write(encodeEnvelope(0, new Uint8Array()));
        stream.close(8);
      }
      session.close();
      await closed;
    }
    const { session, headers } = await connected(server);
    expect(await grpcStatusOf(session, headers, encodeEnvelope(0, new Uint8Array()))).toBe("0");
    session.close();
    expect(server.faults).toEqual([]);
  });

  it("hundreds of decompression bombs and false lengths leak no memory", async () => {
    const { session, headers } = await connected(server);
    const bomb = encodeEnvelope(1, gzipSync(Buffer.alloc(8_000_000)));
    const falseLength = Buffer.from([0, 0xff, 0xff, 0xff, 0xff]);
    const send = async () => {
      for (let round = 0; round < 100; round++) {
        const coded = { ...headers, "grpc-encoding": "gzip" };
        expect(await grpcStatusOf(session, coded, bomb)).toBe("8");
        expect(await grpcStatusOf(session, headers, falseLength)).toBe("8");
      }
    };
    await send();
    collectGarbage({ type: "major", execution: "sync" });
    const before = process.memoryUsage().arrayBuffers;
    await send();
    collectGarbage({ type: "major", execution: "sync" });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64_000_000);
    session.close();
    expect(server.faults).toEqual([]);
  });
});

async function connected({ url, stores }: ServerUnderTest) {
  return {
    session: connect(url),
    headers: {
      ":method": "POST",
      "content-type": "application/grpc",
      authorization: await newAuthorization(stores, { scopes: ["admin"] }),
    },
  };
}

type Stream = ReturnType<ClientHttp2Session["request"]>;

function statusOf(stream: Stream): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    stream.on("error", reject).on("response", ({ ":status": status }) => resolve(status));
  });
}

/** Makes a gRPC call of ListInventory. Returns its status. */
function grpcStatusOf(
  session: ClientHttp2Session,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ...headers, ":path": list });
    let status: unknown;
    stream.on("response", (fields) => {
      status = fields["grpc-status"];
    });
    stream.on("trailers", (fields) => {
      status = fields["grpc-status"];
    });
    stream.on("error", reject).on("end", () => resolve(status));
    stream.resume();
    stream.end(body);
  });
}
