import { connect } from "node:http2";
import { gzipSync } from "node:zlib";
import { create, toBinary } from "@bufbuild/protobuf";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { describe, expect, it } from "vitest";
import {
  ListInventoryRequestSchema,
  PetStatus,
  UpdateInventoryRequestSchema,
} from "../../gen/inventory/v1/inventory_pb.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { type ServerUnderTest, useServer } from "../support/server.ts";
import { storeKinds } from "../support/stores.ts";
import { type RawReply, type RawRequest, sendHttp1, sendHttp2 } from "./raw-clients.ts";

const service = "/inventory.v1.InventoryService/";
const update = `${service}UpdateInventory`;
const list = `${service}ListInventory`;

const change = (petId: bigint, quantity: number) =>
  toBinary(
    UpdateInventoryRequestSchema,
    create(UpdateInventoryRequestSchema, { petId, update: { quantity } }),
  );
const changeJson = Buffer.from('{"petId":"1","update":{"quantity":5}}');
const nothing = toBinary(ListInventoryRequestSchema, create(ListInventoryRequestSchema));
const framed = (data: Uint8Array, flags = 0) => encodeEnvelope(flags, data);
const base64 = (data: Uint8Array) => Buffer.from(Buffer.from(data).toString("base64"));

/** A request to be sent as it is. */
type Case = Omit<RawRequest, "method"> & { readonly method?: string };

const post = (path: string, type: string, body: Uint8Array, headers = {}): Case => ({
  path,
  headers: { "content-type": type, ...headers },
  body,
});

const unaryTypes = ["application/json", "application/proto"] as const;
const framedTypes = [
  "application/grpc",
  "application/grpc+proto",
  "application/grpc-web+proto",
] as const;
const framedJsonTypes = ["application/grpc+json", "application/grpc-web+json"] as const;

