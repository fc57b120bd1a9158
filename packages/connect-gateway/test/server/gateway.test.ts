import { once } from "node:events";
import { connect } from "node:http2";
import { text } from "node:stream/consumers";
import { create, createRegistry, toBinary, toJson } from "@bufbuild/protobuf";
import { DurationSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type ConnectRouter, createClient } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { describe, expect, onTestFinished, test } from "vitest";
import { ServerReflection } from "../../gen/grpc/reflection/v1/reflection_pb.ts";
import { Health, HealthCheckResponse_ServingStatus } from "../../gen/health/v1/health_pb.ts";
import { healthHandlers, healthRoutes } from "../../src/rpc/health.ts";
import { reflectionRoutes } from "../../src/rpc/reflection.ts";
import { createGateway } from "../../src/server/gateway.ts";
import type { GatewayLimits, GatewayOptions } from "../../src/server/gateway-options.ts";
import { GreetService } from "../gen/shelf/v1/greet_pb.ts";
import { BookSchema, Genre, ShelfService } from "../gen/shelf/v1/shelf_pb.ts";

const routes: GatewayOptions["routes"] = ({ service }) =>
  service(GreetService, { greet: ({ name }) => ({ text: `Hello, ${name}!` }) });

async function start(options: Partial<GatewayOptions> = {}): Promise<string> {
  const gateway = createGateway({ routes, ...options });
  onTestFinished(() => gateway.drain(0));
  const { url } = await gateway.listen(0, "127.0.0.1");
  return url;
}

const transports = {
  Connect: createConnectTransport,
  gRPC: createGrpcTransport,
  "gRPC-Web": createGrpcWebTransport,
};

const names = Object.keys(transports) as (keyof typeof transports)[];

const clientOf = (name: keyof typeof transports, baseUrl: string) =>
  createClient(GreetService, transports[name]({ baseUrl, httpVersion: "2" }));

test("health and reflection need no options but the services, and no gate", async () => {
  const stopping = new AbortController();
  const health = { services: [GreetService.typeName], stopping: stopping.signal };
  const url = await start({
    requestGate() {
      throw new ConnectError("no key", Code.Unauthenticated);
    },
    publicRoutes(router) {
      healthRoutes(health)(router);
      reflectionRoutes([GreetService])(router);
    },
    probes: healthHandlers(health),
  });
  const transport = createGrpcTransport({ baseUrl: url });
  const { check, watch } = createClient(Health, transport);
  const { SERVING, NOT_SERVING } = HealthCheckResponse_ServingStatus;
  expect((await check({ service: GreetService.typeName })).status).toBe(SERVING);
  await expect(check({ service: "other" })).rejects.toMatchObject({
    code: Code.NotFound,
    rawMessage: 'There is no service "other".',
  });
  const { serverReflectionInfo } = createClient(ServerReflection, transport);
  const query = async function* () {
    yield { messageRequest: { case: "listServices", value: "" } } as const;
  };
  for await (const { messageResponse } of serverReflectionInfo(query())) {
    expect(messageResponse.value).toMatchObject({
      service: [
        { name: "shelf.v1.GreetService" },
        { name: "grpc.reflection.v1.ServerReflection" },
        { name: "grpc.reflection.v1alpha.ServerReflection" },
      ],
    });
  }
  const probe = async () => (await fetch(`${url}/readyz`)).status;
  expect(await probe()).toBe(200);
  const statuses: HealthCheckResponse_ServingStatus[] = [];
  for await (const { status } of watch({})) {
    statuses.push(status);
    stopping.abort();
  }
  expect(statuses).toEqual([SERVING, NOT_SERVING]);
  expect(await probe()).toBe(503);
});

describe("publicRoutes", () => {
  const noKey = () => {
    throw new ConnectError("no key", Code.Unauthenticated);
  };
  const { countBooks, getFile } = ShelfService.method;

  test("serves the HTTP rules of its methods without the gate", async () => {
    const url = await start({
      requestGate: noKey,
      routes: ({ rpc }) => rpc(getFile, ({ path }) => ({ path })),
      publicRoutes: ({ rpc, service }) => {
        service(GreetService, { greet: ({ name }) => ({ text: `Hello, ${name}!` }) });
        rpc(countBooks, () => ({ count: 3n }));
      },
    });
    const get = async (path: string) => {
      const response = await fetch(`${url}${path}`);
      return [response.status, await response.text()];
    };
    expect(await get("/v1/greetings/Ada")).toEqual([200, '{"text":"Hello, Ada!"}']);
    expect((await get("/v1/books:count"))[0]).toBe(200);
    expect((await get("/v1/greetings/Ada?other=1"))[0]).toBe(400);
    expect((await get("/v1/files/a"))[0]).toBe(401);
    expect((await get("/v1/other"))[0]).toBe(401);
  });

  test("must not have a method of routes", () => {
    expect(() => createGateway({ routes, publicRoutes: routes })).toThrow(
      "rpc shelf.v1.GreetService.Greet is registered twice",
    );
  });
});

