import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  Code,
  ConnectError,
  type ConnectRouter,
  createClient,
  createContextKey,
  type Interceptor,
} from "@connectrpc/connect";
import {
  connectNodeAdapter,
  createConnectTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { describe, expect, onTestFinished, test } from "vitest";
import { createGateway } from "../../src/server/gateway.ts";
import { GreetService } from "../gen/shelf/v1/greet_pb.ts";
import { ShelfService } from "../gen/shelf/v1/shelf_pb.ts";

const wordKey = createContextKey("none");

function routes({ service, rpc }: ConnectRouter): void {
  service(GreetService, {
    greet: ({ name }, { values, requestHeader }) => ({
      text: `${values.get(wordKey)}, ${name} ${requestHeader.get("x-added")}`,
    }),
  });
  rpc(ShelfService.method.scan, async function* (_, { values }) {
    yield { book: { title: values.get(wordKey) } };
    throw new ConnectError("no more", Code.DataLoss);
  });
  const own: Interceptor = (next) => async (request) => {
    request.contextValues.set(wordKey, "own");
    return next(request);
  };
  rpc(ShelfService.method.getFile, (_, { values }) => ({ path: values.get(wordKey) }), {
    interceptors: [own],
  });
}

/** Makes interceptors, and the list of what they have seen. */
function observed() {
  const seen: string[] = [];
  const outer: Interceptor = (next) => async (request) => {
    const { name } = request.method;
    seen.push(`${name} begins`);
    request.contextValues.set(wordKey, "Hello");
    request.header.set("x-added", "now");
    try {
      const response = await next(request);
      response.header.set("x-outer", response.stream ? "stream" : "unary");
      return response;
    } catch (error) {
      seen.push(`${name} fails: ${ConnectError.from(error).rawMessage}`);
      throw error;
    }
  };
  const inner: Interceptor = (next) => async (request) => {
    seen.push("inner");
    if (!request.stream && "name" in request.message && request.message.name === "nobody") {
      throw new ConnectError("refused", Code.PermissionDenied);
    }
    return next(request);
  };
  return { seen, interceptors: [outer, inner] };
}

const servers = {
  "a gateway": async (interceptors: Interceptor[]) => {
    const gateway = createGateway({ routes, interceptors });
    onTestFinished(() => gateway.drain(0));
    return (await gateway.listen(0, "127.0.0.1")).url;
  },
  "Connect's own adapter": async (interceptors: Interceptor[]) => {
    const server = createServer(connectNodeAdapter({ routes, interceptors }));
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },
};

const transports = { Connect: createConnectTransport, "gRPC-Web": createGrpcWebTransport };

describe.each(Object.entries(servers))("interceptors of %s", (_, serve) => {
  test.each(Object.entries(transports))("surround calls over %s", async (_, transport) => {
    const { seen, interceptors } = observed();
    const baseUrl = await serve(interceptors);
    const options = transport({ baseUrl, httpVersion: "1.1" });
    const { greet } = createClient(GreetService, options);
    const { scan, getFile } = createClient(ShelfService, options);
    const outer: (string | null)[] = [];
    const onHeader = (headers: Headers) => void outer.push(headers.get("x-outer"));

    expect((await greet({ name: "Ada" }, { onHeader })).text).toBe("Hello, Ada now");
    await expect(greet({ name: "nobody" })).rejects.toMatchObject({
      code: Code.PermissionDenied,
      rawMessage: "refused",
    });
    const titles: (string | undefined)[] = [];
    const read = async () => {
      for await (const { book } of scan({}, { onHeader })) titles.push(book?.title);
    };
    await expect(read()).rejects.toMatchObject({ code: Code.DataLoss });
    expect(titles).toEqual(["Hello"]);
    expect((await getFile({})).path).toBe("own");
    expect(outer).toEqual(["unary", "stream"]);
    expect(seen).toEqual([
      ...["Greet begins", "inner"],
      ...["Greet begins", "inner", "Greet fails: refused"],
      ...["Scan begins", "inner"],
    ]);
  });
});

test("interceptors surround calls by JSON over HTTP", async () => {
  const { seen, interceptors } = observed();
  const url = await servers["a gateway"](interceptors);
  const response = await fetch(`${url}/v1/greetings/Ada`);
  expect([response.status, response.headers.get("x-outer"), await response.json()]).toEqual([
    200,
    "unary",
    { text: "Hello, Ada now" },
  ]);
  expect((await fetch(`${url}/v1/greetings/nobody`)).status).toBe(403);
  expect(seen).toHaveLength(5);
});
