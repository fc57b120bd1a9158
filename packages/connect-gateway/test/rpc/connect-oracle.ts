import { createServer as createServerHttp1 } from "node:http";
import { createServer as createServerHttp2 } from "node:http2";
import type { AddressInfo, Server } from "node:net";
import type { Message } from "@bufbuild/protobuf";
import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import type { Compression } from "@connectrpc/connect/protocol";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import type { UnaryMethod } from "../../src/call/method.ts";
import { codings, isTooLarge } from "../../src/http/content/coding.ts";
import { messageTooLarge } from "../../src/rpc/envelope.ts";

/** The service's content codings in Connect's interface, with its errors. */
const compressions = codings.map(
  ({ name, compress, decompress }): Compression => ({
    name,
    compress,
    async decompress(data, maxOutputLength) {
      if (data.length === 0) return new Uint8Array();
      try {
        return await decompress(data, maxOutputLength);
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
export async function serveByConnect(
  methods: readonly UnaryMethod[],
  { maxMessageBytes }: OracleOptions,
): Promise<Oracle> {
  const listener = connectNodeAdapter({
    acceptCompression: compressions,
    readMaxBytes: maxMessageBytes,
    routes({ rpc }) {
      for (const method of methods) {
        rpc(method.desc, (request: Message, context: HandlerContext) =>
          method.invoke(request, context),
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

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}
