import type { ClientHttp2Session } from "node:http2";
import { create } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  createClient,
  createContextValues,
  type HandlerContext,
} from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { stopTimers } from "../../../../test/support/stop-timers.ts";
import {
  Health,
  HealthCheckRequestSchema,
  HealthCheckResponse_ServingStatus,
} from "../../gen/health/v1/health_pb.ts";
import { callError } from "../../src/call/call-error.ts";
import type { StreamingMethod } from "../../src/call/method.ts";
import { requestKey } from "../../src/call/request-info.ts";
import { bindRoutes } from "../../src/call/routes.ts";
import type { Handler } from "../../src/http/exchange/exchange.ts";
import { healthHandlers, healthRoutes, isServing } from "../../src/rpc/health.ts";
import type { GatewayOptions } from "../../src/server/gateway-options.ts";
import { maxUndecided } from "../../src/server/load/overload.ts";
import { BookSchema, ShelfService } from "../gen/shelf/v1/shelf_pb.ts";
import {
  callAll,
  callCount,
  each,
  everywhere,
  type Reply,
  startGateway,
} from "./support/call-all.ts";
import { connectHttp1 } from "./support/http1-client.ts";
import { connectHttp2, responseOf } from "./support/http2-client.ts";

const bug = new TypeError("a bug");
const fail = (): never => {
  throw bug;
};
/** Rejects, where a value is needed. */
const later = (async () => fail()) as unknown as () => never;
const notFound: Reply = () => {
  throw new ConnectError("no such thing", Code.NotFound);
};

const internal = everywhere({
  code: "internal",
  message: "Internal error. The server log has the details.",
});

/** Calls all methods in all ways. @returns codes and messages */
async function codesAndMessages(url: string) {
  return each(await callAll(url), ({ code, message }) => ({ code, message }));
}

const refuse = (): never => {
  throw new ConnectError("no", Code.PermissionDenied);
};

describe("a function of the author that throws makes an internal error and one fault", () => {
  test.each<[string, Partial<GatewayOptions> & { reply?: Reply }]>([
    ["guards.before", { guards: { before: () => fail } }],
    ["guards.message", { guards: { message: () => fail } }],
    ["guards.error", { guards: { error: () => fail }, reply: notFound }],
    ["guards.error after guards.before", { guards: { before: () => refuse, error: () => fail } }],
    ["requestGate", { requestGate: fail }],
    ["requestGate, later", { requestGate: async () => fail() }],
    ["missingDetails", { missingDetails: fail, terms: { reasonOf: fail }, reply: notFound }],
    [
      "missingDetails after requestGate",
      { missingDetails: fail, terms: { reasonOf: fail }, requestGate: refuse },
    ],
    ["terms.reasonOf", { terms: { reasonOf: fail }, reply: notFound }],
    ["interceptors", { interceptors: [() => fail] }],
    ["policy", { policy: fail, reply: fail }],
    ["the method", { reply: fail }],
  ])("%s", async (_, options) => {
    const { url, faults } = await startGateway(options);
    expect(await codesAndMessages(url)).toEqual(internal);
    expect(faults).toEqual(Array.from({ length: callCount }, () => bug));
  });
});

describe("what JSON over HTTP cannot send is an internal error and one fault", () => {
  const refusal = { status: 410, reason: "GONE", code: "gone", message: "It ended." };
  const refuseWith = (part: object): Partial<GatewayOptions> => ({
    policy: () => ({ headers: {}, refusal: { ...refusal, ...part } }),
  });
  const cover = { contentType: "text/plain\r\na: b", data: new Uint8Array(1) };
  const withBody: GatewayOptions["routes"] = ({ rpc }) => {
    rpc(ShelfService.method.upload, () => ({ cover }));
    rpc(ShelfService.method.export, async function* () {
      yield cover;
    });
  };
  test.each<[string, Parameters<typeof startGateway>[0], string?]>([
    ["a refusal after a policy that throws", { policy: fail, requestGate: refuse }],
    ["a policy's status of 99", refuseWith({ status: 99 })],
    ["a policy's status of 1000", refuseWith({ status: 1000 })],
    ["a policy's reason with a line break", refuseWith({ reason: "a\r\nb: c" })],
    ["a policy's header with a NUL", { policy: () => ({ headers: { a: "\0" } }) }],
    ["a reason with a line break", { terms: { reasonOf: () => "a\r\nb: c" }, reply: notFound }],
    ["a media type with a line break", { routes: withBody }, "PUT /v1/covers/1"],
    ["a media type with a line break in a stream", { routes: withBody }, "GET /v1/export"],
  ])("%s", async (_, options, target = "GET /v1/greetings/Ada") => {
    const { url, faults } = await startGateway(options);
    const [method = "", path = ""] = target.split(" ");
    const session = connectHttp2(url);
    const http2 = await responseOf(session.request({ ":method": method, ":path": path }).end());
    const http1 = await fetch(`${url}${path}`, { method });
    expect([http1.status, http2.headers[":status"], faults]).toEqual([
      500,
      500,
      [expect.any(Error), expect.any(Error)],
    ]);
  });
});