/** Calls that succeed, and calls that are wrong in every way a protocol knows. */
const cases: Readonly<Record<string, Case>> = {
  ...forEach(unaryTypes, "an update", (type) =>
    post(update, type, type === "application/proto" ? change(1n, 5) : changeJson),
  ),
  ...forEach(unaryTypes, "a list, compressed", (type) =>
    post(list, type, type === "application/proto" ? nothing : Buffer.from("{}"), {
      "accept-encoding": "br, gzip",
    }),
  ),
  ...forEach(["gzip", "br", "zstd", "identity", "snappy"], "a list in", (coding) =>
    post(list, "application/proto", nothing, { "accept-encoding": coding }),
  ),
  ...forEach(unaryTypes, "a compressed update", (type) =>
    post(update, type, gzipSync(type === "application/proto" ? change(1n, 5) : changeJson), {
      "content-encoding": "gzip",
    }),
  ),
  ...forEach(unaryTypes, "a coding that nobody knows", (type) =>
    post(update, type, changeJson, { "content-encoding": "snappy" }),
  ),
  ...forEach(unaryTypes, "what is not in its coding", (type) =>
    post(update, type, changeJson, { "content-encoding": "gzip" }),
  ),
  ...forEach(unaryTypes, "a compressed bomb", (type) =>
    post(update, type, gzipSync(Buffer.alloc(1_000_000)), { "content-encoding": "gzip" }),
  ),
  ...forEach(unaryTypes, "a message that is too large", (type) =>
    post(update, type, Buffer.alloc(70_000, 32)),
  ),
  ...forEach(unaryTypes, "a message that can't be read", (type) =>
    post(update, type, Buffer.from([0xff, 0xff])),
  ),
  ...forEach(unaryTypes, "an unknown pet", (type) =>
    post(
      update,
      type,
      type === "application/proto"
        ? change(404n, 5)
        : Buffer.from('{"petId":"404","update":{"quantity":5}}'),
    ),
  ),
  ...forEach(unaryTypes, "a quantity out of bounds", (type) =>
    post(
      update,
      type,
      type === "application/proto"
        ? change(1n, -1)
        : Buffer.from('{"petId":"1","update":{"quantity":-1}}'),
    ),
  ),
  ...forEach(["abc", "-1", "99999999999"], "a timeout that is none:", (timeout) =>
    post(update, "application/json", changeJson, { "connect-timeout-ms": timeout }),
  ),
  "a timeout that has passed": post(update, "application/json", changeJson, {
    "connect-timeout-ms": "0",
  }),
  "an unknown JSON field": post(update, "application/json", Buffer.from('{"colour":"red"}')),
  "a JSON field of the wrong kind": post(
    update,
    "application/json",
    Buffer.from('{"petId":"1","update":{"quantity":"five"}}'),
  ),
  "no body": post(update, "application/json", Buffer.alloc(0)),
  "a stream's media type": post(update, "application/connect+json", framed(changeJson)),
  "a media type that nobody knows": post(update, "text/plain", changeJson),
  "a method that nobody knows": { path: update, method: "PUT", headers: {}, body: changeJson },
  "a GET of an update": { path: `${update}?encoding=json&message=%7B%7D`, method: "GET" },
  "a GET of the list": { path: `${list}?encoding=json&message=%7B%7D&connect=v1`, method: "GET" },
  "a GET in binary": { path: `${list}?encoding=proto&base64=1&message=`, method: "GET" },
  "a compressed GET": {
    path: `${list}?encoding=json&base64=1&compression=gzip&message=${encodeURIComponent(gzipSync("{}").toString("base64"))}`,
    method: "GET",
  },
  "a GET whose message is not base64": {
    path: `${list}?encoding=proto&base64=1&message=%25%25`,
    method: "GET",
  },
  "a GET without encoding": { path: `${list}?message=%7B%7D`, method: "GET" },
  "a GET with a message that can't be read": {
    path: `${list}?encoding=json&message=%7B`,
    method: "GET",
  },
  ...forEach(framedTypes, "an update", (type) => post(update, type, framed(change(1n, 5)))),
  ...forEach(framedJsonTypes, "an update", (type) => post(update, type, framed(changeJson))),
  ...forEach(framedTypes, "a list, compressed", (type) =>
    post(list, type, framed(nothing), { "grpc-accept-encoding": "gzip" }),
  ),
  ...forEach(framedTypes, "a compressed update", (type) =>
    post(update, type, framed(gzipSync(change(1n, 5)), 1), { "grpc-encoding": "gzip" }),
  ),
  ...forEach(framedTypes, "compressed without a word", (type) =>
    post(update, type, framed(gzipSync(change(1n, 5)), 1)),
  ),
  ...forEach(framedTypes, "a coding that nobody knows", (type) =>
    post(update, type, framed(change(1n, 5), 1), { "grpc-encoding": "snappy" }),
  ),
  ...forEach(framedTypes, "a compressed bomb", (type) =>
    post(update, type, framed(gzipSync(Buffer.alloc(1_000_000)), 1), { "grpc-encoding": "gzip" }),
  ),
  ...forEach(framedTypes, "no message", (type) => post(update, type, Buffer.alloc(0))),
  ...forEach(framedTypes, "two messages", (type) =>
    post(update, type, Buffer.concat([framed(change(1n, 5)), framed(change(1n, 6))])),
  ),
  ...forEach(framedTypes, "a prefix that is cut off", (type) =>
    post(update, type, Buffer.from([0, 0])),
  ),
  ...forEach(framedTypes, "a message that is cut off", (type) =>
    post(update, type, framed(change(1n, 5)).subarray(0, 7)),
  ),
  ...forEach(framedTypes, "a length that is a lie", (type) =>
    post(update, type, Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 1, 2])),
  ),
  ...forEach(framedTypes, "a message that is too large", (type) =>
    post(update, type, framed(Buffer.alloc(70_000))),
  ),
  ...forEach(framedTypes, "a message that can't be read", (type) =>
    post(update, type, framed(Buffer.from([0xff, 0xff]))),
  ),
  ...forEach(framedTypes, "an unknown pet", (type) => post(update, type, framed(change(404n, 5)))),
  ...forEach(framedTypes, "a quantity out of bounds", (type) =>
    post(update, type, framed(change(1n, -1))),
  ),
  ...forEach(framedTypes, "a timeout that is none", (type) =>
    post(update, type, framed(change(1n, 5)), { "grpc-timeout": "soon" }),
  ),
  ...forEach(framedTypes, "a timeout that has passed", (type) =>
    post(update, type, framed(change(1n, 5)), { "grpc-timeout": "0m" }),
  ),
  ...forEach(
    ["application/grpc-web-text", "application/grpc-web-text+proto"],
    "an update",
    (type) => post(update, type, base64(framed(change(1n, 5)))),
  ),
  "text in pieces": post(
    update,
    "application/grpc-web-text",
    Buffer.concat([
      base64(framed(change(1n, 5)).subarray(0, 4)),
      base64(framed(change(1n, 5)).subarray(4)),
    ]),
  ),
  "text that is not base64": post(update, "application/grpc-web-text", Buffer.from("****")),
  "text that is cut off": post(update, "application/grpc-web-text", Buffer.from("AAA")),
  "an unknown pet, in text": post(
    update,
    "application/grpc-web-text",
    base64(framed(change(404n, 5))),
  ),
};

