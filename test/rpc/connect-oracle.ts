import { createServer as createServerHttp1 } from "node:http";
import { createServer as createServerHttp2 } from "node:http2";
import type { AddressInfo, Server } from "node:net";
import type { Message } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import type { Call, UnaryMethod } from "../../src/call/method.ts";
import type { JsonOptions } from "../../src/rpc/codec.ts";
import { compressions } from "../../src/rpc/compression.ts";

/** Options that the oracle shares with the code under test. */
export interface OracleOptions {
  readonly maxMessageBytes: number;
  readonly jsonOptions: JsonOptions;
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
  { maxMessageBytes, jsonOptions }: OracleOptions,
): Promise<Oracle> {
  const listener = connectNodeAdapter({
    acceptCompression: compressions,
    jsonOptions,
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
