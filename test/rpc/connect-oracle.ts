import { createServer as createServerHttp1 } from "node:http";
import { createServer as createServerHttp2 } from "node:http2";
import type { AddressInfo, Server } from "node:net";
import type { Message } from "@bufbuild/protobuf";
import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import type { Compression } from "@connectrpc/connect/protocol";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import type { Call, UnaryMethod } from "../../src/call/method.ts";
import { codings, isTooLarge } from "../../src/http/content/compression.ts";
import { messageTooLarge } from "../../src/rpc/limits/size-limit.ts";

/** The service's content codings in Connect's interface, with its errors. */
const compressions = codings.map(
  ({ name, compress, decompress }): Compression => ({
    name,
    compress,
    async decompress(data, maxOutputLength) {
      if (data.length === 0) return new Uint8Array();
      try {
        return await decompress(data, { maxOutputLength });
      } catch (error) {
        throw isTooLarge(error)
          ? messageTooLarge(undefined, maxOutputLength)
          : new ConnectError(`the message is not valid ${name}`, Code.InvalidArgument);
      }
    },
  }),
);

/** Options that the oracle shares with the code under test. */
export interface OracleOptions {
  readonly maxMessageBytes: number;
}

/** Connect's handlers behind one server for each version of HTTP. */
export interface Oracle {
  readonly portHttp1: number;
  readonly portHttp2: number;
  close(): void;
}

/** Serves unary methods by Connect's own handlers and its adapter for Node, unmodified. */
export async function serveByConnect<Caller>(
  methods: readonly UnaryMethod<Caller>[],
  caller: Caller,
  { maxMessageBytes }: OracleOptions,
): Promise<Oracle> {
  const listener = connectNodeAdapter({
    acceptCompression: compressions,
    readMaxBytes: maxMessageBytes,
    routes({ rpc }) {
      for (const method of methods) {
        rpc(method.desc, (request: Message, context: HandlerContext) =>
          method.invoke(request, callOf(caller, context)),
        );
      }
    },
  });
  const http1 = createServerHttp1(listener);
  const http2 = createServerHttp2(listener);
  return {
    portHttp1: await listen(http1),
    portHttp2: await listen(http2),
    close() {
      http1.closeAllConnections();
      http1.close();
      http2.close();
    },
  };
}

function callOf<Caller>(caller: Caller, context: HandlerContext): Call<Caller> {
  return {
    caller,
    signal: context.signal,
    deadline: undefined,
    requestId: "",
    requestHeaders: context.requestHeader,
    responseHeaders: context.responseHeader,
    responseTrailers: context.responseTrailer,
    setHeader: (name, value) => context.responseHeader.set(name, value),
    end() {
      throw new Error("a unary call cannot be ended early");
    },
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}
