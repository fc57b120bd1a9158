import { once } from "node:events";
import { BlockList, connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { createRegistry } from "@bufbuild/protobuf";
import type { ConnectRouter } from "@connectrpc/connect";
import { describe, expect, onTestFinished, test } from "vitest";
import { createJsonCodec } from "../../src/rest/json/codec.ts";
import { protoJsonStyle } from "../../src/rest/json/style.ts";
import { type HealthOptions, healthHandlers, healthRoutes } from "../../src/rpc/health.ts";
import { createGateway } from "../../src/server/gateway.ts";
import type { GatewayLimits, GatewayOptions } from "../../src/server/gateway-options.ts";
import { GreetService } from "../gen/shelf/v1/greet_pb.ts";
import { ShelfService } from "../gen/shelf/v1/shelf_pb.ts";
import { withRule } from "../rest/support/methods.ts";
import { selfSigned } from "./support/certificate.ts";

const routes: GatewayOptions["routes"] = ({ service }) =>
  service(GreetService, { greet: ({ name }) => ({ text: name }) });

const create = (options: object) => createGateway({ routes, ...options });

const later = async () => {
  throw new Error("later");
};

const handlers = "must be a Map of functions by paths that begin with / and are percent-encoded";

const longest = 2 ** 31 - 1;

/** Waits until timers of 1 ms have ended, which node makes of longer delays than the longest. */
const afterShortestTimer = () => new Promise((resolve) => setTimeout(resolve, 2));

describe("createGateway", () => {
  test("takes all of its options", () => {
    const limits: Required<GatewayLimits> = {
      headersTimeoutMs: longest,
      requestTimeoutMs: longest,
      keepAliveTimeoutMs: longest,
      sendTimeoutMs: longest,
      maxConnections: 2 ** 40,
      maxConnectionsPerAddress: 1,
      maxHeaderBytes: 1,
      maxRequests: 1,
      maxStreams: 1,
      unread: { maxBytes: 2 ** 40, maxBytesPerAddress: 1 },
      age: { maxMs: longest, graceMs: longest, ended() {} },
    };
    const json = createJsonCodec(protoJsonStyle);
    const options: Required<GatewayOptions> = {
      routes,
      publicRoutes() {},
      guards: { before() {}, message() {}, around() {}, isLong() {}, error() {} } as never,
      interceptors: [],
      requestGate() {},
      beforeGate: { callerOf: () => 1, isAnonymous: () => false },
      readMaxBytes: 2 ** 32 - 1,
      annotations: { boundsOf: () => undefined },
      registry: createRegistry(),
      json: { http: json, rpc: json },
      policy: () => undefined,
      probes: new Map(),
      documents: () => new Map(),
      cors: { origins: ["*"], requestHeaders: [], responseHeaders: [] },
      trustedProxies: new BlockList(),
      limits,
      tls: selfSigned(),
      terms: { kindOf: () => undefined, reasonOf: () => "", registry: createRegistry() },
      fieldInvalid: () => new Error() as never,
      missingDetails: () => [],
      overloaded: () => new Error() as never,
      noRoom: () => new Error() as never,
      onFault() {},
      onRequest() {},
      onRequestEnd() {},
      onConnectionDropped() {},
    };
    expect(() => createGateway(options)).not.toThrow();
    const absent = Object.fromEntries(Object.keys(options).map((name) => [name, undefined]));
    expect(() => create({ ...absent, routes, limits: { age: undefined } })).not.toThrow();
  });

  test.each([
    [{ requestgate() {} }, "There is no option requestgate. Did you mean requestGate?"],
    [{ guard: {} }, "There is no option guard. Did you mean guards?"],
    [{ roots: 1 }, "There is no option roots. Remove it."],
    [{ guards: { befroe() {} } }, "There is no option guards.befroe. Did you mean guards.before?"],
    [{ limits: { maxRequest: 1 } }, "option limits.maxRequest. Did you mean limits.maxRequests?"],
    [{ limits: { unread: { maxBites: 1 } } }, "Did you mean limits.unread.maxBytes?"],
    [{ cors: { origins: [], orijins: [] } }, "Did you mean cors.origins?"],
    [{ tls: { cert: "a", key: "b", keys: "" } }, "Did you mean tls.key?"],
    [{ toString() {} }, "There is no option toString. Remove it."],
  ])("refuses the unknown option in %j", (options, message) => {
    expect(() => create(options)).toThrow(TypeError);
    expect(() => create(options)).toThrow(message);
  });

  test.each([
    [{ routes: undefined }, "routes must be a function"],
    [{ requestGate: {} }, "requestGate must be a function"],
    [{ guards: null }, "guards must be an object"],
    [{ beforeGate: { callerOf() {} } }, "beforeGate.isAnonymous must be a function"],
    [{ probes: {} }, `probes ${handlers}`],
    [{ probes: new Map([["livez", () => {}]]) }, `probes ${handlers}`],
    [{ probes: new Map([["/a b", () => {}]]) }, `probes ${handlers}`],
    [{ probes: new Map([["/é", () => {}]]) }, `probes ${handlers}`],
    [{ documents: () => new Map([["/a?b", () => {}]]) }, `the result of documents ${handlers}`],
    [
      { documents: () => new Map([["/openapi.json", "{}"]]) },
      `the result of documents ${handlers}`,
    ],
    [{ interceptors: [undefined] }, "interceptors must be an array of functions"],
    [{ cors: { origins: "*" } }, "cors.origins must be an array of strings"],
    [{ cors: {} }, "cors.origins must be an array of strings"],
    [
      { cors: { origins: [], requestHeaders: ["x\ny"] } },
      "cors.requestHeaders must be an array of names of headers",
    ],
    [{ registry: {} }, "registry must be a registry, such as of createRegistry"],
    [{ json: { http: {} } }, "json.http must be a codec of createJsonCodec"],
    [{ trustedProxies: ["::1"] }, "trustedProxies must be a BlockList"],
    [{ limits: 5 }, "limits must be an object"],
    [{ routes: later }, "routes must not return a promise"],
    [{ publicRoutes: later }, "publicRoutes must not return a promise"],
    [{ documents: later }, "documents must not return a promise"],
    [{ readMaxBytes: later }, "readMaxBytes must not return a promise"],
    [{ guards: { before: later } }, "guards.before must not return a promise"],
    [{ guards: { error: () => 5 } }, "guards.error must return a function"],
    [{ interceptors: [() => {}] }, "interceptors must return a function"],
    [{ tls: null }, "tls must be an object"],
  ])("refuses %j", (options, message) => {
    expect(() => create(options)).toThrow(new TypeError(message));
  });

  const greeting = new Map([["/shelf.v1.GreetService/Greet", () => {}]]);
  const count = new Map([["/v1/books:count", () => {}]]);
  const { getBook, countBooks } = ShelfService.method;
  const rule = withRule(getBook, {
    pattern: { case: "get", value: "/shelf.v1.ShelfService/CountBooks" },
  });
  const withRules: GatewayOptions["routes"] = ({ rpc }) => {
    rpc(countBooks, () => ({}));
    rpc(rule, () => ({}));
  };
  const counting: GatewayOptions["routes"] = ({ rpc }) => rpc(countBooks, () => ({}));

  test.each<[object, string]>([
    [
      { routes: withRules },
      "an HTTP rule of shelf.v1.ShelfService.GetBook and rpc shelf.v1.ShelfService.CountBooks",
    ],
    [{ probes: greeting }, "a probe and rpc shelf.v1.GreetService.Greet"],
    [{ documents: () => greeting }, "a document and rpc shelf.v1.GreetService.Greet"],
    [{ probes: count, documents: () => count }, "a document and a probe"],
    [
      { routes: counting, documents: () => count },
      "a document and an HTTP rule of shelf.v1.ShelfService.CountBooks",
    ],
  ])("refuses %j, of which one is never reached", (options, message) => {
    expect(() => create(options)).toThrow(`${message} both have the path /`);
  });

  test.each(["isRpcOnly", "boundsOf", "isEventId"])("refuses an async annotations.%s", (name) => {
    const message = `annotations.${name} must not return a promise`;
    expect(() => create({ annotations: { [name]: later } })).toThrow(message);
  });

  const times = [
    "headersTimeoutMs",
    "requestTimeoutMs",
    "keepAliveTimeoutMs",
    "sendTimeoutMs",
    "age.maxMs",
    "age.graceMs",
  ];
  const sizes = [
    "maxConnections",
    "maxConnectionsPerAddress",
    "maxHeaderBytes",
    "maxRequests",
    "maxStreams",
    "unread.maxBytes",
    "unread.maxBytesPerAddress",
  ];
  const given = {
    age: { maxMs: 1, graceMs: 1, ended() {} },
    unread: { maxBytes: 1, maxBytesPerAddress: 1 },
  };

  test.each([...times, ...sizes])("refuses limits.%s out of range", (path) => {
    const [group = "", name] = path.split(".");
    const most = times.includes(path) ? [longest + 1] : [];
    for (const value of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1.5, "10", 10n, ...most]) {
      const limits = name
        ? { [group]: { ...given[group as keyof typeof given], [name]: value } }
        : { [group]: value };
      expect(() => create({ limits })).toThrow(RangeError);
      expect(() => create({ limits })).toThrow(
        new RegExp(`^limits\\.${path} must be an integer between 1 and \\d+, not "?${value}"?$`),
      );
    }
  });

  test("refuses less time for a whole request than for its headers", () => {
    const range = "limits.headersTimeoutMs must be at most limits.requestTimeoutMs";
    expect(() => create({ limits: { headersTimeoutMs: 30_001 } })).toThrow(
      new RangeError(`${range}, which is 30000, not 30001`),
    );
    expect(() => create({ limits: { requestTimeoutMs: 9_999 } })).toThrow(
      new RangeError(`${range}, which is 9999, not 10000`),
    );
  });

  test.each([undefined, null, "greet"])("refuses %j as an implementation", (implementation) => {
    const wrong = implementation as never;
    expect(() => create({ routes: (r: ConnectRouter) => r.service(GreetService, wrong) })).toThrow(
      new TypeError("the implementation of service shelf.v1.GreetService must be an object"),
    );
    expect(() =>
      create({ routes: (r: ConnectRouter) => r.rpc(GreetService.method.greet, wrong) }),
    ).toThrow(
      new TypeError("the implementation of rpc shelf.v1.GreetService.Greet must be a function"),
    );
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 32])(
    "refuses %s as readMaxBytes of the gateway, of a method, or of a route",
    (readMaxBytes) => {
      const range = `must be an integer between 1 and 4294967295, not ${readMaxBytes}`;
      expect(() => create({ readMaxBytes })).toThrow(new RangeError(`readMaxBytes ${range}`));
      const method = "rpc shelf.v1.GreetService.Greet";
      const ofMethod = new RangeError(`readMaxBytes of ${method} ${range}`);
      expect(() => create({ readMaxBytes: () => readMaxBytes })).toThrow(ofMethod);
      const ofRoute = ({ service }: ConnectRouter) =>
        void service(GreetService, {}, { readMaxBytes });
      expect(() => create({ routes: ofRoute })).toThrow(ofMethod);
      expect(() => create({ routes() {}, publicRoutes: ofRoute })).toThrow(ofMethod);
    },
  );
});

