import type { ClientHttp2Session } from "node:http2";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { callError } from "../../src/call/call-error.ts";
import type { GatewayOptions } from "../../src/server/gateway.ts";
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
import { connectHttp2, responseOf } from "./support/http2-client.ts";

const bug = new TypeError("a bug");
const fail = (): never => {
  throw bug;
};
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

test("a callerOf that throws makes an internal error and one fault, and takes no place in the queue", async () => {
  const opened = Promise.withResolvers<void>();
  let visits = 0;
  const callerOf = () => (visits < maxUndecided ? "a caller" : fail());
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
  expect([headers[":status"], faults]).toEqual([500, [bug]]);
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

describe("an observer that fails changes no response, and onFault gets its error", () => {
  const observers = ["onRequest", "onRequestEnd"] as const;
  test.each(observers)("%s", async (name) => {
    for (const observer of [fail, async () => fail()]) {
      const { url, faults } = await startGateway({ [name]: observer });
      expect(await codesAndMessages(url)).toEqual(everywhere({ code: "ok", message: "hello" }));
      await expect.poll(() => faults).toEqual(Array.from({ length: callCount }, () => bug));
    }
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
