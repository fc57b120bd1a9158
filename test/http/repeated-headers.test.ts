import { gzipSync } from "node:zlib";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { beforeEach, describe, expect, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { connectHttp1 } from "../../packages/connect-gateway/test/server/support/http1-client.ts";
import { connectHttp2 } from "../../packages/connect-gateway/test/server/support/http2-client.ts";
import { newAuthorization } from "../support/accounts.ts";
import { useServer } from "../support/server.ts";
import { memoryKind } from "../support/stores.ts";

type Fields = readonly (readonly [name: string, value: string])[];

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly fields: Fields;
  readonly body?: Uint8Array;
}

interface Got {
  readonly status: number;
  readonly text: string;
}

async function sendHttp1(port: number, { method, path, fields, body }: Sent): Promise<Got> {
  const all: Fields = [["Host", "test"], ["Connection", "close"], ...fields];
  const length = body ? `Content-Length: ${body.length}\r\n` : "";
  const head = all.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const text = Buffer.from(body ?? []).toString("latin1");
  const client = await connectHttp1(
    port,
    Buffer.from(`${method} ${path} HTTP/1.1\r\n${head}${length}\r\n${text}`, "latin1") as never,
  );
  const received = await client.closed();
  return { status: Number(received.slice(9, 12)), text: received };
}

function sendHttp2(port: number, { method, path, fields, body }: Sent): Promise<Got> {
  const line: Fields = [
    [":method", method],
    [":path", path],
    [":scheme", "http"],
    [":authority", "test"],
  ];
  const session = connectHttp2(`http://127.0.0.1:${port}`, {
    strictSingleValueFields: false,
  } as never);
  const raw = [...line, ...fields].flatMap(([name, value]) => [name.toLowerCase(), value]);
  const stream = session.request(raw as never, { endStream: body === undefined });
  return new Promise((resolve, reject) => {
    let status = 0;
    let text = "";
    stream.on("response", (headers) => {
      status = Number(headers[":status"]);
      text += JSON.stringify(headers);
    });
    stream.on("trailers", (headers) => (text += JSON.stringify(headers)));
    stream.on("data", (chunk) => (text += Buffer.from(chunk).toString("latin1")));
    stream.on("error", reject);
    stream.on("close", () => resolve({ status, text }));
    if (body) stream.end(body);
  });
}

describe("repeated headers", () => {
  const server = useServer(memoryKind);
  let authorization = "";
  beforeEach(async () => {
    authorization = await newAuthorization(server.stores);
    await server.stores.catalog.put([{ petId: 1n, quantity: 2, status: PetStatus.AVAILABLE }]);
  });

  describe.each([
    ["HTTP/1.1", sendHttp1],
    ["HTTP/2", sendHttp2],
  ] as const)("over %s", (_, send) => {
    const json: Fields = [["Content-Type", "application/json"]];
    const patch = (fields: Fields, body: Uint8Array = Buffer.from('{"quantity":3}')) =>
      send(server.port, {
        method: "PATCH",
        path: "/v1/inventory/1",
        fields: [["Authorization", authorization], ...fields],
        body,
      });

    test.each([
      ["authorization", [["authorization", "Bearer x"]]],
      ["content-type", [["CONTENT-TYPE", "application/json"]]],
      [
        "idempotency-key",
        [
          ["Idempotency-Key", "a"],
          ["idempotency-key", "a"],
        ],
      ],
    ] as const)("400 for more than one %s", async (name, more) => {
      const { status, text } = await patch([...json, ...more]);
      expect(status).toBe(400);
      expect(text).toContain(`more than one ${name} header`);
      expect(text).toContain("invalid_argument");
    });

    test.each([
      ["application/grpc", /grpc-status"?: ?"?3/],
      ["application/grpc-web", /grpc-status"?: ?"?3/],
      ["application/connect+json", /"code":"invalid_argument"/],
      ["application/proto", /"code":"invalid_argument"/],
    ])("an error in the client's protocol: %s", async (type, error) => {
      const method = type.includes("connect") ? "WatchInventory" : "ListInventory";
      for (const again of ["authorization", "content-type"] as const) {
        const fields: Fields = [
          ["authorization", authorization],
          ["content-type", type],
          [again, again === "authorization" ? authorization : type],
        ];
        const { text } = await send(server.port, {
          method: "POST",
          path: `/inventory.v1.InventoryService/${method}`,
          fields,
          body: encodeEnvelope(0, new Uint8Array()),
        });
        expect(text).toMatch(error);
      }
      expect(server.faults).toEqual([]);
    });

    test("400 on public paths", async () => {
      const fields: Fields = [
        ["authorization", "a"],
        ["authorization", "b"],
      ];
      for (const path of ["/livez", "/docs", "/v1/nothing"]) {
        expect((await send(server.port, { method: "GET", path, fields })).status).toBe(400);
      }
    });

    test("If-Match and If-None-Match are lists", async () => {
      const { text } = await send(server.port, {
        method: "GET",
        path: "/v1/inventory/1",
        fields: [["Authorization", authorization]],
      });
      const [, tag = ""] = /etag(?:": ?"|: )("[^"]+")/i.exec(text.replaceAll("\\", "")) ?? [];
      expect(tag).not.toBe("");
      const other = '"1"';
      const get = {
        method: "GET",
        path: "/v1/inventory/1",
        fields: [
          ["Authorization", authorization],
          ["If-None-Match", other],
          ["if-none-match", tag],
        ],
      } as const;
      expect((await send(server.port, get)).status).toBe(304);
      const conditions: Fields = [
        ["If-Match", other],
        ["if-match", tag],
      ];
      expect((await patch([...json, ...conditions])).status).toBe(200);
      // The tag has changed.
      expect((await patch([...json, ...conditions])).status).toBe(412);
    });

    test("Content-Encoding is a list", async () => {
      const body = gzipSync('{"quantity":4}');
      const coding = ["Content-Encoding", "gzip"] as const;
      expect((await patch([...json, coding, ["content-encoding", "identity"]], body)).status).toBe(
        200,
      );
      expect((await patch([...json, ["Content-Encoding", "identity"], coding], body)).status).toBe(
        200,
      );
      expect((await patch([...json, coding, ["content-encoding", "br"]], body)).status).toBe(415);
    });

    test("200 with others of the same length and first letter", async () => {
      const { status } = await patch([...json, ["Context-Type", "a"], ["attributesx13", "b"]]);
      expect(status).toBe(200);
    });
  });
});