test.each([
  [{ services: [], intervalMs: Number.NaN }, RangeError, "intervalMs must be an integer between"],
  [{ services: [], stoping: 1 }, TypeError, "There is no option stoping. Did you mean stopping?"],
  [{}, TypeError, "services must be an array of strings"],
  [undefined, TypeError, "options must be an object"],
] as const)("healthRoutes and healthHandlers refuse %j", (options, kind, message) => {
  const given = options as unknown as HealthOptions;
  const register = () => healthRoutes(given);
  if (!message.startsWith("services")) expect(() => healthHandlers(given)).toThrow(message);
  expect(register).toThrow(kind);
  expect(register).toThrow(message);
});

describe("a certificate", () => {
  const tls = selfSigned();
  const empty = [
    [{ ...tls, cert: "" }, "tls.cert"],
    [{ ...tls, cert: Buffer.alloc(0) }, "tls.cert"],
    [{ ...tls, key: "" }, "tls.key"],
    [{ ...tls, key: Buffer.alloc(0) }, "tls.key"],
    [{ cert: tls.cert }, "tls.key"],
    [{ ...tls, cert: [tls.cert] }, "tls.cert"],
    [{}, "tls.cert"],
  ] as const;

  test.each(empty)("of %j is refused at start", (identity, name) => {
    const message = `${name} must be a string or a Buffer in PEM that is not empty`;
    expect(() => create({ tls: identity })).toThrow(new TypeError(message));
  });

  test("that is refused later leaves the previous one", async () => {
    const gateway = create({ tls });
    onTestFinished(() => gateway.drain(0));
    const { port } = await gateway.listen(0, "127.0.0.1");
    for (const [identity, name] of empty) {
      expect(() => gateway.setTls(identity as never)).toThrow(`${name} must be`);
    }
    expect(() => gateway.setTls({ ...tls, key: selfSigned().key })).toThrow();
    const socket = connectTls({ port, host: "127.0.0.1", ca: tls.cert, checkServerIdentity() {} });
    await once(socket, "secureConnect");
    socket.destroy();
  });
});

