import { fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  type CallOptions,
  Code,
  ConnectError,
  createClient,
  type HandlerContext,
} from "@connectrpc/connect";
import { Client, credentials, type ServiceError } from "@grpc/grpc-js";
import { describe, expect, onTestFinished, test } from "vitest";
import { callError } from "../../src/call/call-error.ts";
import type { GatewayOptions } from "../../src/server/gateway-options.ts";
import { GreetRequestSchema, GreetResponseSchema, GreetService } from "../gen/shelf/v1/greet_pb.ts";
import { ShelfService } from "../gen/shelf/v1/shelf_pb.ts";
import { protocols } from "../rpc/support.ts";
import {
  callAll,
  each,
  everywhere,
  type Outcome,
  type Reply,
  startGateway,
} from "./support/call-all.ts";
import { connectHttp1 } from "./support/http1-client.ts";
import { connectHttp2, responseOf } from "./support/http2-client.ts";

/** Headers that a service may not set, with values that would break a response. */
const reserved: Readonly<Record<string, string>> = {
  connection: "close",
  "keep-alive": "timeout=7777",
  "proxy-connection": "close",
  te: "gzip",
  trailer: "x-other",
  "transfer-encoding": "gzip, chunked",
  upgrade: "websocket",
  "http2-settings": "AAMAAABkAAQAAP__",
  "content-encoding": "gzip",
  "content-length": "1",
  "content-type": "text/csv",
  "accept-encoding": "bad",
  "connect-accept-encoding": "bad",
  "connect-content-encoding": "gzip",
  "connect-protocol-version": "7777",
  "connect-timeout-ms": "7777",
  "grpc-accept-encoding": "bad",
  "grpc-encoding": "gzip",
  "grpc-timeout": "7777n",
  "grpc-status": "7",
  "grpc-message": "bad",
  "grpc-status-details-bin": "CAc",
  date: "bad",
  host: "bad",
  "user-agent": "bad",
};

const notFound = (metadata?: Record<string, string>) =>
  new ConnectError("no such thing", Code.NotFound, metadata);

/** Returns the reserved headers that have come through, and the header that is not reserved. */
function taken({ code, message, headers }: Outcome) {
  const found = Object.entries(reserved).filter(([name, value]) => headers.get(name) === value);
  return { code, message, found, own: headers.get("x-own") };
}

function setAll(headers: Headers): void {
  for (const name in reserved) headers.set(name.toUpperCase(), reserved[name] as string);
  headers.set("X-Own", "yes");
}

const setHeaders = ({ responseHeader }: Pick<HandlerContext, "responseHeader">) =>
  setAll(responseHeader);
const setTrailers = ({ responseTrailer }: HandlerContext) => setAll(responseTrailer);

/** Makes an implementation that sets headers or trailers before its response. */
const respondAfter = (set: typeof setTrailers) => (context: HandlerContext) => {
  set(context);
  return "hello";
};

/** Makes an implementation or a gate that sets headers or trailers before its error. */
function failAfter<Context>(set: (context: Context) => void) {
  return (context: Context): never => {
    set(context);
    throw notFound();
  };
}

const ok = { code: "ok", message: "hello", found: [], own: "yes" };
const failed = { code: "not_found", message: "no such thing", found: [], own: "yes" };

/** Trailers are not sent in JSON over HTTP. */
const inTrailers = (outcome: typeof ok | typeof failed) =>
  Object.fromEntries(
    Object.entries(everywhere(outcome)).map(([name, expected]) => [
      name,
      name.includes("JSON") ? { ...expected, own: null } : expected,
    ]),
  );

