import {
  create,
  type DescMessage,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type Message,
  type MessageInitShape,
  toJsonString,
} from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rpcJson } from "../../src/contract/rpc-json.ts";
import { createRpc } from "../../src/rpc/rpc.ts";
import { Genre, ShelfService } from "./gen/shelf/v1/shelf_pb.ts";
import { type Client, protocols } from "./support/clients.ts";
import { httpJson } from "./support/json.ts";
import { streaming, unary, valuesOf } from "./support/methods.ts";
import { frontDoor, shelfMethods, shelfTranscoder } from "./support/shelf.ts";

const rpc = ShelfService.method;

const methods = [
  ...shelfMethods,
  unary(rpc.upload, ({ cover }, { responseHeader, responseTrailer }) => {
    responseHeader.set("x-note", "a");
    responseTrailer.set("x-end", "b");
    return { cover };
  }),
  streaming(rpc.scan, async function* ({ limit }) {
    for (let index = 0; index < limit; index++) yield { book: { title: `${index}` } };
    if (limit > 2) throw new ConnectError("too many", Code.OutOfRange);
  }),
];

/** A call, as an HTTP client and as an RPC client makes it. */
interface Case<I extends DescMessage, O extends DescMessage> {
  readonly method: DescMethodUnary<I, O> | DescMethodServerStreaming<I, O>;
  readonly request: MessageInitShape<I>;
  readonly http: readonly [method: string, target: string, body?: string];
  /** The response field in the HTTP body. */
  readonly field?: string;
  /** Number of messages; defaults to 1. */
  readonly messages?: number;
  /** Code of the error that ends the call. */
  readonly error?: Code;
}

function asCase<I extends DescMessage, O extends DescMessage>(each: Case<I, O>): Case<I, O> {
  return each;
}

const name = "shelves/1/books/2";
const sample = {
  anInt64: -9223372036854775808n,
  aUint64: 18446744073709551615n,
  aDouble: Number.POSITIVE_INFINITY,
  someBytes: new Uint8Array([0, 250, 255]),
};

const cases: readonly (readonly [string, Case<DescMessage, DescMessage>])[] = [
  [
    "a path variable of several segments",
    asCase({ method: rpc.getBook, request: { name }, http: ["GET", `/v1/${name}`], field: "book" }),
  ],
  [
    "an additional binding with an int64",
    asCase({
      method: rpc.getBook,
      request: { isbn: 9007199254740993n },
      http: ["GET", "/v1/books/9007199254740993"],
      field: "book",
    }),
  ],
  [
    "a bare list",
    asCase({
      method: rpc.listBooks,
      request: { parent: "shelves/7" },
      http: ["GET", "/v1/shelves/7/books"],
      field: "books",
    }),
  ],
  [
    "a field as the body",
    asCase({
      method: rpc.createBook,
      request: { parent: "shelves/7", book: { title: "a", copies: 5n, tags: ["x", "y"] } },
      http: ["POST", "/v1/shelves/7/books", '{"title":"a","copies":5,"tags":["x","y"]}'],
      field: "book",
    }),
  ],
  [
    "a path variable inside of the body, and an enum",
    asCase({
      method: rpc.updateBook,
      request: { book: { name, title: "b", genre: Genre.NOVEL } },
      http: ["PATCH", `/v1/${name}`, '{"title":"b","genre":"novel"}'],
      field: "book",
    }),
  ],
  [
    "a verb, and the whole message as the body",
    asCase({
      method: rpc.lendBook,
      request: { name, reader: "me", period: durationFromMs(90_000) },
      http: ["POST", `/v1/${name}:lend`, '{"reader":"me","period":"90s"}'],
    }),
  ],
  [
    "a repeated field as the body",
    asCase({
      method: rpc.putTags,
      request: { isbn: 1n, tags: ["a", "b"] },
      http: ["PUT", "/v1/books/1/tags", '["a","b"]'],
      field: "tags",
    }),
  ],
  [
    "a scalar as the response, at its bound",
    asCase({
      method: rpc.countBooks,
      request: {},
      http: ["GET", "/v1/books:count"],
      field: "count",
    }),
  ],
  [
    "a variable that takes all the rest",
    asCase({
      method: rpc.getFile,
      request: { path: "a/b%2Fc" },
      http: ["GET", "/v1/files/a/b%2Fc"],
      field: "path",
    }),
  ],
  [
    "scalars at their bounds, in the body",
    asCase({
      method: rpc.echo,
      request: { sample },
      http: [
        "POST",
        "/v1/echo",
        '{"anInt64":-9223372036854775808,"aUint64":18446744073709551615,"aDouble":"Infinity","someBytes":"APr/"}',
      ],
      field: "sample",
    }),
  ],
  [
    "scalars at their bounds, in the query",
    asCase({
      method: rpc.echo,
      request: { sample },
      http: [
        "GET",
        "/v1/echo?sample.anInt64=-9223372036854775808&sample.aUint64=18446744073709551615&sample.aDouble=Infinity&sample.someBytes=APr_",
      ],
      field: "sample",
    }),
  ],
  [
    "an error of the service",
    asCase({
      method: rpc.getBook,
      request: { name: "shelves/0/books/0" },
      http: ["GET", "/v1/shelves/0/books/0"],
      messages: 0,
      error: Code.NotFound,
    }),
  ],
  [
    "a stream",
    asCase({
      method: rpc.scan,
      request: { limit: 2 },
      http: ["GET", "/v1/scan?limit=2"],
      field: "book",
      messages: 2,
    }),
  ],
  [
    "a stream that ends with an error",
    asCase({
      method: rpc.scan,
      request: { limit: 3 },
      http: ["GET", "/v1/scan?limit=3"],
      field: "book",
      messages: 3,
      error: Code.OutOfRange,
    }),
  ],
];