describe("listen", () => {
  test.each([-1, 65_536, 1.5, Number.NaN, "80", undefined])("refuses port %s", async (port) => {
    const listening = create({}).listen(port as number);
    await expect(listening).rejects.toThrow(RangeError);
    await expect(listening).rejects.toThrow(/^port must be an integer between 0 and 65535, not /);
  });

  test("refuses an empty host, which would be all addresses", async () => {
    await expect(create({}).listen(0, "")).rejects.toThrow("host must be an address");
  });

  test("refuses a second call, but not one after a failure", async () => {
    const [gateway, other] = [create({}), create({})];
    onTestFinished(() => other.drain(0));
    const { port } = await other.listen(0, "127.0.0.1");
    await expect(gateway.listen(port, "127.0.0.1")).rejects.toThrow("EADDRINUSE");
    const listening = gateway.listen(0, "127.0.0.1");
    await expect(gateway.listen(0, "127.0.0.1")).rejects.toThrow("listen was called already");
    expect((await listening).port).toBeGreaterThan(0);
    await expect(gateway.listen(0)).rejects.toThrow("listen was called already");
    await gateway.drain(0);
    await expect(gateway.listen(0)).rejects.toThrow("listen cannot be called after drain");
  });

  test.each(["127.0.0.1", undefined])("rejects when drain cuts it (host %s)", async (host) => {
    const gateway = create({});
    const cut = expect(gateway.listen(0, host)).rejects.toThrow("drain was called before");
    await gateway.drain(0);
    await cut;
  });
});

