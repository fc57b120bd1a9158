import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Method } from "../../../src/call/method.ts";
import { CallerWork } from "../../../src/http/caller-work.ts";
import type { Exchange } from "../../../src/http/exchange/exchange.ts";
import type { Endpoints, Open } from "../../../src/http/http-context.ts";
import { splitTarget } from "../../../src/http/request-target.ts";
import {
  createTranscoder,
  type Transcoder,
  type TranscoderOptions,
} from "../../../src/rest/transcoder.ts";
import { BookSchema, ShelfService } from "../../gen/shelf/v1/shelf_pb.ts";
import { httpJson } from "./json.ts";
import { contextOf, unary } from "./methods.ts";

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
  const work = new CallerWork();
  return createTranscoder({
    methods: shelfMethods,
    json: httpJson,
    readMaxBytes: () => 1000,
    work,
    publicWork: work,
    errorTerms: {},
    onFault: () => {},
    ...options,
  });
}

function endpointOf({ open, openUnknown }: Endpoints, request: Exchange): Open {
  return (response) => open(splitTarget(request.url ?? ""), response) ?? openUnknown(response);
}

/** A minimal front door: takes the caller from a header, sets a rate limit header and calls the transcoder. */
export function frontDoor(transcoder: Transcoder, refusal?: ConnectError) {
  return (exchange: Exchange): void => {
    const caller = `${exchange.headers["x-caller"] ?? "me"}`;
    const context = contextOf(endpointOf(transcoder, exchange), exchange, caller);
    exchange.setHeader("x-ratelimit-limit", "60");
    if (refusal) context.refuse(refusal);
    else void context.serve();
  };
}
