import { create, toBinary } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ImportInventoryRequestSchema } from "../../gen/admin/v1/admin_pb.ts";
import {
  GetInventoryItemRequestSchema,
  WatchInventoryRequestSchema,
} from "../../gen/inventory/v1/inventory_pb.ts";
import { codings } from "../../packages/connect-gateway/src/http/content/coding.ts";
import {
  type RawRequest,
  sendHttp1,
  sendHttp2,
} from "../../packages/connect-gateway/test/rpc/raw-clients.ts";
import { newAuthorization } from "../support/accounts.ts";
import { useServer } from "../support/server.ts";
import { memoryKind } from "../support/stores.ts";

/** Valid messages by path. */
const messages = {
  "/inventory.v1.InventoryService/GetInventoryItem": toBinary(
    GetInventoryItemRequestSchema,
    create(GetInventoryItemRequestSchema, { petId: 1n }),
  ),
  "/inventory.v1.InventoryService/WatchInventory": toBinary(
    WatchInventoryRequestSchema,
    create(WatchInventoryRequestSchema, { resumeToken: "not a token" }),
  ),
  "/admin.v1.AdminService/ImportInventory": toBinary(
    ImportInventoryRequestSchema,
    create(ImportInventoryRequestSchema),
  ),
};

const types = [
  "application/grpc",
  "application/grpc+json",
  "application/grpc-web",
  "application/grpc-web-text",
  "application/grpc-web+json",
  "application/connect+proto",
  "application/connect+json",
  "application/proto",
  "application/json",
];

/** Headers that end a stream: an empty message or `{}` begins a watch. */
const timeouts = { "grpc-timeout": "100m", "connect-timeout-ms": "100" };

/** The headers that name the encoding of messages, or of a whole body. */
const encodingHeaders = ["grpc-encoding", "connect-content-encoding", "content-encoding"];

const flags = fc.oneof(fc.constantFrom(0, 1, 2, 3, 0x80, 0x81), fc.nat(255));

function envelopes(path: keyof typeof messages) {
  const data = fc.oneof(
    fc.constant(messages[path]),
    fc.constant(new TextEncoder().encode("{}")),
    fc.uint8Array({ maxLength: 40 }),
  );
  const coded = fc.tuple(data, fc.constantFrom(undefined, ...codings));
  const whole = fc.tuple(flags, coded).map(([flag, [bytes, coding]]) => ({ flag, bytes, coding }));
  return fc.record({
    parts: fc.array(whole, { maxLength: 3 }),
    /** Bytes to remove from the end. */
    cut: fc.oneof(fc.constant(0), fc.nat(10)),
    rest: fc.oneof(fc.constant(new Uint8Array()), fc.uint8Array({ maxLength: 10 })),
  });
}

const requests = fc
  .constantFrom(...(Object.keys(messages) as (keyof typeof messages)[]))
  .chain((path) =>
    fc.record({
      path: fc.constant(path),
      type: fc.constantFrom(...types),
      encoding: fc.constantFrom(
        undefined,
        "",
        "identity",
        "gzip",
        "br",
        "zstd",
        "unknown",
        "gzip, gzip",
      ),
      send: fc.constantFrom(sendHttp1, sendHttp2),
      hasEnvelopes: fc.boolean(),
      body: envelopes(path),
    }),
  );

type Sample = typeof requests extends fc.Arbitrary<infer T> ? T : never;

async function bodyOf({ body, type, hasEnvelopes }: Sample): Promise<Buffer> {
  const parts = await Promise.all(
    body.parts.map(async ({ flag, bytes, coding }) => {
      const data = coding ? await coding.compress(bytes) : bytes;
      return hasEnvelopes ? encodeEnvelope(flag, data) : data;
    }),
  );
  const all = Buffer.concat([...parts, body.rest]);
  const cut = all.subarray(0, Math.max(0, all.length - body.cut));
  return type.includes("-text") ? Buffer.from(cut.toString("base64")) : cut;
}

describe("no request makes an error of the server", () => {
  const server = useServer(memoryKind);

  const authorization = () =>
    newAuthorization(server.stores, { scopes: ["admin", "inventory:read"] });

  it.each(types)(
    "a compressed envelope without an encoding is invalid_argument in %s",
    async (type) => {
      const headers = { authorization: await authorization(), "content-type": type };
      for (const [path, message] of Object.entries(messages)) {
        const isUnary = path.endsWith("Item");
        if (
          type.startsWith("application/connect") === isUnary ||
          /^application\/(proto|json)$/.test(type)
        )
          continue;
        const bytes = Buffer.from(encodeEnvelope(1, message));
        const body = type.includes("-text") ? Buffer.from(bytes.toString("base64")) : bytes;
        await sendHttp2(server.port, { method: "POST", path, headers, body });
        expect(server.records.at(-1)).toMatchObject({ code: Code.InvalidArgument });
      }
      expect(server.faults).toEqual([]);
    },
  );

  it("envelopes of any flags, lengths and encodings are at most the client's fault", async () => {
    const credentials = await authorization();
    await fc.assert(
      fc.asyncProperty(requests, async (sample) => {
        const { path, type, encoding, send } = sample;
        const encodings =
          encoding === undefined
            ? {}
            : Object.fromEntries(encodingHeaders.map((name) => [name, encoding]));
        const request: RawRequest = {
          method: "POST",
          path,
          headers: { authorization: credentials, "content-type": type, ...timeouts, ...encodings },
          body: await bodyOf(sample),
        };
        const before = server.records.length;
        await send(server.port, request);
        await expect.poll(() => server.records.length, { interval: 1 }).toBe(before + 1);
        const record = server.records.at(-1);
        expect([Code.Unknown, Code.Internal, Code.DataLoss]).not.toContain(record?.code);
        expect(record?.code).not.toBe(500);
        expect(server.faults).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