describe("drain", () => {
  /** Starts a gateway with an open request, which `respond` ends. */
  async function startBusy() {
    let respond = () => {};
    const gateway = create({
      routes: ({ service }: ConnectRouter) =>
        service(GreetService, {
          greet: () =>
            new Promise((resolve) => {
              respond = () => resolve({ text: "done" });
              begun();
            }),
        }),
    });
    let begun = () => {};
    const began = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const { url } = await gateway.listen(0, "127.0.0.1");
    const response = fetch(`${url}/v1/greetings/Ada`);
    await began;
    return { gateway, response, respond: () => respond() };
  }

  test.each([Number.NaN, -1, undefined, "soon"])("refuses %s, and goes on", async (graceMs) => {
    const { gateway, response, respond } = await startBusy();
    expect(() => gateway.drain(graceMs as number)).toThrow(
      new RangeError(`graceMs must be at least 0, or Infinity to wait for all, not ${graceMs}`),
    );
    respond();
    expect(await (await response).json()).toEqual({ text: "done" });
    await gateway.drain(0);
  });

  test.each([Number.POSITIVE_INFINITY, longest + 1])(
    "waits for requests for %s ms",
    async (graceMs) => {
      const { gateway, response, respond } = await startBusy();
      const drained = gateway.drain(graceMs);
      // A timer of 1 ms would end before this one.
      await afterShortestTimer();
      respond();
      expect(await (await response).json()).toEqual({ text: "done" });
      await drained;
    },
  );
});

test("connections of the longest age stay open", async () => {
  const gateway = create({ limits: { age: { maxMs: longest, graceMs: longest, ended() {} } } });
  onTestFinished(() => gateway.drain(0));
  const { port } = await gateway.listen(0, "127.0.0.1");
  // Half of the ages are longer than the longest, because they vary.
  const sockets = Array.from({ length: 20 }, () => connect(port, "127.0.0.1"));
  for (const socket of sockets) socket.write("GET /v1/greetings/Ada HTTP/1.1\r\nhost: a\r\n\r\n");
  const responses = await Promise.all(sockets.map((socket) => once(socket, "data")));
  await afterShortestTimer();
  for (const socket of sockets) socket.write("GET /v1/greetings/Bob HTTP/1.1\r\nhost: a\r\n\r\n");
  const again = await Promise.all(sockets.map((socket) => once(socket, "data")));
  for (const [data] of [...responses, ...again])
    expect(`${data}`).not.toMatch(/connection: close/i);
});