function forEach(
  types: readonly string[],
  name: string,
  make: (type: string) => Case,
): Record<string, Case> {
  return Object.fromEntries(types.map((type) => [`${name} ${type}`, make(type)]));
}

const memory = storeKinds.filter(({ name }) => name === "memory");

describe.each(memory)("the fast path and Connect's handlers", (kind) => {
  const fast = useServer(kind);
  const slow = useServer(kind, { RPC_FAST_PATH: "off" });

  async function keyOn({ stores }: ServerUnderTest): Promise<string> {
    await stores.inventory.put(
      Array.from({ length: 100 }, (_, index) => ({
        petId: BigInt(index + 1),
        quantity: index,
        status: PetStatus.AVAILABLE,
      })),
    );
    const account = await addAccount(stores, { plan: "business" });
    return (await addKey(stores, account)).secret;
  }

  async function ask(
    server: ServerUnderTest,
    send: typeof sendHttp1,
    { headers, ...request }: Case,
  ): Promise<RawReply> {
    const authorization = `Bearer ${await keyOn(server)}`;
    return send(server.port, {
      method: "POST",
      ...request,
      headers: { ...headers, authorization, "x-request-id": "the-same" },
    });
  }

  const transports = [
    ["HTTP/1.1", sendHttp1],
    ["HTTP/2", sendHttp2],
  ] as const;

  describe.each(transports)("over %s", (transport, send) => {
    const entries = Object.entries(cases).filter(
      ([, { headers }]) =>
        // gRPC is a protocol of HTTP/2 alone.
        transport === "HTTP/2" || !/^application\/grpc(\+|$)/.test(`${headers?.["content-type"]}`),
    );

    it.each(entries)("answer the same: %s", async (_name, request) => {
      const ours = await ask(fast, send, request);
      const theirs = await ask(slow, send, request);
      expect(ours).toEqual(theirs);
      expect(ours.status).not.toBe(500);
      expect(fast.faults).toEqual([]);
      expect(slow.faults).toEqual([]);
    });
  });

  it("take a thousand resets in a second without a fault, and answer after it", async () => {
    const authorization = `Bearer ${await keyOn(fast)}`;
    for (let round = 0; round < 4; round++) {
      const session = connect(fast.url);
      const closed = new Promise((resolve) => session.once("close", resolve));
      session.on("error", () => undefined);
      for (let count = 0; count < 250; count++) {
        const stream = session.request({
          ":method": "POST",
          ":path": update,
          "content-type": "application/grpc",
          authorization,
        });
        stream.on("error", () => undefined);
        stream.write(framed(change(1n, 5)));
        stream.close(8);
      }
      session.close();
      await closed;
    }
    expect(
      (await ask(fast, sendHttp2, post(update, "application/grpc", framed(change(1n, 6))))).body,
    ).not.toBe("");
    expect(fast.faults).toEqual([]);
  });
});