test.each<[string, unknown]>([
  ["a Set", new Set([{ title: "a" }])],
  ["an iterator", [{ title: "a" }].values()],
  ["a number", 5],
  ["a long text", "a".repeat(300)],
  ["a function", () => {}],
])("a list that is %s makes an internal error and one fault", async (_, books) => {
  const { listBooks } = ShelfService.method;
  const { url, faults } = await startGateway({
    routes: ({ rpc }) => rpc(listBooks, () => ({ books: books as never })),
  });
  for (const path of ["/v1/books", "/v1/shelves/1/books"]) {
    expect((await fetch(url + path)).status).toBe(500);
  }
  for (const useBinaryFormat of [true, false]) {
    const options = { baseUrl: url, httpVersion: "1.1", useBinaryFormat } as const;
    const client = createClient(ShelfService, createConnectTransport(options));
    await expect(client.listBooks({})).rejects.toMatchObject({ code: Code.Internal });
  }
  const message =
    "field shelf.v1.ListBooksResponse.books cannot be encoded: its value is not an array";
  expect(faults).toMatchObject(Array.from({ length: 4 }, () => ({ message })));
});

test("an overloaded that throws makes an internal error and one fault", async () => {
  let visits = 0;
  const { url, faults } = await startGateway({
    limits: { maxRequests: 1, maxStreams: 1 },
    requestGate() {
      visits += 1;
      return new Promise(() => {});
    },
    overloaded: fail,
  });
  const session = connectHttp2(url);
  for (const path of ["/v1/greetings/Ada", "/v1/scan"]) session.request({ ":path": path });
  await expect.poll(() => visits).toBe(2);
  expect(await codesAndMessages(url)).toEqual(internal);
  expect(faults).toEqual(Array.from({ length: callCount }, () => bug));
});

test("a callerOf that returns a promise makes an internal error and one fault, and takes no place in the queue", async () => {
  const opened = Promise.withResolvers<void>();
  let visits = 0;
  const callerOf = () => (visits < maxUndecided ? "a caller" : later());
  const { url, faults } = await startGateway({
    beforeGate: { callerOf, isAnonymous: () => false },
    requestGate() {
      visits += 1;
      return opened.promise;
    },
  });
  const get = (session: ClientHttp2Session) =>
    responseOf(session.request({ ":path": "/v1/greetings/Ada" }));
  const sessions = [connectHttp2(url), connectHttp2(url)] as const;
  const admitted = sessions.map((session) =>
    Array.from({ length: maxUndecided / 2 }, () => get(session)),
  );
  await expect.poll(() => visits).toBe(maxUndecided);
  const { headers } = await get(sessions[0]);
  expect([headers[":status"], faults]).toEqual([500, [expect.any(TypeError)]]);
  opened.resolve();
  const responses = await Promise.all(admitted.flat());
  expect(responses.filter((response) => response.headers[":status"] !== 200)).toEqual([]);
});

describe("a ConnectError with a code of no protocol is a fault", () => {
  test.each([0, 17, -1, 1.5, Number.NaN, "5", "NotFound", undefined])("%s", async (code) => {
    const wrong = Object.assign(new ConnectError("odd"), { code });
    const raise = () => {
      throw wrong;
    };
    for (const options of [
      { reply: raise },
      { requestGate: raise },
      { guards: { before: () => raise } },
      { guards: { error: () => () => wrong }, reply: notFound },
      { interceptors: [() => async () => raise()] },
    ]) {
      const { url, faults } = await startGateway(options);
      expect(await codesAndMessages(url)).toEqual(internal);
      expect(faults).toEqual(
        Array.from({ length: callCount }, () =>
          expect.objectContaining({
            message: `the code of a ConnectError must be an integer from 1 to 16, not ${code}`,
            cause: wrong,
          }),
        ),
      );
    }
  });
});