test("errors over HTTP have the details whose types the registry has", async () => {
  const fail = () => {
    const error = new ConnectError("no", Code.Aborted, undefined, [
      { desc: DurationSchema, value: { seconds: 3n } },
      { desc: BookSchema, value: { title: "a" } },
    ]);
    // As if it came from another service.
    const value = toBinary(BookSchema, create(BookSchema, { title: "b" }));
    const malformed = Uint8Array.of(255);
    error.details.push({ type: BookSchema.typeName, value: malformed });
    error.details.push({ type: BookSchema.typeName, value });
    throw error;
  };
  const greeting: GatewayOptions["routes"] = ({ service }) =>
    service(GreetService, { greet: fail });
  const bodyOf = async (options: Partial<GatewayOptions>) =>
    JSON.parse(await (await fetch(`${await start(options)}/v1/greetings/Ada`)).text());
  const error = { code: "aborted", message: "no", status: 409 };
  const book = "type.googleapis.com/shelf.v1.Book";
  const details = [
    { "@type": "type.googleapis.com/google.protobuf.Duration", value: "3s" },
    { "@type": book, title: "a" },
    { "@type": book, title: "b" },
  ];
  expect(await bodyOf({ routes: greeting })).toEqual(error);
  const registry = createRegistry(DurationSchema);
  expect(await bodyOf({ routes: greeting, registry })).toEqual({
    ...error,
    details: details.slice(0, 1),
  });
  const all = createRegistry(DurationSchema, BookSchema);
  for (const options of [{ routes: greeting }, { requestGate: fail }]) {
    expect(await bodyOf({ ...options, registry: all })).toEqual({ ...error, details });
  }
});

test("RPC in JSON has the fields that the annotations hide from HTTP", async () => {
  const { lendBook } = ShelfService.method;
  const url = await start({
    annotations: { isRpcOnly: ({ name }) => name === "memo" },
    routes: ({ rpc }) => rpc(lendBook, ({ memo }) => ({ loan: "1", memo: `got ${memo}` })),
  });
  const post = async (path: string, body: string) => {
    const headers = { "content-type": "application/json" };
    return (await fetch(url + path, { method: "POST", headers, body })).json();
  };
  const rpc = await post("/shelf.v1.ShelfService/LendBook", '{"memo":"a"}');
  expect(rpc).toEqual({ loan: "1", memo: "got a" });
  expect(await post("/v1/shelves/1/books/2:lend", "{}")).toEqual({ loan: "1" });
  const refused = await post("/v1/shelves/1/books/2:lend", '{"memo":"a"}');
  expect(refused).toMatchObject({ status: 400 });
});

test("a stream that is silent at first sends its headers before its first message", async () => {
  let seen = Promise.withResolvers<void>();
  const url = await start({
    routes: ({ rpc }) =>
      rpc(ShelfService.method.scan, async function* () {
        await seen.promise;
        yield { book: { title: "a" } };
      }),
  });
  const response = await fetch(`${url}/v1/scan`);
  expect(response.status).toBe(200);
  seen.resolve();
  expect(await response.json()).toEqual([{ title: "a" }]);

  seen = Promise.withResolvers();
  const session = connect(url);
  const stream = session.request({ ":path": "/v1/scan" });
  const [headers] = await once(stream, "response");
  expect(headers[":status"]).toBe(200);
  seen.resolve();
  expect(JSON.parse(await text(stream))).toEqual([{ title: "a" }]);
  session.close();
});

test("JSON over HTTP is ProtoJSON", async () => {
  const { getBook } = ShelfService.method;
  const book = { name: "shelves/1/books/1", copies: 7n, genre: Genre.NOVEL };
  const url = await start({ routes: ({ rpc }) => rpc(getBook, () => ({ book })) });
  const response = await fetch(`${url}/v1/${book.name}`);
  expect(await response.json()).toEqual(toJson(BookSchema, create(BookSchema, book)));
});

