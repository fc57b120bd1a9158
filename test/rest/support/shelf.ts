import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Method } from "../../../src/call/method.ts";
import type { Endpoint, Endpoints } from "../../../src/http/endpoint.ts";
import type {
  NodeServerRequest,
  NodeServerResponse,
} from "../../../src/http/exchange/node-http.ts";
import { splitTarget } from "../../../src/http/request-target.ts";
import {
  createTranscoder,
  type Transcoder,
  type TranscoderOptions,
} from "../../../src/rest/transcoder.ts";
import { BookSchema, ShelfService } from "../gen/shelf/v1/shelf_pb.ts";
import { httpJson } from "./json.ts";
import { unary, valuesOf } from "./methods.ts";

const rpc = ShelfService.method;

/** Methods of a library that return parts of the request. */
const shelfMethods: readonly Method[] = [
  unary(rpc.getBook, ({ name, isbn }) => {
    if (name === "shelves/0/books/0") throw new ConnectError("no such book", Code.NotFound);
    return { book: { name: name || `isbn/${isbn}`, copies: 9007199254740993n } };
  }),
  unary(rpc.listBooks, ({ parent }) => ({ books: [{ name: `${parent}/books/1` }] })),
  unary(rpc.createBook, ({ parent, book }) => ({
    book: Object.assign(book ?? create(BookSchema), { name: `${parent}/books/9` }),
  })),
  unary(rpc.updateBook, ({ book }) => ({ book })),
  unary(rpc.lendBook, ({ name, reader, period, contact }) => ({
    loan: [name, reader, period?.seconds, contact.value].join(" "),
  })),
  unary(rpc.putTags, ({ tags }) => ({ tags })),
  unary(rpc.countBooks, () => ({ count: 9223372036854775807n })),
  unary(rpc.getFile, ({ path }) => ({ path })),
  unary(rpc.probeBook, ({ name }) => ({ name })),
  unary(rpc.echo, ({ sample }) => ({ sample })),
  unary(rpc.audit, () => ({})),
];

/** Creates a transcoder for the library, or for other methods. */
export function shelfTranscoder(options: Partial<TranscoderOptions> = {}): Transcoder {
  return createTranscoder({
    methods: shelfMethods,
    json: httpJson,
    maxBodyBytes: () => 1000,
    ...options,
  });
}

/** Finds the endpoint of a request. */
export function endpointOf({ find, unknown }: Endpoints, request: NodeServerRequest): Endpoint {
  return find(splitTarget(request.url ?? ""), request) ?? unknown;
}

/** A minimal front door: takes the caller from a header, sets a rate limit header and calls the transcoder. */
export function frontDoor(transcoder: Transcoder, refusal?: ConnectError) {
  return (request: NodeServerRequest, response: NodeServerResponse): void => {
    const endpoint = endpointOf(transcoder, request);
    response.setHeader("x-ratelimit-limit", "60");
    if (refusal) endpoint.refuse(request, response, refusal);
    else
      void endpoint.handle(request, response, valuesOf(`${request.headers["x-caller"] ?? "me"}`));
  };
}
