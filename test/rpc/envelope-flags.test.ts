import { gzipSync } from "node:zlib";
import { create, toBinary } from "@bufbuild/protobuf";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { beforeEach, describe, expect, test } from "vitest";
import { ImportPetsRequestSchema } from "../../gen/catalog/v1/catalog_pb.ts";
import { ListInventoryRequestSchema, PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { type RawReply, rawSenders } from "../../packages/connect-gateway/test/rpc/raw-clients.ts";
import { newAuthorization } from "../support/accounts.ts";
import { useServer } from "../support/server.ts";
import { memoryKind } from "../support/stores.ts";

const list = "/inventory.v1.InventoryService/ListInventory";
/** A stream of the client, which ends. */
const stream = "/catalog.v1.CatalogService/ImportPets";
const pets = [{ petId: 1n, quantity: 2, status: PetStatus.AVAILABLE }];

const binary = {
  [list]: toBinary(ListInventoryRequestSchema, create(ListInventoryRequestSchema)),
  [stream]: toBinary(ImportPetsRequestSchema, create(ImportPetsRequestSchema, { pets })),
};

/** The calls whose messages are in envelopes, and the code of the status that a reply has. */
const calls = [
  [list, "application/grpc"],
  [list, "application/grpc-web+proto"],
  [stream, "application/grpc"],
  [stream, "application/grpc-web+proto"],
  [stream, "application/connect+proto"],
] as const;

/** Returns the code of a reply, wherever its protocol has it; `ok` for success. */
function codeOf({ headers, trailers, body }: RawReply): string {
  const text = Buffer.from(body, "hex").toString("latin1");
  const status = trailers["grpc-status"] ?? headers["grpc-status"];
  const [, inBody] = /grpc-status: (\d+)/.exec(text) ?? [];
  const [, ofConnect] = /"error":\{"code":"(\w+)"/.exec(text) ?? [];
  return String(status ?? inBody ?? ofConnect ?? "ok");
}

describe("an envelope", () => {
  const server = useServer(memoryKind);
  let authorization = "";
  beforeEach(async () => {
    authorization = await newAuthorization(server.stores, { scopes: ["inventory:read", "admin"] });
  });

  describe.each(rawSenders)("over %s", (_, send) => {
    describe.each(calls)("of %s in %s", (path, type) => {
      const call = (body: Uint8Array, headers: Record<string, string> = {}) =>
        send(server.port, {
          method: "POST",
          path,
          headers: { "content-type": type, authorization, ...headers },
          body,
        });
      const data = binary[path];
      const isConnect = type.includes("connect");
      const succeeded = isConnect ? "ok" : "0";
      const invalid = isConnect ? "invalid_argument" : "3";

      test("has the flags 1 when it is compressed, with the encoding in any case", async () => {
        const body = encodeEnvelope(1, gzipSync(data));
        const name = isConnect ? "connect-content-encoding" : "grpc-encoding";
        expect(codeOf(await call(body, { [name]: "GZIP" }))).toBe(succeeded);
      });

      test("is refused with flags that no request has", async () => {
        // Responses have 2 and 0x80, which end streams of Connect and gRPC-Web.
        for (const flags of [2, 3, 4, 8, 0x10, 0x40, 0x7f, 0x80, 0x81, 0xff]) {
          const before = path === stream ? [encodeEnvelope(0, data)] : [];
          const body = Buffer.concat([...before, encodeEnvelope(flags, data)]);
          expect(codeOf(await call(body))).toBe(invalid);
        }
        expect(server.faults).toEqual([]);
      });

      test("is refused when it is compressed and no encoding is named, which is no fault of the server", async () => {
        const reply = await call(encodeEnvelope(1, gzipSync(data)));
        // https://github.com/grpc/grpc/blob/master/doc/compression.md, and Connect's conformance suite for Connect.
        expect(codeOf(reply)).toBe(isConnect ? "internal" : "13");
        expect(Buffer.from(reply.body, "hex").toString("latin1") + JSON.stringify(reply)).toMatch(
          /no encoding|no%20encoding/,
        );
        await expect.poll(() => server.records.length).toBe(1);
        const [record] = server.records;
        // As it is logged, counted and traced.
        expect([record?.code, record?.reason]).toEqual([3, "MESSAGE_INVALID"]);
        expect(server.faults).toEqual([]);
      });

      test("is refused in a body with a content coding, and the message names the header for it", async () => {
        const body = gzipSync(encodeEnvelope(0, data));
        const reply = await call(body, { "content-encoding": "gzip" });
        expect(codeOf(reply)).toBe(isConnect ? "unimplemented" : "12");
        expect(Buffer.from(reply.body, "hex").toString("latin1") + JSON.stringify(reply)).toContain(
          "Grpc-Encoding",
        );
        expect(server.faults).toEqual([]);
      });

      test.each(["; charset=utf-8", ";", ' ; charset="utf-8"', "; x=1"])(
        "is accepted with the parameters %j",
        async (end) => {
          const headers = { "content-type": type + end, "content-encoding": "Identity" };
          expect(codeOf(await call(encodeEnvelope(0, data), headers))).toBe(succeeded);
        },
      );
    });
  });
});