test("a guard may decide later, before the body and for each message, on all protocols", async () => {
  const later = () => new Promise((resolve) => setImmediate(resolve));
  const refuse = async (word: string) => {
    await later();
    throw new ConnectError(word, Code.PermissionDenied);
  };
  for (const [guard, word] of [
    ["before", "early"],
    ["message", "late"],
  ] as const) {
    let calls = 0;
    const url = await start({
      routes: ({ service }) =>
        service(GreetService, {
          greet() {
            calls += 1;
            return {};
          },
        }),
      guards: { [guard]: () => () => refuse(word) },
    });
    for (const name of names) {
      const call = clientOf(name, url).greet({});
      await expect(call).rejects.toMatchObject({ code: Code.PermissionDenied, rawMessage: word });
    }
    const response = await fetch(`${url}/v1/greetings/Ada`);
    expect([response.status, calls]).toEqual([403, 0]);
  }
});

test("readMaxBytes holds on all protocols, unless a route has its own", async () => {
  const { putTags, getFile } = ShelfService.method;
  const url = await start({
    routes({ rpc }) {
      rpc(putTags, ({ tags }) => ({ tags }));
      rpc(getFile, ({ path }) => ({ path }), { readMaxBytes: 1_000 });
    },
    readMaxBytes: 20,
  });
  const send = async (method: string, path: string, body: string) => {
    const headers = { "content-type": "application/json" };
    return (await fetch(`${url}${path}`, { method, body, headers })).status;
  };
  const rpcPath = `/${ShelfService.typeName}/${putTags.name}`;
  for (const [tag, overHttp, overRpc] of [
    ["a", 200, 200],
    ["a".repeat(20), 413, 429],
  ] as const) {
    expect(await send("PUT", "/v1/books/1/tags", JSON.stringify([tag]))).toBe(overHttp);
    expect(await send("POST", rpcPath, JSON.stringify({ tags: [tag] }))).toBe(overRpc);
  }
  const file = JSON.stringify({ path: "a".repeat(100) });
  expect(await send("POST", `/${ShelfService.typeName}/${getFile.name}`, file)).toBe(200);
});

test("an option of a route that would have no effect is an error", () => {
  const routes = ({ service }: ConnectRouter) => service(GreetService, {}, { maxTimeoutMs: 1 });
  expect(() => createGateway({ routes: (router) => void routes(router) })).toThrow(
    "rpc shelf.v1.GreetService.Greet: routes have no option maxTimeoutMs",
  );
});

test("a limit that is undefined has its default", async () => {
  const limits = { requestTimeoutMs: undefined } as unknown as Partial<GatewayLimits>;
  expect((await fetch(`${await start({ limits })}/v1/greetings/Ada`)).status).toBe(200);
  const tooShort = { ...limits, headersTimeoutMs: 30_001 };
  expect(() => createGateway({ routes, limits: tooShort })).toThrow(RangeError);
});

test.each([
  ["1,000 elements", {}, 1_000, 1_001],
  ["as many as the annotations say", { boundsOf: () => ({ maxItems: 6_000 }) }, 6_000, 6_001],
] as const)("a list may have %s in all protocols", async (_, annotations, most, tooMany) => {
  const url = await start({
    routes: ({ rpc }) => rpc(ShelfService.method.putTags, ({ tags }) => ({ tags })),
    annotations,
  });
  const tags = (length: number) => Array.from({ length }, () => "a");
  const json = createConnectTransport({ baseUrl: url, httpVersion: "2", useBinaryFormat: false });
  for (const transport of [
    json,
    ...names.map((name) => transports[name]({ baseUrl: url, httpVersion: "2" })),
  ]) {
    const { putTags } = createClient(ShelfService, transport);
    expect((await putTags({ tags: tags(most) })).tags).toHaveLength(most);
    await expect(putTags({ tags: tags(tooMany) })).rejects.toMatchObject({
      code: Code.InvalidArgument,
      rawMessage: `tags: must have at most ${most} elements`,
    });
  }
  const put = async (length: number) => {
    const init = { method: "PUT", headers: { "content-type": "application/json" } };
    const body = JSON.stringify(tags(length));
    return (await fetch(`${url}/v1/books/1/tags`, { ...init, body })).status;
  };
  expect([await put(most), await put(tooMany)]).toEqual([200, 400]);
});