describe("headers of the connection and of the protocols cannot be set", () => {
  const throws = (error: () => ConnectError) => (): never => {
    throw error();
  };
  const withMetadata = () => notFound({ ...reserved, "x-own": "yes" });
  const fromRecord = () =>
    callError("no such thing", Code.NotFound, { headers: { ...reserved, "x-own": "yes" } });
  test.each<[string, Partial<GatewayOptions> & { reply?: Reply }, Record<string, unknown>]>([
    ["by the headers of a response", { reply: respondAfter(setHeaders) }, everywhere(ok)],
    ["by the headers before an error", { reply: failAfter(setHeaders) }, everywhere(failed)],
    ["by the trailers of a response", { reply: respondAfter(setTrailers) }, inTrailers(ok)],
    ["by the trailers before an error", { reply: failAfter(setTrailers) }, inTrailers(failed)],
    ["by the metadata of an error", { reply: throws(withMetadata) }, everywhere(failed)],
    ["by the headers of a callError", { reply: throws(fromRecord) }, everywhere(failed)],
    [
      "by the metadata of a gate's error",
      { requestGate: throws(withMetadata) },
      everywhere(failed),
    ],
    ["by the headers of a gate", { requestGate: setHeaders }, everywhere(ok)],
    [
      "by the headers of a gate before an error",
      { requestGate: failAfter(setHeaders) },
      everywhere(failed),
    ],
  ])("%s", async (_, options, expected) => {
    const { url, faults } = await startGateway(options);
    expect(each(await callAll(url), taken)).toEqual(expected);
    expect(faults).toEqual([]);
  });

  const headers = { ...reserved, "X-Own": "yes" };
  const refusal = { status: 410, reason: "GONE", code: "gone", message: "It ended.", headers };
  test.each([
    ["a policy", { headers }, ok],
    ["the refusal of a policy", { headers: {}, refusal }, { ...failed, ...refusal }],
  ])("by %s", async (_, policy, { code, message, found, own }) => {
    const { url } = await startGateway({ policy: () => policy });
    for (const [name, outcome] of Object.entries(await callAll(url))) {
      if (!name.includes("JSON")) continue;
      expect(taken(outcome), name).toEqual({ code, message, found, own });
    }
  });

  test("over HTTP/1.1, where the connection stays in use", async () => {
    const { url } = await startGateway({ reply: respondAfter(setHeaders) });
    const get = "GET /v1/greetings/Ada HTTP/1.1\r\nHost: test\r\n\r\n";
    const client = await connectHttp1(Number(new URL(url).port), get + get);
    for (const response of [await client.response(), await client.response()]) {
      expect(response.body).toBe('{"text":"hello"}');
      expect(response.headers.get("transfer-encoding")).toBeUndefined();
      expect(response.headers.get("connection")).toBe("keep-alive");
    }
  });

  test("in gRPC, for clients of grpc-js", async () => {
    const { url } = await startGateway({
      reply({ responseHeader, responseTrailer }) {
        setAll(responseHeader);
        setAll(responseTrailer);
        throw notFound({ ...reserved, "x-own": "yes" });
      },
    });
    const error = await callGrpcJs(url).catch((reason: ServiceError) => reason);
    expect(error).toMatchObject({ code: 5, details: "no such thing" });
    expect((error as ServiceError).metadata.get("x-own")).toContain("yes, yes");
  });
});

test("an error adds to Vary, and takes no protection from the response", async () => {
  const metadata = { vary: "x-tenant", "x-content-type-options": "" };
  const reply = () => {
    throw new ConnectError("no such thing", Code.NotFound, metadata);
  };
  const origin = "https://a.example";
  const { url } = await startGateway({ reply, cors: { origins: [origin] } });
  const post = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
  for (const [path, init] of [
    ["/v1/greetings/Ada", { headers: {} }],
    ["/shelf.v1.GreetService/Greet", post],
  ] as const) {
    const { headers } = await fetch(url + path, { ...init, headers: { ...init.headers, origin } });
    expect(headers.get("vary")).toBe("Origin, x-tenant");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  }
});

const cookies = ["a=b; Expires=Wed, 01 Jan 2031 00:00:00 GMT", "c=d"] as const;

