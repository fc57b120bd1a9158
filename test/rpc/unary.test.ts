import { gzipSync } from "node:zlib";
import { create, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { trailerFlag, trailerParse } from "@connectrpc/connect/protocol-grpc-web";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  InventoryService,
  ListInventoryRequestSchema,
  PetStatus,
  UpdateInventoryRequestSchema,
} from "../../gen/inventory/v1/inventory_pb.ts";
import { fromBase64 } from "../../packages/connect-gateway/src/rpc/grpc-web/text.ts";
import { createListener } from "../../packages/connect-gateway/src/server/connections/listener.ts";
import { unary } from "../../packages/connect-gateway/test/rest/support/methods.ts";
import {
  type Oracle,
  serveByConnect,
} from "../../packages/connect-gateway/test/rpc/connect-oracle.ts";
import {
  type RawReply,
  type RawRequest,
  sendHttp1,
  sendHttp2,
} from "../../packages/connect-gateway/test/rpc/raw-clients.ts";
import { rpcOf } from "../../packages/connect-gateway/test/rpc/support.ts";
import { listenerOptions } from "../../packages/connect-gateway/test/server/support/listener.ts";
import { rpcJson } from "../../src/contract/json.ts";
import { codeWord } from "../contract/unary-protocols.ts";
import { handleFor } from "../support/endpoint.ts";
import { itemsFrom } from "../support/stock.ts";

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

/** A request; its method is POST by default. */
type Case = Omit<RawRequest, "method"> & { readonly method?: string };

const post = (path: string, type: string, body: Uint8Array, headers = {}): Case => ({
  path,
  headers: { "content-type": type, ...headers },
  body,
});

const get = (path: string, query: string, headers = {}): Case => ({
  path: `${path}?${query}`,
  method: "GET",
  headers,
});

const unaryTypes = ["application/json", "application/proto"] as const;
const framedTypes = [
  "application/grpc",
  "application/grpc+proto",
  "application/grpc-web+proto",
] as const;
const framedJsonTypes = ["application/grpc+json", "application/grpc-web+json"] as const;