describe("an error that cannot be sent makes an internal error and one fault", () => {
  test.each<[string, () => ConnectError]>([
    ["a header with a control character", () => new ConnectError("", Code.NotFound, { a: "\x01" })],
    [
      "a header with a line break",
      () => callError("", Code.NotFound, { headers: { a: "b\r\nc: d" } }),
    ],
    ["a message that is not a text", () => Object.assign(new ConnectError(""), { rawMessage: 5 })],
  ])("%s", async (_, make) => {
    const { url, faults } = await startGateway({
      reply() {
        throw make();
      },
    });
    expect(await codesAndMessages(url)).toEqual(internal);
    expect(faults).toHaveLength(callCount);
  });

  test("a detail of the wrong type, which JSON over HTTP does not send", async () => {
    const value = { copies: "many" as unknown as bigint };
    const { url, faults } = await startGateway({
      reply() {
        throw new ConnectError("", Code.NotFound, undefined, [{ desc: BookSchema, value }]);
      },
    });
    const expected = Object.entries(everywhere("internal")).map(([name, code]) => [
      name,
      name.includes("JSON") ? "not_found" : code,
    ]);
    expect(each(await callAll(url), ({ code }) => code)).toEqual(Object.fromEntries(expected));
    expect(faults).toHaveLength(callCount - 4);
  });
});

test.each<[string, Partial<GatewayOptions>, Reply?]>([
  ["guards.error", { guards: { error: () => later } }],
  ["guards.isLong", { guards: { isLong: () => later } }, fail],
  ["policy", { policy: later }, fail],
  ["missingDetails and terms.kindOf", { missingDetails: later, terms: { kindOf: later } }],
  ["terms.reasonOf", { terms: { reasonOf: later } }],
])(
  "a %s that returns a promise makes an internal error and one fault",
  async (_, options, reply = notFound) => {
    const { url, faults } = await startGateway({ ...options, reply });
    expect(await codesAndMessages(url)).toEqual(internal);
    expect(faults).toEqual(Array.from({ length: callCount }, () => expect.any(TypeError)));
  },
);

test("what a probe sends after the end of its response is ignored", async () => {
  const twice: Handler = (response) => {
    response.writeHead(200, {}).end("once");
    response.write("more");
    response.end("again");
  };
  const { url, faults } = await startGateway({ probes: new Map([["/twice", twice]]) });
  const http1 = await fetch(`${url}/twice`).then((response) => response.text());
  const http2 = await responseOf(connectHttp2(url).request({ ":path": "/twice" }));
  expect([http1, http2.body, faults]).toEqual(["once", "once", []]);
});

test("what a probe returns is ignored unless it is a promise", async () => {
  const returning: Handler = (response) => response.writeHead(200, {}).end("alive") as never;
  const { url, faults } = await startGateway({ probes: new Map([["/livez", returning]]) });
  const http1 = await fetch(`${url}/livez`);
  const http2 = await responseOf(connectHttp2(url).request({ ":path": "/livez" }));
  expect(http1.headers.get("connection")).toBe("keep-alive");
  expect([await http1.text(), http2.body, faults]).toEqual(["alive", "alive", []]);
});

test("long calls that never settle leave room at their deadline, or when their clients disconnect", async () => {
  let begun = 0;
  const reply = () => {
    begun += 1;
    return new Promise<string>(() => {});
  };
  const { url } = await startGateway({ reply, guards: { isLong: () => () => true } });
  const call = (init: RequestInit) =>
    fetch(`${url}/v1/greetings/Ada`, init).then(({ status }) => status, String);
  stopTimers();
  // A round begins only if both calls of the round before have left.
  for (const round of [1, 2]) {
    const leaving = new AbortController();
    const calls = [call({ headers: { "grpc-timeout": "10S" } }), call(leaving)];
    await expect.poll(() => begun).toBe(2 * round);
    vi.advanceTimersByTime(10_000);
    leaving.abort();
    expect(await Promise.all(calls)).toEqual([504, expect.stringContaining("AbortError")]);
  }
});

test("an error after the first message that cannot be sent makes an internal error", async () => {
  const routes: GatewayOptions["routes"] = ({ rpc }) =>
    rpc(ShelfService.method.scan, async function* () {
      yield { book: { title: "first" } };
      throw new ConnectError("no such thing", Code.NotFound);
    });
  const { url, faults } = await startGateway({ routes, guards: { error: () => fail } });
  const sent = await codesAndMessages(url);
  for (const name in internal) {
    if (name.startsWith("stream")) expect(sent[name], name).toEqual(internal[name]);
  }
  expect(faults).toEqual(Array.from({ length: callCount / 2 }, () => bug));
});

describe("what is too long for headers and trailers of HTTP/2 makes an internal error and one fault", () => {
  const long = "x".repeat(66_000);
  test.each<[string, RegExp, Reply | ((context: HandlerContext) => void)]>([
    ["a header", /HTTP.2|gRPC$/, ({ responseHeader }) => responseHeader.set("x-a", long)],
    ["a trailer", /^unary, Connect, HTTP.2|gRPC$/, (call) => call.responseTrailer.set("x-a", long)],
    ["an error", /gRPC$/, () => Promise.reject(new ConnectError(long, Code.NotFound))],
  ])("%s", async (_, where, set) => {
    const { url, faults } = await startGateway({ reply: async (call) => (await set(call)) ?? "" });
    const sent = await codesAndMessages(url);
    const names = Object.keys(sent).filter((name) => where.test(name));
    for (const name of names) expect(sent[name], name).toEqual(internal[name]);
    expect(faults).toEqual(names.map(() => expect.any(RangeError)));
  });
});

