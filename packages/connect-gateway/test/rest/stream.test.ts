import { setTimeout as sleep } from "node:timers/promises";
import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import { describe, expect, test, vi } from "vitest";
import { stopTimers } from "../../../../test/support/stop-timers.ts";
import { ShelfService } from "../gen/shelf/v1/shelf_pb.ts";
import { protocols, sendOnce } from "./support/clients.ts";
import { streaming } from "./support/methods.ts";
import { frontDoor, shelfTranscoder } from "./support/shelf.ts";

const rpc = ShelfService.method;
const book = (title: string) => ({ book: { title } }) as never;
const json = (title: string) => `{"name":"","title":"${title}","copies":0,"tags":[]}`;

type Scan = (request: { limit: number }, call: HandlerContext) => AsyncIterable<never>;

async function* some(...titles: string[]) {
  for (const title of titles) yield book(title);
}

async function* failing(count: number, error: unknown): AsyncGenerator<never> {
  for (let index = 0; index < count; index++) yield book(`${index}`);
  throw error;
}

describe.each(protocols)("%s", (_, serve) => {
  const faults: unknown[] = [];

  function send(method: string, path: string, scan: Scan, headers: Record<string, string> = {}) {
    faults.length = 0;
    const transcoder = shelfTranscoder({
      methods: [streaming(rpc.scan, scan)],
      onFault: (error) => faults.push(error),
      policy: () => ({ headers: { sunset: "x" } }),
    });
    return sendOnce(serve, frontDoor(transcoder), method, path, { headers });
  }

  const scan = (method: Scan, accept?: string) =>
    send("GET", "/v1/scan", method, accept === undefined ? {} : { accept });

  describe("messages", () => {
    test.each([
      [undefined, "application/json", `[${json("a")},${json("b")}]`],
      ["application/x-ndjson", "application/x-ndjson", `${json("a")}\n${json("b")}\n`],
      [
        "text/event-stream",
        "text/event-stream",
        `data: ${json("a")}\n\ndata: ${json("b")}\n\nevent: end\ndata:\n\n`,
      ],
    ])("for Accept %s", async (accept, type, body) => {
      const reply = await scan(() => some("a", "b"), accept);
      expect(reply).toMatchObject({ status: 200, body });
      expect(reply.headers).toMatchObject({
        "content-type": type,
        vary: "accept",
        sunset: "x",
        "cache-control": "no-store",
        "x-ratelimit-limit": "60",
      });
    });

    test.each([
      [undefined, "[]"],
      ["application/x-ndjson", ""],
      ["text/event-stream", "event: end\ndata:\n\n"],
    ])("an empty stream, for Accept %s", async (accept, body) => {
      expect(await scan(() => some(), accept)).toMatchObject({ status: 200, body });
    });

    test("whole responses, if the rule has no response_body", async () => {
      const reply = await send("GET", "/v1/scan:whole", () => some("a"));
      expect(reply.body).toBe(`[{"book":${json("a")}}]`);
    });

    test("HEAD gets only the headers, and the stream is closed", async () => {
      let calls = 0;
      const reply = await send("HEAD", "/v1/scan", async function* () {
        for (const title of ["a", "b", "c"]) {
          calls++;
          yield book(title);
        }
      });
      expect(reply).toMatchObject({ status: 200, body: "" });
      expect(reply.headers["content-type"]).toBe("application/json");
      expect(calls).toBe(1);
    });

    test("HEAD does not wait for the first message, and ends the call", async () => {
      const ended = Promise.withResolvers<void>();
      const waiting = async function* (_: unknown, { signal }: HandlerContext) {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        ended.resolve();
        yield* some();
      };
      const reply = await send("HEAD", "/v1/scan", waiting);
      expect(reply).toMatchObject({ status: 200, body: "" });
      expect(reply.headers["content-type"]).toBe("application/json");
      await ended.promise;
    });

    test("larger than the send buffer", async () => {
      const large = "x".repeat(200_000);
      const reply = await scan(() => some(large, large, large));
      expect(JSON.parse(reply.body)).toMatchObject([
        { title: large },
        { title: large },
        { title: large },
      ]);
    });

    test("a complete stream does not abort the signal", async () => {
      let signal: AbortSignal | undefined;
      await scan((_, call) => {
        signal = call.signal;
        return some("a");
      });
      expect(signal?.aborted).toBe(false);
    });

    test("headers that the method sets before the first message", async () => {
      const reply = await scan((_, call) => {
        call.responseHeader.set("X-Total", "7");
        return some("a");
      });
      expect(reply.headers["x-total"]).toBe("7");
    });
  });

  describe("an error", () => {
    const gone = new ConnectError("gone wrong", Code.Unavailable);
    const errorJson = '{"code":"unavailable","message":"gone wrong","status":503}';

    test("before the first message is an ordinary error response", async () => {
      const reply = await scan(() => failing(0, gone));
      expect(reply).toMatchObject({ status: 503, body: errorJson });
      expect(faults).toEqual([]);
    });

    test.each([
      [undefined, `[${json("0")},{"error":${errorJson}}]`],
      ["application/x-ndjson", `${json("0")}\n{"error":${errorJson}}\n`],
      ["text/event-stream", `data: ${json("0")}\n\nevent: error\ndata: ${errorJson}\n\n`],
    ])("after a message is the end of the body, for Accept %s", async (accept, body) => {
      expect(await scan(() => failing(1, gone), accept)).toMatchObject({ status: 200, body });
      expect(faults).toEqual([]);
    });

    test("when encoding the first message is in the array too", async () => {
      const bad = { book: { rating: 1.5 } } as never;
      const reply = await scan(async function* () {
        yield bad;
      });
      expect(JSON.parse(reply.body)).toEqual([
        {
          error: {
            code: "internal",
            message: "Internal error. The server log has the details.",
            status: 500,
          },
        },
      ]);
    });

    test("that is a bug of the service is not shown", async () => {
      const reply = await scan(() => failing(1, new Error("secret")));
      expect(reply.body).not.toContain("secret");
      expect(reply.body).toContain('"Internal error. ');
    });
  });

  test("504 when the deadline passes before the first message; later the error is in the body", async () => {
    const slow = async function* (_: unknown, call: HandlerContext): AsyncGenerator<never> {
      await sleep(5000, undefined, { signal: call.signal }).catch(() => undefined);
    };
    const early = { "connect-timeout-ms": "30" };
    expect((await send("GET", "/v1/scan", slow, early)).status).toBe(504);
    const late = async function* (_: unknown, call: HandlerContext): AsyncGenerator<never> {
      yield book("a");
      vi.advanceTimersByTime(10_000);
      yield* slow(_, call);
    };
    stopTimers();
    const reply = await send("GET", "/v1/scan", late, { "connect-timeout-ms": "10000" });
    expect(JSON.parse(reply.body)).toMatchObject([
      { title: "a" },
      { error: { code: "deadline_exceeded" } },
    ]);
  });

  test("a method that ignores its signal does not delay the response", async () => {
    const deaf = async function* (): AsyncGenerator<never> {
      yield book("a");
      vi.advanceTimersByTime(10_000);
      await new Promise(() => undefined);
    };
    stopTimers();
    const reply = await send("GET", "/v1/scan", deaf, { "x-server-timeout": "10" });
    expect(JSON.parse(reply.body)).toMatchObject([{ title: "a" }, { error: { status: 504 } }]);
  });

  test("the stream of the method is closed, even if closing fails or is not supported", async () => {
    let isClosed = false;
    const next = () => Promise.resolve({ done: false, value: { book: { rating: 1.5 } } as never });
    const stubborn = {
      next,
      return: () => {
        isClosed = true;
        return Promise.reject(new Error("no"));
      },
    };
    const careless = { next };
    const reported: unknown[] = [];
    for (const iterator of [stubborn, careless]) {
      const invoke = () => ({ [Symbol.asyncIterator]: () => iterator });
      const transcoder = shelfTranscoder({
        onFault: (error) => reported.push(error),
        methods: [{ ...streaming(rpc.scan, () => some()), invoke }],
      });
      const reply = await sendOnce(serve, frontDoor(transcoder), "GET", "/v1/scan");
      expect(reply.body).toContain("Internal error");
    }
    expect(isClosed).toBe(true);
    const fault = { message: "field shelf.v1.Book.rating cannot be encoded: its value is 1.5" };
    expect(reported).toMatchObject([fault, fault]);
  });
});
