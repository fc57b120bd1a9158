import { gzipSync } from "node:zlib";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { beforeEach, describe, expect, test } from "vitest";
import { addAccount, addKey, type TestKey } from "../support/accounts.ts";
import { useServer } from "../support/server.ts";
import { storeKinds } from "../support/stores.ts";
import { type RawReply, sendHttp1, sendHttp2 } from "./raw-clients.ts";

const inventory = "/inventory.v1.InventoryService";
const importPath = "/admin.v1.AdminService/ImportInventory";
const check = "/grpc.health.v1.Health/Check";
const reflection = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

/** `count` varints in field 15, which no request has. */
const unknownFields = (count: number) =>
  Buffer.from(Array.from({ length: 2 * count }, (_, n) => (n % 2 === 0 ? 0x78 : 0)));

/** A text in field 1. */
const text = (length: number) =>
  Buffer.concat([
    Buffer.from([0x0a, (length & 0x7f) | 0x80, length >> 7]),
    Buffer.alloc(length, 0x61),
  ]);

const petId = Buffer.from([0x08, 1]);
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

interface Sender {
  readonly name: string;
  send(
    port: number,
    path: string,
    message: Buffer,
    headers: Record<string, string>,
  ): Promise<RawReply>;
}

const senders: readonly Sender[] = [
  {
    name: "Connect",
    send: (port, path, body, headers) =>
      sendHttp1(port, {
        method: "POST",
        path,
        body,
        headers: { ...headers, "content-type": "application/proto" },
      }),
  },
  {
    name: "Connect with gzip",
    send: (port, path, body, headers) =>
      sendHttp1(port, {
        method: "POST",
        path,
        body: gzipSync(body),
        headers: { ...headers, "content-type": "application/proto", "content-encoding": "gzip" },
      }),
  },
  {
    name: "gRPC",
    send: (port, path, message, headers) =>
      sendHttp2(port, {
        method: "POST",
        path,
        body: encodeEnvelope(0, message),
        headers: { ...headers, "content-type": "application/grpc" },
      }),
  },
  {
    name: "gRPC with gzip",
    send: (port, path, message, headers) =>
      sendHttp2(port, {
        method: "POST",
        path,
        body: encodeEnvelope(1, gzipSync(message)),
        headers: { ...headers, "content-type": "application/grpc", "grpc-encoding": "gzip" },
      }),
  },
  {
    name: "gRPC-Web in base64",
    send: (port, path, message, headers) =>
      sendHttp1(port, {
        method: "POST",
        path,
        body: Buffer.from(Buffer.from(encodeEnvelope(0, message)).toString("base64")),
        headers: { ...headers, "content-type": "application/grpc-web-text" },
      }),
  },
];
const streamSenders = senders.filter(({ name }) => name.startsWith("gRPC"));

const memory = storeKinds.filter(({ name }) => name === "memory");

describe.each(memory)("the limits of messages", (kind) => {
  const server = useServer(kind, { GRPC_REFLECTION: "on" });
  let auth: Record<string, string>;
  beforeEach(async () => {
    await addAccount(server.stores, { plan: "business" }, "aaaaaaaaaaaa");
    const key: TestKey = await addKey(server.stores, "aaaaaaaaaaaa", {
      scopes: ["admin", "inventory:read", "inventory:write"],
    });
    auth = { authorization: `Bearer ${key.secret}` };
  });

  describe.each(senders)("$name", ({ send }) => {
    test("a few unknown fields are ignored", async () => {
      const message = Buffer.concat([petId, unknownFields(50)]);
      const reply = await send(server.port, `${inventory}/GetInventoryItem`, message, auth);
      expect(textOf(reply)).not.toMatch(/unknown or given/);
    });

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
      const reply = await send(server.port, check, text(1_100), {});
      expect(textOf(reply)).toContain("larger than configured readMaxBytes 1024");
      expect(textOf(await send(server.port, check, Buffer.alloc(0), {}))).not.toContain("readMax");
    });
  });

  describe.each(streamSenders)("streams over $name", ({ send }) => {
    test("a message is checked before it is parsed", async () => {
      const reply = await send(server.port, importPath, emptyUpdates(30_000), auth);
      expect(textOf(reply)).toContain("items: must have at most 500 elements");
    });

    test("a field with the wire type of another type is refused by name", async () => {
      const reply = await send(server.port, importPath, Buffer.from("0a020a01", "hex"), auth);
      expect(textOf(reply)).toContain("items[0].pet_id: has the wire type LEN");
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

  test("a field mask in JSON is checked before it is parsed", async () => {
    const sendMask = async (mask: string) => {
      const reply = await sendHttp1(server.port, {
        method: "POST",
        path: `${inventory}/ListInventory`,
        body: gzipSync(JSON.stringify({ pageSize: 1, readMask: mask })),
        headers: { ...auth, "content-type": "application/json", "content-encoding": "gzip" },
      });
      return textOf(reply);
    };
    const tooManyPaths = "read_mask: must have at most 1000 elements";
    expect(await sendMask("aB,".repeat(1_000))).toContain(tooManyPaths);
    expect(await sendMask("A".repeat(60_000))).toContain("at most 8192 characters");
    expect(await sendMask("quantity,status")).toBe("  {}");
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

  test("reflection takes short messages only", async () => {
    const [grpc] = streamSenders;
    const reply = await grpc?.send(server.port, reflection, text(1_100), {});
    expect(reply && textOf(reply)).toContain("1024");
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
