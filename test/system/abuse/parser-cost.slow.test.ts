import { BlockList } from "node:net";
import { create, createRegistry, fromBinary, toBinary } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { parseTimeout as connectTimeout } from "@connectrpc/connect/protocol-connect";
import { parseTimeout as grpcTimeout } from "@connectrpc/connect/protocol-grpc";
import { beforeAll, describe, expect, test } from "vitest";
import {
  BatchUpdateInventoryRequestSchema,
  InventoryService,
  UpdateInventoryRequestSchema,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import { NodeHeaders } from "../../../packages/connect-gateway/src/call/headers.ts";
import { RequestRecord } from "../../../packages/connect-gateway/src/call/request-record.ts";
import { bindRoutes } from "../../../packages/connect-gateway/src/call/routes.ts";
import { clientAddress } from "../../../packages/connect-gateway/src/http/client-address.ts";
import { matchesTag } from "../../../packages/connect-gateway/src/http/content/caching.ts";
import {
  requestCoding,
  responseCoding,
} from "../../../packages/connect-gateway/src/http/content/coding.ts";
import { parseMediaType } from "../../../packages/connect-gateway/src/http/content/media-type.ts";
import type { Exchange } from "../../../packages/connect-gateway/src/http/exchange/exchange.ts";
import {
  isAuthority,
  isHttp2Authority,
  normalizeTarget,
  splitTarget,
} from "../../../packages/connect-gateway/src/http/request-target.ts";
import { timeoutOf } from "../../../packages/connect-gateway/src/http/timeout-headers.ts";
import { bindRequest } from "../../../packages/connect-gateway/src/rest/binding/binding.ts";
import { createMessage } from "../../../packages/connect-gateway/src/rest/binding/message-field.ts";
import {
  queryFieldsOf,
  readQuery,
} from "../../../packages/connect-gateway/src/rest/binding/query.ts";
import { decodeBase64 } from "../../../packages/connect-gateway/src/rest/binding/scalar-text.ts";
import { createJsonCodec } from "../../../packages/connect-gateway/src/rest/json/codec.ts";
import {
  httpJsonStyle,
  protoJsonStyle,
  rpcJsonStyle,
} from "../../../packages/connect-gateway/src/rest/json/style.ts";
import {
  canonicalLiteral,
  percentDecode,
  percentDecodeKeepingSlashes,
} from "../../../packages/connect-gateway/src/rest/path/percent.ts";
import { createMatcher } from "../../../packages/connect-gateway/src/rest/path/router.ts";
import {
  findPaging,
  nextPageLink,
} from "../../../packages/connect-gateway/src/rest/response/next-page.ts";
import { chooseStreamFormat } from "../../../packages/connect-gateway/src/rest/response/stream-format.ts";
import { toErrorResponse } from "../../../packages/connect-gateway/src/rest/rest-context.ts";
import type { Transcoder } from "../../../packages/connect-gateway/src/rest/transcoder.ts";
import { binaryReader, jsonReader } from "../../../packages/connect-gateway/src/rpc/codec.ts";
import { negotiateCompression } from "../../../packages/connect-gateway/src/rpc/compression.ts";
import { parseGet } from "../../../packages/connect-gateway/src/rpc/connect/get.ts";
import {
  openEnvelope,
  wholeEnvelopes,
} from "../../../packages/connect-gateway/src/rpc/envelope.ts";
import { fromBase64 } from "../../../packages/connect-gateway/src/rpc/grpc-web/text.ts";
import { expectsRpc } from "../../../packages/connect-gateway/src/rpc/refusal.ts";
import {
  ListBooksRequestSchema,
  SampleSchema,
} from "../../../packages/connect-gateway/test/gen/shelf/v1/shelf_pb.ts";
import { shelfTranscoder } from "../../../packages/connect-gateway/test/rest/support/shelf.ts";
import { createAdmitter } from "../../../src/admission/admission.ts";
import { credentialsOf } from "../../../src/admission/credentials.ts";
import { csvRows, jsonRows } from "../../../src/cli/items/import/import-file.ts";
import { readLines } from "../../../src/cli/items/import/lines.ts";
import { fieldsInvalid } from "../../../src/contract/errors.ts";
import { httpJson } from "../../../src/contract/json.ts";
import { compileValidator } from "../../../src/contract/validator.ts";
import { parseTraceparent } from "../../../src/observability/traceparent.ts";
import { idempotencyOf } from "../../../src/services/inventory/idempotency.ts";
import { acceptedVersions } from "../../../src/services/inventory/if-match.ts";
import { startOfPage } from "../../../src/services/inventory/page-token.ts";
import { createMemoryStores } from "../../../src/stores/memory/stores.ts";
import { servicesOn } from "../../support/services.ts";
import { expectLinear, growthOf, type Shape, tolerant } from "./support/cost.ts";

/** The largest header section and body that the server takes by default. */
const headerBytes = 16 * 1024;
const bodyBytes = 64 * 1024;

/** Text that begins with `start`, repeats `unit` and ends with `end`. */
function repeated(start: string, unit: string, end = ""): Shape<string> {
  return (size) => {
    const count = Math.max(1, Math.floor((size - start.length - end.length) / unit.length));
    return start + unit.repeat(count) + end;
  };
}

/** Like `repeated`, but replaces each `#` with the number of the repetition, so that all are different. */
function numbered(start: string, unit: string, end = ""): Shape<string> {
  return (size) => {
    let text = start;
    for (let count = 1; text.length < size; count++) text += unit.replaceAll("#", `${count}`);
    return text + end;
  };
}

type Parse = (text: string) => unknown;
type Case = readonly [name: string, shape: Shape<string>];

const named = (cases: readonly (readonly [start: string, unit: string, end?: string])[]): Case[] =>
  cases.map(([start, unit, end]) => [`${start}${unit}…${end ?? ""}`, repeated(start, unit, end)]);

/** What hard texts begin with, repeat, and end with, each separated by spaces. A `#` is the number of the repetition. */
interface Parts {
  readonly starts?: string;
  readonly units?: string;
  readonly ends?: string;
}

/** Parts that are hard for any parser: lists, quotes and escapes, complete and truncated. */
const anyUnits =
  '\t , ; : . - / = & % %41 %E2%82 a, a; a= a& x#, x#& " "a "", \\ ( [ 0 9 a aA ab \xe9';
const anyEnds = "x ! 1 \xff";

const partsOf = (text = "") => text.split(" ").filter((part) => part !== "");

function combined({ starts, units, ends }: Parts): Case[] {
  const allUnits = [" ", ", ", ...partsOf(anyUnits), ...partsOf(units)];
  const allEnds = ["", ...partsOf(anyEnds), ...partsOf(ends)];
  return ["", ...partsOf(starts)].flatMap((start) =>
    allUnits.flatMap((unit) =>
      allEnds.map((end): Case => {
        const shape = unit.includes("#") ? numbered(start, unit, end) : repeated(start, unit, end);
        return [`${start}${unit}…${end}`, shape];
      }),
    ),
  );
}

function request(fields: Partial<Omit<Exchange, "headers">>, headers = {}) {
  return { method: "GET", url: "/", ...fields, headers } as unknown as Exchange;
}

function checkAll(what: string, largest: number, parse: Parse, cases: readonly Case[]): void {
  test(what, { timeout: 120_000 }, async () => {
    for (const [name, shape] of cases) await expectLinear(shape, largest, tolerant(parse), name);
  });
}

/** Checks that the cost of a parser grows linearly with any text, and with texts that are hard for its grammar. */
function check(what: string, largest: number, parse: Parse, parts: Parts = {}): void {
  checkAll(what, largest, parse, combined(parts));
}

test("a quadratic cost is found", async () => {
  const quadratic = (text: string) => /0+$/.test(text);
  const { fault } = await growthOf(repeated("1", "0", "1"), bodyBytes / 4, quadratic);
  expect(fault).toMatch(/grows|takes/);
});

describe("the CPU time for a request line grows linearly", () => {
  let service: Transcoder;
  const shelf = shelfTranscoder();
  const queryFields = queryFieldsOf(ListBooksRequestSchema, httpJson.style);
  const sampleFields = queryFieldsOf(SampleSchema, protoJsonStyle);
  const anywhere = { variables: [], body: undefined };

  beforeAll(() => {
    const methods = bindRoutes(servicesOn(createMemoryStores(Date.now)));
    service = shelfTranscoder({
      methods: methods as never,
      json: httpJson,
      readMaxBytes: () => bodyBytes,
    });
  });

  const match = (method: string) => (url: string) => {
    const target = normalizeTarget(request({ method, url }));
    if (typeof target === "string") return;
    const exchange = { ...request({ method }), record: new RequestRecord(0) } as never;
    service.open(target, exchange);
    shelf.open(target, exchange);
  };

  const paths = {
    starts: "/ /? /v1/ /v1/inventory /v1/inventory/1 /v1/books: /v1/files/ http: http:// http://a/",
    units: ":a a: :adjust %3A %63 %62%6Foks/ :lend %6c: a/ a:/ @ ! ?",
    ends: ":",
  };
  check("GET", headerBytes, match("GET"), paths);
  check("POST", headerBytes, match("POST"), paths);
  check("OPTIONS", headerBytes, match("OPTIONS"), paths);
  const authorities = { starts: "[ [v1. a:", units: "%4", ends: "] ]|" };
  check("host", headerBytes, isAuthority, authorities);
  check(":authority", headerBytes, isHttp2Authority, authorities);
  check("percent-decoding", headerBytes, percentDecode);
  const encoded = { units: "%2f %2F" };
  check("percent-decoding that keeps %2F", headerBytes, percentDecodeKeepingSlashes, encoded);
  check("canonical path literal", headerBytes, canonicalLiteral);

  const queries = {
    starts:
      "author. pageSize= manyStrings= aFieldMask= aTimestamp=2026-01-01T00:00:00. aDuration= aDouble= aDouble=1. anInt64= someBytes= message= &base64=1",
    units:
      "pageSize=1& genres=novel& a. givenName. a&manyStrings= aSample. aSample.aSample.manyStrings=& aB A + message= &base64=1",
    ends: "Z s",
  };
  check(
    "query",
    headerBytes,
    (query) => readQuery(query, createMessage(ListBooksRequestSchema), queryFields, anywhere),
    queries,
  );
  check(
    "query in ProtoJSON style",
    headerBytes,
    (query) => readQuery(query, createMessage(SampleSchema), sampleFields, anywhere),
    queries,
  );
  check(
    "query of a Connect GET",
    headerBytes,
    (query) => parseGet(`/a?encoding=json&base64=1&message=${query}`)?.message(),
    queries,
  );
  const listChanges = InventoryService.method.listInventoryChanges;
  const paging = findPaging(listChanges);
  check(
    "link to the next page",
    headerBytes,
    (query) =>
      paging &&
      nextPageLink(paging, `/a?${query}`, create(listChanges.output, { nextPageToken: "a" })),
    { units: "pageSize=1& pageToken=a& +" },
  );
});

describe("the CPU time for a header grows linearly", () => {
  const { input } = InventoryService.method.updateInventory;

  const accept = { starts: "a; a", units: "a;q=0.1, text/*;q=1, q=1;", ends: ";q=1" };
  check("Accept", headerBytes, chooseStreamFormat, accept);
  check("Accept-Encoding", headerBytes, responseCoding, { units: "gzip, *;q=0," });
  check("Content-Encoding", headerBytes, requestCoding);
  const parent = "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  check("traceparent", headerBytes, parseTraceparent, { starts: `00- ${parent} ${parent}-` });
  check(
    "Content-Type",
    headerBytes,
    (type) => {
      parseMediaType(type);
      expectsRpc(request({ method: "POST" }, { "content-type": type }));
    },
    {
      starts: "a/ a/b a/b; a/b;charset= application/ application/grpc application/connect+",
      units: ';charset= ;charset=" + json +json;',
    },
  );
  const tags = { starts: '"1"', units: 'W/ W/"", "1", "1" "#",', ends: '"' };
  check("If-None-Match", headerBytes, (header) => matchesTag(header, '"x"'), tags);
  check("If-Match", headerBytes, acceptedVersions, tags);

  const { admit } = createAdmitter({
    store: {
      admitKey: async () => Promise.reject(new Error("not a key")),
      countAddress: async () => Promise.reject(new Error("not a key")),
    } as never,
    anonymousLimits: { perMinute: 1, perDay: 1 },
  });
  check(
    "Authorization",
    headerBytes,
    (token) =>
      admit({ ...credentialsOf(`Bearer ${token}`), address: () => "127.0.0.1", network: () => "" }),
    { starts: "a inv_" },
  );
  const proxies = new BlockList();
  proxies.addSubnet("10.0.0.0", 8, "ipv4");
  proxies.addSubnet("::", 8, "ipv6");
  const clientOf = (header: string) => clientAddress("10.0.0.1", header, proxies);
  check("X-Forwarded-For", headerBytes, clientOf, {
    starts: "[ 1.1.1.1:",
    units: "10.0.0.1, 10.0.0.#, 10.0.0.1:1, ::1, [::1]:1,",
    ends: "]",
  });
  check(
    "Idempotency-Key",
    headerBytes,
    (key) =>
      idempotencyOf(
        InventoryService.method.updateInventory,
        create(input),
        new NodeHeaders({ "idempotency-key": key }),
      ),
    { starts: '"', units: '\\\\ \\"', ends: '"' },
  );
  check("timeout headers", headerBytes, (value) => {
    connectTimeout(value, Number.MAX_SAFE_INTEGER);
    grpcTimeout(value, Number.MAX_SAFE_INTEGER);
    for (const name of ["connect-timeout-ms", "grpc-timeout", "x-server-timeout"]) {
      tolerant(timeoutOf)(request({}, { [name]: value }));
    }
  });
  check("encoding headers of RPC", headerBytes, (value) => {
    negotiateCompression(value, value);
  });
});

/** JSON of a Sample that is hard to parse, for every kind of value. */
const jsonOfSamples: Case[] = [
  ...named([
    ['{"anInt32":1', "0", "1e0}"],
    ['{"anInt32":1.', "0", "1}"],
    ['{"anInt32":0.', "0", "1e9}"],
    ['{"anInt32":1e', "9", "}"],
    ['{"anInt32":-', "0", "}"],
    ['{"anInt32":"1', "0", '1e0"}'],
    ['{"anInt64":"1', "0", '"}'],
    ['{"anInt64":"', "9", '"}'],
    ['{"anInt64":"0x', "9", '"}'],
    ['{"anInt64":"', " ", '1"}'],
    ['{"aDouble":1', "0", "}"],
    ['{"aDouble":"1', "0", 'x"}'],
    ['{"manyInt64":[', "1,", "1]}"],
    ['{"manyInt64":[', "100e-2,", "1]}"],
    ['{"manyStrings":[', '"\\n",', '""]}'],
    ['{"manySamples":', "[", ""],
    ['{"aString":"', "\\u0041", '"}'],
    ['{"aString":"', "\\\\", '"}'],
    ['{"aString":"', "\\", ""],
    ['{"aString":"\\n', "a", ""],
    ['{"aString":"', "\\ud800", '"}'],
    ['{"someBytes":"', "A", '"}'],
    ['{"someBytes":"', "A===", '"}'],
    ['{"manyBytes":[', '"AA==",', '""]}'],
    ["{", '"aString":"",', '"aBool":true}'],
    ["{", '"a":1,', '"a":1}'],
    ["", '{"aSample":'],
    ["", '{"aStruct":{"a":'],
    ["", '{"aValue":['],
    ['{"aValue":', "[", "]"],
    ['{"aTimestamp":"2026-01-01T00:00:00.', "0", 'Z"}'],
    ['{"aDuration":"', "0", 's"}'],
    ['{"aDuration":"1.', "0", 's"}'],
    ['{"aFieldMask":"', "a,", 'a"}'],
    ['{"aFieldMask":"', "a.", 'a"}'],
    ['{"aFieldMask":"', "aB", '"}'],
    ['{"anAny":', '{"@type":"x/google.protobuf.Any","value":', "{}"],
    ['{"anAny":{"@type":"x/shelf.v1.Sample","manyInt64":[', "1,", "1]}}"],
    ["", "\n"],
    ["", " ", "{}"],
    ["{", "\n", "x"],
  ]),
  ['{"byString":{"1":1,"2":1…', numbered('{"byString":{', '"#":1,', '"x":1}}')],
  ['{"byInt32":{"1":"",…', numbered('{"byInt32":{', '"#":"",', '"-1":""}}')],
  ['{"aStruct":{"1":1,…', numbered('{"aStruct":{', '"#":1,', '"x":1}}')],
  ['{"x1":1,…', numbered("{", '"x#":1,', '"x":1}')],
];

const sampleRegistry = createRegistry(SampleSchema);

describe("the CPU time for a JSON body over REST grows linearly", () => {
  const http = createJsonCodec(httpJsonStyle, sampleRegistry);
  const proto = createJsonCodec(protoJsonStyle, sampleRegistry);
  const decode = (json: string) => http.decodeJson(SampleSchema, Buffer.from(json));
  checkAll("JSON", bodyBytes, decode, jsonOfSamples);
  const decodeProto = (json: string) => proto.decodeJson(SampleSchema, Buffer.from(json));
  checkAll("ProtoJSON", bodyBytes, decodeProto, jsonOfSamples);
  check("base64", bodyBytes, decodeBase64, { units: "A +", ends: "-" });
});

describe("the CPU time for a merge patch grows linearly", () => {
  const found = createMatcher(shelfTranscoder().routes)(
    "PATCH",
    splitTarget("/v1/shelves/1/books/2"),
  );
  checkAll(
    "update mask",
    bodyBytes,
    (json) => found.kind === "route" && bindRequest(found, Buffer.from(json), undefined),
    named([
      ['{"tags":[', '"a",', '"a"]}'],
      ['{"title":"', "a", '"}'],
      ["", '{"author":'],
      ["", " ", '{"title":"a"}'],
    ]),
  );
});

describe("the CPU time for an RPC message grows linearly", () => {
  const readJson = jsonReader(SampleSchema, createJsonCodec(rpcJsonStyle, sampleRegistry));
  const readBinary = binaryReader(SampleSchema);

  checkAll("ProtoJSON", bodyBytes, (text) => readJson(Buffer.from(text)), jsonOfSamples);
  check("base64 of connect-es", bodyBytes, base64Decode);

  test.each<readonly [string, Shape<Uint8Array>]>([
    ["nested groups", (size) => Buffer.alloc(size, 0x0b)],
    ["a sequence of groups", (size) => filled(size, [0xa3, 0x3f, 0xa4, 0x3f])],
    ["unknown varint fields", (size) => filled(size, [0xa0, 0x3f, 1])],
    ["unknown string fields", (size) => filled(size, [0xa2, 0x3f, 0])],
    ["an endless varint", (size) => Buffer.alloc(size, 0xff)],
    ["a packed field", (size) => lengthDelimited(21, Buffer.alloc(size, 1))],
    ["packed fields of one number each", (size) => filled(size, [0xaa, 1, 1, 1])],
    ["a repeated field of empty messages", (size) => filled(size, [0xc2, 1, 0])],
    ["one message field, repeated", (size) => filled(size, [0xc2, 2, 0])],
    ["alternating members of a oneof", (size) => filled(size, [0xf0, 1, 1, 0x82, 2, 0])],
    ["entries of a map", mapEntries],
    ["one entry of a map, repeated", (size) => filled(size, [0xd2, 1, 2, 0x10, 1])],
    ["nested messages", nestedMessages],
    ["a long string", (size) => lengthDelimited(14, Buffer.alloc(size, "é"))],
    ["a string that is not UTF-8", (size) => lengthDelimited(14, Buffer.alloc(size, 0xff))],
  ])("binary: %s", (_, shape) =>
    expectLinear(
      shape,
      bodyBytes,
      tolerant((data) => readBinary(data)),
    ),
  );

  const base64 = { units: "AAAA AA== AAA= A===", ends: "! =" };
  check("base64 body", bodyBytes, (text) => fromBase64(Buffer.from(text)), base64);

  test("one envelope", () =>
    expectLinear(
      (size) => encodeEnvelope(0, new Uint8Array(size)),
      bodyBytes,
      tolerant((body) =>
        openEnvelope(body, bodyBytes, InventoryService.method.getInventoryItem, undefined),
      ),
    ));

  test.each([
    ["one message", (size: number) => encodeEnvelope(0, new Uint8Array(size))],
    ["empty messages", (size: number) => Buffer.alloc(size / 4)],
    [
      "an unfinished message",
      (size: number) => encodeEnvelope(0, new Uint8Array(size)).subarray(1),
    ],
  ])("a stream of %s in chunks of one byte", async (_, shape) => {
    const read = async (body: Uint8Array) => {
      async function* bytes() {
        for (let at = 0; at < body.length; at++) yield body.subarray(at, at + 1);
      }
      for await (const _message of wholeEnvelopes(bytes(), bodyBytes));
    };
    await expectLinear(shape, bodyBytes, tolerant(read));
  });
});

/** Repeats some bytes as often as they fit into `size` bytes. */
function filled(size: number, unit: readonly number[]): Uint8Array {
  const length = size - (size % unit.length);
  return Buffer.alloc(length, Buffer.from(unit));
}

function lengthDelimited(number: number, data: Uint8Array): Uint8Array {
  const varint = (value: number): number[] =>
    value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
  return Buffer.concat([Buffer.from([...varint(number * 8 + 2), ...varint(data.length)]), data]);
}

function nestedMessages(size: number): Uint8Array {
  const depth = Math.floor(size / 5);
  let data: Uint8Array = new Uint8Array();
  const heads: Uint8Array[] = [];
  let length = 0;
  for (let level = 0; level < depth; level++) {
    const head = lengthDelimited(40, new Uint8Array(length)).subarray(0, -length || undefined);
    heads.push(head);
    length += head.length;
  }
  data = Buffer.concat(heads.reverse());
  return data;
}

function mapEntries(size: number): Uint8Array {
  const entries: Uint8Array[] = [];
  for (let length = 0, count = 0; length < size; count++) {
    const entry = lengthDelimited(26, lengthDelimited(1, Buffer.from(String(count))));
    entries.push(entry);
    length += entry.length;
  }
  return Buffer.concat(entries);
}

describe("the CPU time after parsing grows linearly with the body", () => {
  const batch = InventoryService.method.batchUpdateInventory;
  const violationsOf = compileValidator(BatchUpdateInventoryRequestSchema);
  const updates = (size: number) =>
    Array.from({ length: Math.min(1_000, Math.floor(size / 6)) }, (_, index) => ({
      petId: BigInt(-index),
      quantity: -1,
    }));

  test("fingerprint of a request", () =>
    expectLinear(
      (size) => create(BatchUpdateInventoryRequestSchema, { updates: updates(size) }),
      bodyBytes,
      (message) => idempotencyOf(batch, message, new NodeHeaders({ "idempotency-key": "a" })),
    ));

  test("fingerprint of a request with unknown fields", () =>
    expectLinear(
      (size) => fromBinary(UpdateInventoryRequestSchema, filled(size, [0xa0, 0x3f, 1])),
      bodyBytes,
      (message) =>
        idempotencyOf(
          InventoryService.method.updateInventory,
          message,
          new NodeHeaders({ "idempotency-key": "a" }),
        ),
    ));

  test("violations of the contract, and the error that reports them", () => {
    const route = { method: { desc: batch }, body: "*" } as never;
    return expectLinear(
      (size) => create(BatchUpdateInventoryRequestSchema, { updates: updates(size) }),
      bodyBytes,
      (message) => {
        const error = fieldsInvalid(violationsOf(message));
        toBinary(BatchUpdateInventoryRequestSchema, message);
        return toErrorResponse(error, route, {}, () => {});
      },
    );
  });

  check("page token", bodyBytes, (token) => startOfPage("pet", token));
});

describe("the CPU time for a file of the command line grows linearly", () => {
  async function count(items: AsyncIterable<unknown>): Promise<number> {
    let number = 0;
    for await (const _item of items) number++;
    return number;
  }
  async function* inPieces(text: string, length: number) {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
  }
  const csv = (text: string) => count(csvRows(readLines(inPieces(text, bodyBytes))));
  const header = "petId,quantity,status\n";

  const rows = named([
    ['"', '""', '"'],
    ["", '"",'],
    ['"', "a"],
    ["", "1,1,available\n"],
    ["", '"1",1,available\n'],
    ["", "\n"],
  ]);
  checkAll("CSV", bodyBytes, (text) => csv(header + text), rows);
  check("header of CSV", bodyBytes, csv, { units: 'petId, "petId",' });
  const ndjson = (text: string) => count(jsonRows(readLines(inPieces(text, bodyBytes))));
  checkAll("NDJSON", bodyBytes, ndjson, [...named([["", "{}\n"]]), ...jsonOfSamples]);
  test.each([
    ["one line", repeated("", "a"), 1],
    ["empty lines", repeated("", "\n"), 1],
    ["an overlong line", (size: number) => "a".repeat(4 * size), 16],
  ] as const)("%s in small chunks", (_, shape, length) =>
    expectLinear(shape, bodyBytes, (text) => count(readLines(inPieces(text, length)))),
  );
});
