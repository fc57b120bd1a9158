import { gzipSync } from "node:zlib";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { beforeEach, describe, expect, test } from "vitest";
import {
  type RawReply,
  sendHttp1,
  sendHttp2,
} from "../../packages/connect-gateway/test/rpc/raw-clients.ts";
import { newAuthorization } from "../support/accounts.ts";
import { useServer } from "../support/server.ts";
import { memoryKind } from "../support/stores.ts";

const inventory = "/inventory.v1.InventoryService";
const importPath = "/catalog.v1.CatalogService/ImportPets";
const check = "/grpc.health.v1.Health/Check";
/** `count` varints in field 15, which no request has. */
const unknownFields = (count: number) =>
  Buffer.from(Array.from({ length: 2 * count }, (_, n) => (n % 2 === 0 ? 0x78 : 0)));

/** A text in field 1. */
const text = (length: number) =>
  Buffer.concat([
    Buffer.from([0x0a, (length & 0x7f) | 0x80, length >> 7]),
    Buffer.alloc(length, 0x61),
  ]);
const emptyUpdates = (count: number) => Buffer.alloc(2 * count, Buffer.from([0x0a, 0]));

/** Errors as text, whatever the protocol: message or status of gRPC, or JSON. */
function textOf({ headers, body, trailers }: RawReply): string {
  const content = Buffer.from(body, "hex").toString("latin1");
  const decoded = /text/.test(String(headers["content-type"]))
    ? Buffer.from(content, "base64").toString("latin1")
    : content;
  const fields = { ...headers, ...trailers } as Record<string, string>;
  return (
    decodeURIComponent(`${fields["grpc-message"] ?? ""} ${fields["grpc-status"] ?? ""} `) + decoded
  );
}

/** Makes a way to send a message. @param own the headers of its protocol */
function sender(
  name: string,
  send: typeof sendHttp1,
  own: Record<string, string>,
  encode: (message: Buffer) => Uint8Array,
) {
  return {
    name,
    send: (port: number, path: string, message: Buffer, headers: Record<string, string>) =>
      send(port, { method: "POST", path, body: encode(message), headers: { ...headers, ...own } }),
  };
}

const proto = { "content-type": "application/proto" };
const grpc = { "content-type": "application/grpc" };
const text64 = { "content-type": "application/grpc-web-text" };
const framed = (message: Buffer) => encodeEnvelope(0, message);

const senders = [
  sender("Connect", sendHttp1, proto, (message) => message),
  sender("Connect with gzip", sendHttp1, { ...proto, "content-encoding": "gzip" }, gzipSync),
  sender("gRPC", sendHttp2, grpc, framed),
  sender("gRPC with gzip", sendHttp2, { ...grpc, "grpc-encoding": "gzip" }, (message) =>
    encodeEnvelope(1, gzipSync(message)),
  ),
  sender("gRPC-Web in base64", sendHttp1, text64, (message) =>
    Buffer.from(Buffer.from(framed(message)).toString("base64")),
  ),
];
const streamSenders = senders.filter(({ name }) => name.startsWith("gRPC"));

describe("the limits of messages", () => {
  const server = useServer(memoryKind, { GRPC_REFLECTION: "on" });
  let auth: Record<string, string>;
  beforeEach(async () => {
    const scopes = ["admin", "inventory:read", "inventory:write"] as const;
    auth = { authorization: await newAuthorization(server.stores, { scopes }) };
  });

  describe.each(senders)("$name", ({ send }) => {
    test("thousands of unknown fields are refused", async () => {
      const message = unknownFields(32_000);
      const reply = await send(server.port, `${inventory}/GetInventoryItem`, message, auth);
      expect(textOf(reply)).toMatch(/too many fields that are unknown or given more than once/);
      expect(textOf(reply)).toMatch(/invalid_argument| 3 |grpc-status: 3/);
    });

    test("a list that is too long is refused by name", async () => {
      const path = `${inventory}/BatchUpdateInventory`;
      const reply = await send(server.port, path, emptyUpdates(87_000), auth);
      expect(textOf(reply)).toContain("updates: must have at most 1000 elements");
    });

    test("a field with the wire type of another type is refused by name", async () => {
      const message = Buffer.from("081712020a03", "hex");
      const reply = await send(server.port, `${inventory}/UpdateInventory`, message, auth);
      expect(textOf(reply)).toContain("update.quantity: has the wire type LEN");
      expect(textOf(reply)).toMatch(/invalid_argument| 3 |grpc-status: 3/);
    });

    test("a public method takes short messages only", async () => {
      const reply = await send(server.port, check, text(1_022), {});
      expect(textOf(reply)).toContain("larger than configured readMaxBytes 1024");
      expect(textOf(await send(server.port, check, text(1_021), {}))).not.toContain("readMax");
    });
  });

  describe.each(streamSenders)("streams over $name", ({ send }) => {
    test("a field with the wire type of another type is refused by name", async () => {
      const reply = await send(server.port, importPath, Buffer.from("0a020a01", "hex"), auth);
      expect(textOf(reply)).toContain("pets[0].pet_id: has the wire type LEN");
    });
  });

  test("a header of another protocol does not hide a compressed message from the check", async () => {
    const reply = await sendHttp1(server.port, {
      method: "POST",
      path: importPath,
      body: Buffer.from(encodeEnvelope(1, gzipSync(unknownFields(32_000)))),
      headers: {
        ...auth,
        "content-type": "application/connect+proto",
        "connect-content-encoding": "gzip",
        "grpc-encoding": "identity",
      },
    });
    expect(textOf(reply)).toContain("too many fields that are unknown");
  });

  test("an error quotes only the beginning of a long path of a mask", async () => {
    const reply = await sendHttp1(server.port, {
      method: "POST",
      path: `${inventory}/ListInventory`,
      body: Buffer.from(JSON.stringify({ pageSize: 1, readMask: "a".repeat(8_000) })),
      headers: { ...auth, "content-type": "application/json" },
    });
    expect(textOf(reply)).toContain("a".repeat(80));
    expect(textOf(reply)).not.toContain("a".repeat(81));
  });

  test("a list in JSON over HTTP is refused while it is read", async () => {
    const updates = Array(1_001).fill('{"petId":1,"quantity":1}');
    const send = (list: readonly string[]) =>
      sendHttp1(server.port, {
        method: "POST",
        path: "/v1/inventory:batchUpdate",
        headers: { ...auth, "content-type": "application/json" },
        body: Buffer.from(`{"updates":[${list}`),
      });
    const reply = await send(updates);
    expect(reply.headers["x-error-reason"]).toBe("FIELD_INVALID");
    expect(textOf(reply)).toContain("updates: must have at most 1000 elements");
    // The end of the text is missing, which the reader notices only if it gets there.
    expect(textOf(await send(updates.slice(1)))).toContain("not valid JSON");
  });
});