test.each<[what: string, reply: Reply]>([
  [
    "an error",
    () => {
      const metadata = cookies.map((cookie): [string, string] => ["set-cookie", cookie]);
      throw new ConnectError("no such thing", Code.NotFound, metadata);
    },
  ],
  [
    "a response",
    ({ responseHeader }) => {
      for (const cookie of cookies) responseHeader.append("set-cookie", cookie);
      return "hello";
    },
  ],
  [
    "what follows a response",
    ({ responseHeader, responseTrailer }) => {
      responseHeader.set("set-cookie", "first");
      for (const cookie of ["old", "older"]) responseHeader.append("set-cookie", cookie);
      responseHeader.delete("set-cookie");
      for (const cookie of cookies) {
        responseHeader.append("set-cookie", cookie);
        responseTrailer.append("set-cookie", cookie);
      }
      return "hello";
    },
  ],
  [
    "a response and its error",
    ({ responseHeader }) => {
      responseHeader.append("set-cookie", "old");
      responseHeader.append("set-cookie", "older");
      responseHeader.set("set-cookie", cookies[0]);
      throw new ConnectError("no such thing", Code.NotFound, { "set-cookie": cookies[1] });
    },
  ],
])("each cookie of %s is a header of its own", async (_, reply) => {
  const { url } = await startGateway({ reply });
  const { headers } = await fetch(`${url}/v1/greetings/Ada`);
  expect(headers.getSetCookie()).toEqual(cookies);
  const request = connectHttp2(url).request({ ":path": "/v1/greetings/Ada" });
  expect((await responseOf(request)).headers["set-cookie"]).toEqual(cookies);
  for (const [name, open] of protocols) {
    const { greet } = createClient(GreetService, open(url));
    const { scan } = createClient(ShelfService, open(url));
    const calls = [
      (o: CallOptions) => greet({}, o),
      (o: CallOptions) => Array.fromAsync(scan({}, o)),
    ];
    for (const call of calls) {
      const found: string[][] = [];
      await call({ onHeader: (received) => void found.push(received.getSetCookie()) }).catch(
        (error) => found.push(ConnectError.from(error).metadata.getSetCookie()),
      );
      expect(new Set(found.flat()), name).toEqual(new Set(cookies));
    }
  }
});

/** Calls Greet with a client of grpc-js. */
function callGrpcJs(url: string): Promise<string> {
  const client = new Client(new URL(url).host, credentials.createInsecure());
  onTestFinished(() => client.close());
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      `/${GreetService.typeName}/Greet`,
      ({ name }: { name: string }) =>
        Buffer.from(
          toBinary(GreetRequestSchema, { $typeName: "shelf.v1.GreetRequest", name, repeat: 0 }),
        ),
      (bytes) => fromBinary(GreetResponseSchema, bytes).text,
      { name: "Ada" },
      (error, text) => (error ? reject(error) : resolve(text ?? "")),
    );
  });
}

test("a service cannot delete headers of the protocols, such as that of the compression", async () => {
  const message = "hello".repeat(1_000);
  const reply = ({ responseHeader }: HandlerContext) => {
    for (const name of [...responseHeader.keys(), "connection"]) responseHeader.delete(name);
    return message;
  };
  const { url } = await startGateway({ reply });
  const codesAndMessages = each(await callAll(url), ({ code, message }) => ({ code, message }));
  expect(codesAndMessages).toEqual(everywhere({ code: "ok", message }));
  expect(await callGrpcJs(url)).toBe(message);
});

describe("an error of another server is passed on without its headers, as with Connect", () => {
  const detail = { desc: GreetResponseSchema, value: { text: "why" } };
  test.each(protocols)("%s", async (_, open) => {
    const upstream = await startGateway({
      reply({ responseHeader, responseTrailer }) {
        responseHeader.set("x-header", "private");
        responseTrailer.set("x-trailer", "private");
        throw new ConnectError("full", Code.ResourceExhausted, { "retry-after": "3" }, [detail]);
      },
    });
    const { greet } = createClient(GreetService, open(upstream.url));
    const { url, faults } = await startGateway({ reply: async () => (await greet({})).text });
    const outcomes = each(await callAll(url), ({ code, message, headers }) => ({
      code,
      message,
      headers: ["x-header", "x-trailer", "retry-after"].filter((name) => headers.has(name)),
    }));
    expect(outcomes).toEqual(
      everywhere({ code: "resource_exhausted", message: "full", headers: [] }),
    );
    expect(faults).toEqual([]);
    for (const [name, transport] of protocols) {
      const error = await createClient(GreetService, transport(url))
        .greet({})
        .catch((reason: unknown) => ConnectError.from(reason));
      const details = error instanceof ConnectError && error.findDetails(GreetResponseSchema);
      expect(details, name).toMatchObject([detail.value]);
    }
  });
});