/** Calls that succeed, and calls with every kind of error that a protocol defines. */
const cases: Readonly<Record<string, Case>> = {
  ...forEach(unaryTypes, "an update in", (type) =>
    post(update, type, type === "application/proto" ? change(1n, 5) : changeJson),
  ),
  ...forEach(unaryTypes, "a compressed list in", (type) =>
    post(list, type, type === "application/proto" ? nothing : Buffer.from("{}"), {
      "accept-encoding": "br, gzip",
    }),
  ),
  ...forEach(
    ["gzip", "br", "zstd", "identity", "snappy"],
    "a list with the accepted coding",
    (coding) => post(list, "application/proto", nothing, { "accept-encoding": coding }),
  ),
  ...forEach(unaryTypes, "a compressed update in", (type) =>
    post(update, type, gzipSync(type === "application/proto" ? change(1n, 5) : changeJson), {
      "content-encoding": "gzip",
    }),
  ),
  ...forEach(unaryTypes, "an unknown content coding in", (type) =>
    post(update, type, changeJson, { "content-encoding": "snappy" }),
  ),
  ...forEach(unaryTypes, "a body that is not in its content coding, in", (type) =>
    post(update, type, changeJson, { "content-encoding": "gzip" }),
  ),
  ...forEach(unaryTypes, "a decompression bomb in", (type) =>
    post(update, type, gzipSync(Buffer.alloc(1_000_000)), { "content-encoding": "gzip" }),
  ),
  ...forEach(unaryTypes, "a message that is too large in", (type) =>
    post(update, type, Buffer.alloc(70_000, 32)),
  ),
  ...forEach(unaryTypes, "an unknown pet in", (type) =>
    post(
      update,
      type,
      type === "application/proto"
        ? change(404n, 5)
        : Buffer.from('{"petId":"404","update":{"quantity":5}}'),
    ),
  ),
  ...forEach(["abc", "-1", "99999999999"], "a malformed timeout:", (timeout) =>
    post(update, "application/json", changeJson, { "connect-timeout-ms": timeout }),
  ),
  "an unknown JSON field": post(update, "application/json", Buffer.from('{"colour":"red"}')),
  ...forEach(
    [
      "text/plain",
      "application/json; charset=utf-8",
      "application/json;charset=latin1",
      "APPLICATION/JSON",
      "application/json, application/json",
      "application/xml",
      "application/connect+json",
      "application/connect+proto",
      "application/grpc+cbor",
      "application/grpcproto",
      "application/grpc-web+thrift",
    ],
    "the media type",
    (type) => post(update, type, changeJson),
  ),
  "no media type": { path: update, headers: {}, body: changeJson },
  ...forEach(
    ["PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "QUERY"],
    "the HTTP method",
    (method) => ({ path: list, method, headers: { "content-type": "application/json" } }),
  ),
  "a GET of an update": get(update, "encoding=json&message=%7B%7D"),
  "a GET of the list": get(list, "encoding=json&message=%7B%7D&connect=v1"),
  "a GET in binary": get(list, "encoding=proto&base64=1&message="),
  "a compressed GET": get(
    list,
    `encoding=json&base64=1&compression=gzip&message=${encodeURIComponent(gzipSync("{}").toString("base64"))}`,
  ),
  "a GET without encoding": get(list, "message=%7B%7D"),
  "a GET without a query": { path: list, method: "GET" },
  "a GET in an unknown encoding": get(list, "encoding=xml&message=%7B%7D"),
  "a GET in an unknown content coding": get(
    list,
    "encoding=json&compression=snappy&message=%7B%7D",
  ),
  "a GET of another protocol version": get(list, "encoding=json&connect=v2&message=%7B%7D"),
  "a GET with the media type of its encoding": get(list, "encoding=json&message=%7B%7D", {
    "content-type": "application/json",
  }),
  ...forEach(framedTypes, "an update in", (type) => post(update, type, framed(change(1n, 5)))),
  ...forEach(framedJsonTypes, "an update in", (type) => post(update, type, framed(changeJson))),
  ...forEach(framedTypes, "a compressed list in", (type) =>
    post(list, type, framed(nothing), { "grpc-accept-encoding": "gzip" }),
  ),
  ...forEach(framedTypes, "a compressed update in", (type) =>
    post(update, type, framed(gzipSync(change(1n, 5)), 1), { "grpc-encoding": "gzip" }),
  ),
  ...forEach(framedTypes, "an unknown content coding in", (type) =>
    post(update, type, framed(change(1n, 5), 1), { "grpc-encoding": "snappy" }),
  ),
  ...forEach(framedTypes, "a decompression bomb in", (type) =>
    post(update, type, framed(gzipSync(Buffer.alloc(1_000_000)), 1), { "grpc-encoding": "gzip" }),
  ),
  ...forEach(framedTypes, "no message in", (type) => post(update, type, Buffer.alloc(0))),
  ...forEach(framedTypes, "two messages in", (type) =>
    post(update, type, Buffer.concat([framed(change(1n, 5)), framed(change(1n, 6))])),
  ),
  ...forEach(framedTypes, "a truncated prefix in", (type) =>
    post(update, type, Buffer.from([0, 0])),
  ),
  ...forEach(framedTypes, "a truncated message in", (type) =>
    post(update, type, framed(change(1n, 5)).subarray(0, 7)),
  ),
  ...forEach(framedTypes, "a length far beyond the body in", (type) =>
    post(update, type, Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 1, 2])),
  ),
  ...forEach(framedTypes, "a message that is too large in", (type) =>
    post(update, type, framed(Buffer.alloc(70_000))),
  ),
  ...forEach(framedTypes, "an unknown pet in", (type) =>
    post(update, type, framed(change(404n, 5))),
  ),
  ...forEach(framedTypes, "a malformed timeout in", (type) =>
    post(update, type, framed(change(1n, 5)), { "grpc-timeout": "soon" }),
  ),
};