describe("functions of the health checks that throw", () => {
  /** Returns the first status of a watch, which it cancels. */
  const watchOnce = async (url: string) => {
    const { watch } = createClient(Health, createGrpcTransport({ baseUrl: url }));
    const leaving = new AbortController();
    for await (const { status } of watch({}, { signal: leaving.signal })) {
      leaving.abort();
      return status;
    }
    return undefined;
  };

  test("a ping that never settles: the server is not serving", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const serving = isServing(() => new Promise(() => {}));
    vi.runAllTimers();
    expect(await serving).toBe(false);
  });

  test("a ping: the server is not serving", async () => {
    const health = { services: [], ping: fail };
    const { url, faults } = await startGateway({
      publicRoutes: healthRoutes({ ...health, intervalMs: 1 }),
      probes: healthHandlers(health),
    });
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    expect(await watchOnce(url)).toBe(HealthCheckResponse_ServingStatus.NOT_SERVING);
    expect(faults).toEqual([]);
  });

  test.each([
    ["returns", () => {}],
    ["throws", fail],
  ])(
    "the end of a watch is counted once, and the process goes on, if its function %s",
    async (_, end) => {
      const release = vi.fn(end);
      const { url } = await startGateway({
        publicRoutes: healthRoutes({ services: [], acquireWatch: () => release }),
      });
      await watchOnce(url);
      await expect.poll(() => release.mock.calls.length).toBeGreaterThan(0);
      expect(await watchOnce(url)).toBe(HealthCheckResponse_ServingStatus.SERVING);
      await expect.poll(() => release.mock.calls.length).toBeGreaterThan(1);
      expect((await fetch(`${url}/v1/greetings/Ada`)).status).toBe(200);
      expect(release).toHaveBeenCalledTimes(2);
    },
  );

  test("the error of a watch that is not read when the server stops: it ends the watch", async () => {
    const stopping = new AbortController();
    const routes = healthRoutes({ services: [], stopping: stopping.signal, stopped: fail });
    const watch = bindRoutes({ routes }).find(
      ({ desc }) => desc.name === "Watch",
    ) as StreamingMethod;
    const end = vi.fn();
    const { signal } = new AbortController();
    const values = createContextValues().set(requestKey, { ...requestKey.defaultValue, end });
    const responses = watch.invoke(create(HealthCheckRequestSchema), {
      signal,
      values,
    } as HandlerContext);
    const iterator = responses[Symbol.asyncIterator]();
    await iterator.next();
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    stopping.abort();
    vi.runAllTimers();
    expect(end.mock.calls).toEqual([[bug]]);
    await iterator.return?.();
  });
});

describe("an observer that fails changes no response, and onFault gets its error", () => {
  const observers = ["onRequest", "onRequestEnd"] as const;
  test.each(observers)("%s", async (name) => {
    for (const observer of [fail, async () => fail()]) {
      const { url, faults } = await startGateway({ [name]: observer });
      expect(await codesAndMessages(url)).toEqual(everywhere({ code: "ok", message: "hello" }));
      await expect.poll(() => faults).toEqual(Array.from({ length: callCount }, () => bug));
    }
  });

  test("onConnectionDropped", async () => {
    const { url, faults } = await startGateway({
      limits: { maxConnectionsPerAddress: 1 },
      onConnectionDropped: async () => fail(),
    });
    const first = await connectHttp1(Number(new URL(url).port));
    const second = await connectHttp1(Number(new URL(url).port));
    await second.closed();
    first.socket.write("GET /v1/greetings/Ada HTTP/1.1\r\nHost: test\r\n\r\n");
    expect((await first.response()).status).toBe(200);
    expect(faults).toEqual([bug]);
  });

  test("onFault itself, whose error is written with console.error", async () => {
    const written = vi.spyOn(console, "error").mockReturnValue();
    onTestFinished(() => written.mockRestore());
    const second = new TypeError("another bug");
    const failAgain = () => {
      throw second;
    };
    for (const onFault of [failAgain, async () => failAgain()]) {
      written.mockClear();
      const { url } = await startGateway({ onFault, reply: fail });
      expect(await codesAndMessages(url)).toEqual(internal);
      const call = ["onFault failed:", second, "with:", bug];
      await expect
        .poll(() => written.mock.calls)
        .toEqual(Array.from({ length: callCount }, () => call));
    }
  });
});
