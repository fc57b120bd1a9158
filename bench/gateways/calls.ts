import { isDeepStrictEqual } from "node:util";
import {
  create,
  type DescMessage,
  type DescMethodUnary,
  equals,
  fromBinary,
  type JsonValue,
  type MessageInitShape,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import type { Load, Run } from "../case.ts";
import { type Call, holds } from "../load/call.ts";
import { grpcLoad } from "../load/grpc.ts";
import { httpLoad } from "../load/http.ts";
import { probeGrpc, probeHttp } from "../load/probe.ts";
import {
  BookSchema,
  LibraryService,
  ListBooksResponseSchema,
} from "./gen/library/v1/library_pb.ts";
import { sampleBooks, usualCopies } from "./library.ts";
import type { Peer, Protocol } from "./peers.ts";

/** The number of books. */
const count = 100;
const list = create(ListBooksResponseSchema, sampleBooks(count));

/** The list of all books, as all peers must send it. */
export const listJson = toJson(ListBooksResponseSchema, list);

/** A row of the table: a call, and the protocol that a peer must have for it. */
export interface Row {
  readonly name: string;
  readonly protocol: Protocol;
  readonly call: Call;
}

type Request = Pick<Call, "method" | "path"> & Partial<Pick<Call, "headers" | "body" | "status">>;

/** @param isRight returns whether a body is right. @param value the value of `{n}` */
function callWith(request: Request, isRight: (body: Buffer, value: string) => boolean): Call {
  return {
    headers: {},
    status: 200,
    // No peer looks at keys.
    keys: () => ["none"],
    ...request,
    check: holds("the one that all peers must send", isRight),
  };
}

function withJson(
  request: Request,
  wanted: (value: string) => JsonValue,
  headers: Call["headers"] = request.body ? { "content-type": "application/json" } : {},
): Call {
  return callWith({ ...request, headers }, (body, value) =>
    isDeepStrictEqual(JSON.parse(body.toString()), wanted(value)),
  );
}

/** @param prefix the length of what precedes a message: 5 bytes in gRPC */
function withMessages<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  headers: Call["headers"],
  request: MessageInitShape<I>,
  response: MessageInitShape<O>,
  prefix = 0,
): Call {
  const message = toBinary(method.input, create(method.input, request));
  const head = Buffer.alloc(prefix);
  if (prefix > 0) head.writeUInt32BE(message.byteLength, 1);
  const wanted = create(method.output, response);
  return callWith(
    {
      method: "POST",
      path: `/${method.parent.typeName}/${method.name}`,
      headers,
      body: Buffer.concat([head, message]),
    },
    (body) => equals(method.output, fromBinary(method.output, body.subarray(prefix)), wanted),
  );
}

function bookOf(id: string, change: { readonly copies?: number } = {}) {
  const book = list.books.find((each) => each.id === id) ?? fail(`there is no book ${id}`);
  return create(BookSchema, { ...book, ...change });
}

const bookJson = (id: string, change = {}) => ({ book: toJson(BookSchema, bookOf(id, change)) });

function updateTo(copies: number): Call {
  return withJson(
    {
      method: "PATCH",
      path: "/v1/books/{n}?updateMask=copies",
      body: Buffer.from(JSON.stringify({ copies })),
    },
    (id) => bookJson(id, { copies }),
  );
}

const getOne = withJson({ method: "GET", path: "/v1/books/{n}" }, (id) => bookJson(id));
const connectHeaders = { "connect-protocol-version": "1" };
const grpcHeaders = { "content-type": "application/grpc+proto", te: "trailers" };
const { listBooks, getBook } = LibraryService.method;

/** The rows of the table. */
export const rows: readonly Row[] = [
  {
    name: "100 books, JSON",
    protocol: "http",
    call: withJson({ method: "GET", path: "/v1/books" }, () => listJson),
  },
  { name: "one book, JSON", protocol: "http", call: getOne },
  { name: "update, JSON", protocol: "http", call: updateTo(usualCopies) },
  {
    name: "one book, Connect",
    protocol: "connect",
    call: withMessages(
      getBook,
      { ...connectHeaders, "content-type": "application/proto" },
      { id: "1" },
      { book: bookOf("1") },
    ),
  },
  {
    name: "100 books, gRPC",
    protocol: "grpc",
    call: withMessages(listBooks, grpcHeaders, {}, list, 5),
  },
  {
    name: "one book, gRPC",
    protocol: "grpc",
    call: withMessages(getBook, grpcHeaders, { id: "1" }, { book: bookOf("1") }, 5),
  },
];

/** Calls that show that a peer transcodes, and does not only repeat a response. The last one restores the first book. */
const otherCalls: readonly Call[] = [
  callWith({ method: "GET", path: "/v1/books/none", status: 404 }, (body) =>
    body.includes("there is no book none"),
  ),
  updateTo(usualCopies + 1),
  withJson({ method: "GET", path: "/v1/books/1" }, (id) =>
    bookJson(id, { copies: usualCopies + 1 }),
  ),
  updateTo(usualCopies),
];

/**
 * Sends the calls of all rows that a peer serves, and others over HTTP if it has that.
 *
 * @throws Error that names the peer and the first call whose response is wrong
 */
export async function checkPeer({ name, protocols }: Peer, run: Run): Promise<void> {
  const served = rows.filter(({ protocol }) => protocols.includes(protocol));
  const others = protocols.includes("http") ? otherCalls : [];
  const calls = [
    ...served,
    ...others.map((call) => ({ name: `${call.method} ${call.path}`, protocol: "http", call })),
  ];
  for (const { name: what, protocol, call } of calls) {
    try {
      await (protocol === "grpc" ? probeGrpc : probeHttp)(call, run);
    } catch (error) {
      throw new Error(`${name}: ${what}: ${error instanceof Error ? error.message : error}`);
    }
  }
}

/** Returns the load of a row. */
export function loadOf({ protocol, call }: Row): Load {
  return protocol === "grpc" ? grpcLoad(call) : httpLoad(call);
}

function fail(message: string): never {
  throw new Error(message);
}