/** Requests that get invalid_argument with a clearer message, where Connect's handlers send other errors. */
const clientErrors: Readonly<Record<string, readonly [made: Case, message: RegExp]>> = {
  "a malformed message in application/proto": [
    post(update, "application/proto", Buffer.from([0xff, 0xff])),
    /^The message is malformed: /,
  ],
  ...Object.fromEntries(
    framedTypes.map((type) => [
      `a malformed message in ${type}`,
      [
        post(update, type, framed(Buffer.from([0xff, 0xff]))),
        /^The message is malformed: /,
      ] as const,
    ]),
  ),
  "no body": [post(update, "application/json", Buffer.alloc(0)), /^The message is empty/],
  "an integer of the wrong JSON type": [
    post(update, "application/json", Buffer.from('{"petId":"1","update":{"quantity":"five"}}')),
    /must be an integer between 0 and 2147483647$/,
  ],
  "a message that is not JSON": [
    post(update, "application/json", Buffer.from("{]")),
    /^The message is not valid JSON: expected a member name in quotes, found "]" at line 1, column 2\.$/,
  ],
  "a GET with a message that is not JSON": [
    get(list, "encoding=json&message=%7B"),
    /^The message is not valid JSON: .*, found the end at line 1, column 2\.$/,
  ],
  "a GET whose message is not base64": [
    get(list, "encoding=proto&base64=1&message=%25%25"),
    /base64/,
  ],
  "gRPC-Web text that is not base64": [
    post(update, "application/grpc-web-text", Buffer.from("****")),
    /base64/,
  ],
  "gRPC-Web text that is truncated": [
    post(update, "application/grpc-web-text", Buffer.from("AAA")),
    /base64/,
  ],
};

/** Requests whose headers Connect's handlers refuse, although they mean the same as others (RFC 9110, sections 5.6.6 and 8). */
const otherForms: readonly (readonly [name: string, given: Case, same: Case])[] = [
  ...["; x=1", ";", " ; charset=utf-8", '; charset="UTF-8"'].flatMap((end) =>
    [...unaryTypes, ...framedTypes, ...framedJsonTypes].map((type) => {
      const data = type.endsWith("json") ? changeJson : change(1n, 5);
      const body = type.includes("grpc") ? framed(data) : data;
      return [`${type}${end}`, post(update, type + end, body), post(update, type, body)] as const;
    }),
  ),
  ...["GZIP", "x-gzip", "identity, gzip", ", gzip ,"].map((coding) => {
    const type = "application/json";
    const body = gzipSync(changeJson);
    return [
      `the content coding ${coding}`,
      post(update, type, body, { "content-encoding": coding }),
      post(update, type, body, { "content-encoding": "gzip" }),
    ] as const;
  }),
  ...framedTypes.map((type) => {
    const body = framed(gzipSync(change(1n, 5)), 1);
    return [
      `the encoding GZIP in ${type}`,
      post(update, type, body, { "grpc-encoding": "GZIP" }),
      post(update, type, body, { "grpc-encoding": "gzip" }),
    ] as const;
  }),
  ...["GZIP", "deflate, gzip;q=0.5", "GZip;Q=1"].map(
    (accepted) =>
      [
        `the accepted codings ${accepted}`,
        post(list, "application/json", Buffer.from("{}"), { "accept-encoding": accepted }),
        post(list, "application/json", Buffer.from("{}"), { "accept-encoding": "gzip" }),
      ] as const,
  ),
];

/** Bodies of gRPC-Web, in binary and in base64. Connect's handlers do not support base64. */
const texts: readonly (readonly [name: string, binary: Uint8Array, text: Uint8Array])[] = [
  ["an update", framed(change(1n, 5)), base64(framed(change(1n, 5)))],
  [
    "an update encoded in two pieces",
    framed(change(1n, 5)),
    Buffer.concat([
      base64(framed(change(1n, 5)).subarray(0, 4)),
      base64(framed(change(1n, 5)).subarray(4)),
    ]),
  ],
  ["an unknown pet", framed(change(404n, 5)), base64(framed(change(404n, 5)))],
];