/** The result of a call on any protocol: ProtoJSON of the messages, and the code of the error. */
interface Outcome {
  readonly messages: readonly string[];
  readonly error?: string;
}

const serveHttp2 = protocols[1][1];

describe("a service of every kind of rule and field", () => {
  const own: { client?: Client } = {};

  beforeAll(async () => {
    const transcoder = shelfTranscoder({ methods });
    const rest = frontDoor(transcoder);
    const calls = createRpc({
      methods,
      maxMessageBytes: () => 1000,
      json: rpcJson,
      missingDetails: () => [],
      onFault: (error) => expect.fail(String(error)),
    });
    own.client = await serveHttp2((request, response) => {
      const method = calls.byPath.get(request.url ?? "");
      if (method) void method.handle(request, response, valuesOf("me"));
      else rest(request, response);
    });
  });
  afterAll(() => own.client?.close());

  async function byRpc(
    { method, request }: Case<DescMessage, DescMessage>,
    makeTransport: (baseUrl: string) => Transport,
  ): Promise<Outcome> {
    const transport = makeTransport(`http://127.0.0.1:${own.client?.port}`);
    const client = createClient(ShelfService, transport) as unknown as Readonly<
      Record<string, (request: unknown) => Promise<Message> | AsyncIterable<Message>>
    >;
    const call = client[method.localName];
    const messages: string[] = [];
    try {
      const result = call?.(create(method.input, request));
      if (result && Symbol.asyncIterator in result) {
        for await (const message of result) messages.push(toJsonString(method.output, message));
      } else if (result) {
        messages.push(toJsonString(method.output, await result));
      }
      return { messages };
    } catch (error) {
      return { messages, error: Code[ConnectError.from(error).code] };
    }
  }

  async function byHttp({ method, http, field }: Case<DescMessage, DescMessage>): Promise<Outcome> {
    const [httpMethod, target, body] = http;
    const reply = await own.client?.send(httpMethod, target, {
      headers: { accept: "application/x-ndjson, application/json;q=0.5" },
      ...(body !== undefined && { body }),
    });
    const isStream = method.methodKind === "server_streaming";
    const texts = isStream ? (reply?.body ?? "").trimEnd().split("\n") : [reply?.body ?? ""];
    const last: unknown = JSON.parse(texts.at(-1) ?? "");
    const error = codeIn(last);
    return {
      messages: (error === undefined ? texts : texts.slice(0, -1)).map((text) => {
        const whole = field === undefined ? text : `{${JSON.stringify(field)}:${text}}`;
        return toJsonString(method.output, httpJson.decodeJson(method.output, whole));
      }),
      ...(error !== undefined && { error }),
    };
  }

  /** Returns the code of an error, from the whole response or the end of a stream. */
  function codeIn(value: unknown): string | undefined {
    const body = value as { code?: string; error?: { code?: string } } | null;
    const word = body?.error?.code ?? body?.code;
    return word?.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  }

  const transports = [
    ["Connect in JSON", (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: "2" })],
    [
      "Connect in binary",
      (baseUrl: string) =>
        createConnectTransport({ baseUrl, httpVersion: "2", useBinaryFormat: true }),
    ],
    ["gRPC", (baseUrl: string) => createGrpcTransport({ baseUrl })],
    ["gRPC-Web", (baseUrl: string) => createGrpcWebTransport({ baseUrl, httpVersion: "2" })],
  ] as const;

  test.each(cases)("%s: the same on all protocols", async (_, each) => {
    const result = await byHttp(each);
    expect(result.error).toBe(each.error === undefined ? undefined : Code[each.error]);
    expect(result.messages).toHaveLength(each.messages ?? 1);
    for (const [, makeTransport] of transports) {
      expect(await byRpc(each, makeTransport)).toEqual(result);
    }
  });

  test("raw content and headers: the same on all protocols, and trailers if the protocol has them", async () => {
    const cover = { contentType: "image/png", data: new Uint8Array([137, 80, 78, 71]) };
    const reply = await own.client?.send("PUT", "/v1/covers/1", {
      headers: { "content-type": cover.contentType },
      body: cover.data,
    });
    expect(reply?.headers).toMatchObject({ "content-type": "image/png", "x-note": "a" });
    expect(reply?.bytes).toEqual(Buffer.from(cover.data));
    for (const [, makeTransport] of transports) {
      const transport = makeTransport(`http://127.0.0.1:${own.client?.port}`);
      const values: (string | null)[] = [];
      const response = await createClient(ShelfService, transport).upload(
        { isbn: 1n, cover },
        {
          onHeader: (headers) => values.push(headers.get("x-note")),
          onTrailer: (trailers) => values.push(trailers.get("x-end")),
        },
      );
      expect(response.cover).toMatchObject(cover);
      expect(values).toEqual(["a", "b"]);
    }
  });
});