function forEach(
  types: readonly string[],
  name: string,
  make: (type: string) => Case,
): Record<string, Case> {
  return Object.fromEntries(types.map((type) => [`${name} ${type}`, make(type)]));
}

const items = itemsFrom(1n, 100, (at) => at);

const methods = [
  unary(InventoryService.method.listInventory, () => ({ items })),
  unary(InventoryService.method.updateInventory, ({ petId, update }, call) => {
    call.responseHeader.set("x-note", "a");
    call.responseTrailer.set("x-end", "b");
    if (petId === 404n) throw new ConnectError("there is no pet 404", Code.NotFound);
    return { item: { petId, quantity: update?.quantity ?? 0, status: PetStatus.SOLD } };
  }),
];

const options = { maxMessageBytes: 60_000 };

/** Serves the methods by the code under test. */
async function serve(faults: unknown[]) {
  const onFault = (fault: unknown) => void faults.push(fault);
  const rpc = rpcOf(methods, {
    json: rpcJson,
    readMaxBytes: () => options.maxMessageBytes,
    onFault,
  });
  const listener = createListener({
    onThrow: (_, error) => onFault(error),
    handle: (exchange) => void handleFor("me", rpc, exchange),
    ...listenerOptions,
    onFault,
  });
  const { port } = await listener.listen(0, "127.0.0.1");
  return { port, close: () => listener.drain(0) };
}

describe("a unary call", () => {
  const faults: unknown[] = [];
  const own: { port: number; oracle?: Oracle; close?: () => unknown } = { port: 0 };
  beforeAll(async () => {
    own.oracle = await serveByConnect(methods, options);
    const { port, close } = await serve(faults);
    Object.assign(own, { port, close });
  });
  afterAll(async () => {
    own.oracle?.close();
    await own.close?.();
  });

  describe.each([
    ["HTTP/1.1", sendHttp1, () => own.oracle?.portHttp1],
    ["HTTP/2", sendHttp2, () => own.oracle?.portHttp2],
  ] as const)("over %s", (_, send, oraclePort) => {
    test.each(Object.entries(cases))(
      "gets the same response as from Connect's own handler: %s",
      async (_name, made) => {
        const request = { method: "POST", ...made };
        const ours = await send(own.port, request);
        const theirs = await send(oraclePort() ?? 0, request);
        expect(comparable(ours)).toEqual(comparable(theirs));
        expect(faults).toEqual([]);
      },
    );

    test.each(texts)(
      "gets the same response in base64 as in binary gRPC-Web: %s",
      async (_name, binary, text) => {
        const request = { method: "POST", path: update };
        const textType = { "content-type": "application/grpc-web-text+proto" };
        const binaryType = { "content-type": "application/grpc-web+proto" };
        const ours = await send(own.port, { ...request, headers: textType, body: text });
        const theirs = await send(oraclePort() ?? 0, {
          ...request,
          headers: binaryType,
          body: binary,
        });
        expect(ours.headers).toMatchObject(textType);
        const body = fromBase64(Buffer.from(ours.body, "hex")).toString("hex");
        expect(comparable({ ...ours, body, headers: { ...ours.headers, ...binaryType } })).toEqual(
          comparable(theirs),
        );
      },
    );

    test.each(otherForms)(
      "gets the same response in another form: %s",
      async (_name, given, same) => {
        const ours = await send(own.port, { method: "POST", ...given });
        const theirs = await send(oraclePort() ?? 0, { method: "POST", ...same });
        expect(theirs.status).toBe(200);
        expect(comparable(ours)).toEqual(comparable(theirs));
        expect(faults).toEqual([]);
      },
    );

    test.each(["application/json", "application/grpc+json", "application/grpc-web+json"])(
      "gets 415 in %s with another charset than UTF-8",
      async (type) => {
        for (const charset of ["latin1", '"utf-16"', "utf-8; charset=latin1", ""]) {
          const made = post(update, `${type}; charset=${charset}`, changeJson);
          expect((await send(own.port, { method: "POST", ...made })).status).toBe(415);
        }
      },
    );

    test.each(Object.entries(clientErrors))(
      "gets invalid_argument: %s",
      async (_name, [made, message]) => {
        const reply = await send(own.port, { method: "POST", ...made });
        expect(errorOf(reply)).toEqual(["invalid_argument", expect.stringMatching(message)]);
        expect(faults).toEqual([]);
      },
    );

    test.each([
      ["a media type of no protocol", "POST", update, "text/plain", undefined],
      ["no query of a GET", "GET", list, "application/json", undefined],
      ["PUT", "PUT", list, "application/json", "GET, POST"],
      ["a GET of an update", "GET", update, "application/json", "POST"],
    ])("gets an error that says why: %s", async (_name, method, path, type, allow) => {
      const reply = await send(own.port, { method, path, headers: { "content-type": type } });
      const { code, message } = JSON.parse(Buffer.from(reply.body, "hex").toString());
      const reason = reply.headers["x-error-reason"];
      if (allow === undefined) {
        expect([reply.status, reason]).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"]);
        expect([code, message]).toEqual([
          "unsupported_media_type",
          expect.stringContaining("application/json"),
        ]);
      } else {
        expect([reply.status, reason]).toEqual([405, "METHOD_NOT_ALLOWED"]);
        expect(code).toBe("method_not_allowed");
      }
      expect(reply.headers.allow).toBe(allow);
      // Connect's clients do not take it for an error of Connect.
      expect(reply.headers["content-type"]).toBe("application/json; charset=utf-8");
      expect(faults).toEqual([]);
    });

    test("by GET is read from its query, whatever its media type", async () => {
      const reply = await send(own.port, {
        path: `${list}?encoding=json&message=%7B%7D`,
        method: "GET",
        headers: { "content-type": "text/plain" },
      });
      expect(reply.status).toBe(200);
    });
  });
});

/** Headers that only the service sends, not Connect's handlers. */
const ownHeaders =
  /^(?:x-request-id|cache-control|vary|grpc-accept-encoding|grpc-retry-pushback-ms)$/;

/**
 * Returns a reply without the service's own headers, with gRPC messages decoded and the trailers of gRPC-Web parsed. Of
 * 405 and 415, it returns only the status: Connect's handlers send nothing else.
 */
function comparable({ status, headers, body, trailers }: RawReply): unknown {
  if (status === 405 || status === 415) return { status };
  const bytes = Buffer.from(body, "hex");
  const isWeb = `${headers["content-type"]}`.startsWith("application/grpc-web");
  const { messages, inBody } = isWeb ? splitEnvelopes(bytes) : { messages: body, inBody: {} };
  return {
    status,
    headers: decoded(headers),
    messages,
    trailers: decoded({ ...trailers, ...inBody }),
  };
}

/** Returns the code and the message of the error in a reply of any protocol. */
function errorOf(reply: RawReply): [code: unknown, message: unknown] {
  const type = `${reply.headers["content-type"]}`;
  if (type === "application/json") {
    const { code, message } = JSON.parse(Buffer.from(reply.body, "hex").toString());
    return [code, message];
  }
  const bytes = Buffer.from(reply.body, "hex");
  const body = type.includes("-text") ? fromBase64(bytes) : bytes;
  const fields = { ...reply.headers, ...reply.trailers, ...splitEnvelopes(body).inBody };
  return [codeWord(Number(fields["grpc-status"])), decodeURIComponent(`${fields["grpc-message"]}`)];
}

function decoded(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(fields).filter(([name]) => !ownHeaders.test(name));
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      name === "grpc-message" ? decodeURIComponent(`${value}`) : value,
    ]),
  );
}

/** Separates the messages of a gRPC-Web body from its trailers. */
function splitEnvelopes(body: Buffer) {
  const messages: string[] = [];
  let inBody: Record<string, string> = {};
  for (let at = 0; at < body.length; ) {
    const end = at + 5 + body.readUInt32BE(at + 1);
    const data = body.subarray(at + 5, end);
    if (body[at] === trailerFlag) inBody = Object.fromEntries(trailerParse(data));
    else messages.push(data.toString("hex"));
    at = end;
  }
  return { messages, inBody };
}
