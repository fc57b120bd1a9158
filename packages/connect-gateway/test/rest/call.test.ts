import { request as requestH1 } from "node:http";
import { connect as connectH2 } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { handleFor } from "../../../../test/support/endpoint.ts";
import { fakeOwnTimers } from "../../../../test/support/own-timers.ts";
import { ShelfService } from "../gen/shelf/v1/shelf_pb.ts";
import { type Client, protocols, sendOnce } from "./support/clients.ts";
import { nameOf, streaming, unary } from "./support/methods.ts";
import { frontDoor, shelfTranscoder } from "./support/shelf.ts";

const rpc = ShelfService.method;
/** Polling options that allow for a busy machine. */
const longTimeout = { timeout: 10_000 };

describe.each(protocols)("%s", (name, serve) => {
  const faults: unknown[] = [];
  /** Resolves when a response of the latest server is closed. */
  let closed = Promise.withResolvers<void>();
  async function serveCount(
    count: (call: HandlerContext) => Promise<bigint> | bigint,
  ): Promise<Client> {
    faults.length = 0;
    const method = unary(rpc.countBooks, async (_, call) => ({ count: await count(call) }));
    const tags = unary(rpc.putTags, ({ tags }) => ({ tags }));
    const handle = frontDoor(
      shelfTranscoder({ methods: [method, tags], onFault: (error) => faults.push(error) }),
    );
    closed = Promise.withResolvers();
    return serve((exchange) => {
      exchange.once("close", closed.resolve);
      return handle(exchange);
    });
  }

  async function countOnce(
    count: Parameters<typeof serveCount>[0],
    headers: Record<string, string> = {},
  ) {
    const client = await serveCount(count);
    try {
      return await client.send("GET", "/v1/books:count", { headers });
    } finally {
      await client.close();
    }
  }

  describe("deadline", () => {
    const never = () => new Promise<bigint>(() => undefined);

    test.each([
      ["connect-timeout-ms", "20"],
      ["grpc-timeout", "20m"],
      ["grpc-timeout", "20000u"],
      ["grpc-timeout", "20000000n"],
      ["x-server-timeout", "0.02"],
      ["connect-timeout-ms", "0"],
      ["x-server-timeout", "0"],
    ])("504 after %s %s", async (field, value) => {
      const reply = await countOnce(never, { [field]: value });
      expect(reply.status).toBe(504);
      expect(JSON.parse(reply.body)).toEqual({
        code: "deadline_exceeded",
        message: "The deadline of the request has passed.",
        status: 504,
      });
      expect(faults).toEqual([]);
    });

    test("the shortest of several timeouts applies", async () => {
      const headers = {
        "connect-timeout-ms": "60000",
        "grpc-timeout": "1H",
        "x-server-timeout": "0.02",
      };
      expect((await countOnce(never, headers)).status).toBe(504);
    });

    test.each([
      ["connect-timeout-ms", "9999999999"],
      ["grpc-timeout", "99999999H"],
      ["grpc-timeout", "5S"],
      ["grpc-timeout", "10000m"],
      ["grpc-timeout", "5M"],
      ["x-server-timeout", "5"],
      ["x-server-timeout", "10.5"],
    ])("200 within %s %s", async (field, value) => {
      const reply = await countOnce(() => sleep(20, 5n), { [field]: value });
      expect(reply).toMatchObject({ status: 200, body: "5" });
    });

    test.each([
      ["connect-timeout-ms", "-1"],
      ["connect-timeout-ms", "1.5"],
      ["connect-timeout-ms", "12345678901"],
      ["grpc-timeout", "5"],
      ["grpc-timeout", "5s"],
      ["grpc-timeout", "123456789S"],
      ["x-server-timeout", "1e3"],
      ["x-server-timeout", "soon"],
      ["x-server-timeout", ".5"],
    ])("400 for %s %s", async (field, value) => {
      const reply = await countOnce(() => 5n, { [field]: value });
      expect(reply.status).toBe(400);
      expect(JSON.parse(reply.body).message).toMatch(new RegExp(`^${field}: must be an? `));
    });

    test("a timeout of 0 expires before the method is called", async () => {
      let calls = 0;
      const count = () => {
        calls += 1;
        return never();
      };
      expect((await countOnce(count, { "connect-timeout-ms": "0" })).status).toBe(504);
      expect(calls).toBe(0);
    });

    test.each([
      ["/v1/books:count", 1],
      // The other timer is that of the first message.
      ["/v1/scan", 2],
    ])("its timer is cleared after the response: %s", async (path, during) => {
      const run = fakeOwnTimers();
      onTestFinished(() => void vi.useRealTimers());
      await run(async () => {
        const timers: number[] = [];
        const note = () => timers.push(vi.getTimerCount());
        const methods = [
          unary(rpc.countBooks, () => ({ count: BigInt(note()) })),
          streaming(rpc.scan, async function* () {
            yield { book: { copies: BigInt(note()) } };
          }),
        ];
        const listener = frontDoor(shelfTranscoder({ methods }));
        const init = { headers: { "connect-timeout-ms": "60000" } };
        expect((await sendOnce(serve, listener, "GET", path, init)).status).toBe(200);
        note();
        expect(timers).toEqual([during, 0]);
      });
    });

    test("aborts the signal, whether the method reads it before or after", async () => {
      const reasons: unknown[] = [];
      const headers = { "connect-timeout-ms": "20" };
      const reply = await countOnce(async ({ signal }) => {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        reasons.push(signal.reason);
        throw signal.reason;
      }, headers);
      expect(reply.status).toBe(504);
      expect(reasons).toMatchObject([{ code: Code.DeadlineExceeded }]);

      const replied = Promise.withResolvers<void>();
      const late = await serveCount(async (call) => {
        await replied.promise;
        reasons.push(call.signal.reason);
        return 5n;
      });
      expect((await late.send("GET", "/v1/books:count", { headers })).status).toBe(504);
      replied.resolve();
      await expect
        .poll(() => reasons, longTimeout)
        .toMatchObject([{}, { code: Code.DeadlineExceeded }]);
      await late.close();
    });
  });

  /** Starts a request. Returns a function that disconnects. */
  function begin(
    client: Client,
    method = "GET",
    path = "/v1/books:count",
    part?: string,
  ): () => void {
    const headers = part === undefined ? {} : { "content-length": `${part.length + 1}` };
    if (name === "HTTP/1.1") {
      const request = requestH1({ port: client.port, method, path, headers });
      request.on("error", () => undefined);
      request.on("response", (incoming) => incoming.on("error", () => undefined).resume());
      if (part === undefined) request.end();
      else request.write(part);
      return () => request.destroy();
    }
    const session = connectH2(`http://127.0.0.1:${client.port}`);
    const stream = session.request(
      { ":method": method, ":path": path, ...headers },
      { endStream: part === undefined },
    );
    stream.on("error", () => undefined).resume();
    if (part !== undefined) stream.write(part);
    return () => session.destroy();
  }

  describe("the client disconnects", () => {
    test("the signal is aborted, whether the method reads it before or after", async () => {
      const reasons: unknown[] = [];
      const client = await serveCount(async (call) => {
        leave();
        await new Promise((resolve) => call.signal.addEventListener("abort", resolve));
        reasons.push(call.signal.reason);
        return 5n;
      });
      const leave = begin(client);
      await expect
        .poll(() => reasons, longTimeout)
        .toMatchObject([
          { code: Code.Canceled, rawMessage: "The client has disconnected or cancelled the call." },
        ]);
      await client.close();

      const late = await serveCount(async (call) => {
        leaveLate();
        await closed.promise;
        reasons.push(call.signal.reason);
        throw new ConnectError("too late", Code.Canceled);
      });
      const leaveLate = begin(late);
      await expect.poll(() => reasons, longTimeout).toMatchObject([{}, { code: Code.Canceled }]);
      // The disconnection is not a fault of the server, so it is not logged.
      expect(faults).toEqual([]);
      await late.close();
    });

    test("within its request: the method is not called with a part of the body", async () => {
      const seen: unknown[] = [];
      const transcoder = shelfTranscoder({
        methods: [unary(rpc.putTags, ({ tags }) => ({ tags: [`${seen.push(...tags)}`] }))],
        onFault: (error) => seen.push(error),
      });
      let begun = 0;
      let ended = 0;
      const client = await serve((exchange) => {
        void handleFor("me", transcoder, exchange)?.then(() => ended++);
        exchange.body.once("data", () => begun++);
      });
      // One byte is missing.
      const leave = begin(client, "PUT", "/v1/books/1/tags", '["a"]');
      await expect.poll(() => begun, longTimeout).toBe(1);
      leave();
      await expect.poll(() => ended, longTimeout).toBe(1);
      expect(seen).toEqual([]);
      expect((await client.send("PUT", "/v1/books/1/tags")).status).toBe(200);
      await client.close();
    });

    test("before the response starts", async () => {
      const scan = streaming(rpc.scan, async function* () {
        for (;;) yield { book: { title: "x".repeat(100_000) } } as never;
      });
      const tags = unary(rpc.putTags, ({ tags }) => ({ tags }));
      const transcoder = shelfTranscoder({ methods: [scan, tags] });
      let arrived = 0;
      let handled = 0;
      const client = await serve((exchange) => {
        arrived++;
        // The client disconnects during its admission.
        exchange.once(
          "close",
          () => void handleFor("me", transcoder, exchange)?.then(() => handled++),
        );
      });
      const leaves = [
        begin(client, "PUT", "/v1/books/1/tags", '["a"'),
        begin(client, "GET", "/v1/scan"),
      ];
      await expect.poll(() => arrived, longTimeout).toBe(2);
      for (const leave of leaves) leave();
      await expect.poll(() => handled, longTimeout).toBe(2);
      await client.close();
    });

    test("the signal is not aborted after a success", async () => {
      let signal: AbortSignal | undefined;
      const reply = await countOnce((call) => {
        signal = call.signal;
        expect(call.signal).toBe(signal);
        return 5n;
      });
      expect(reply.status).toBe(200);
      expect(signal?.aborted).toBe(false);
    });
  });

  test("the method reads request headers; its trailers are not sent", async () => {
    let fields: Headers | undefined;
    const headers = { "x-note": "hello", "set-cookie": "a=b" };
    const reply = await countOnce(({ requestHeader, responseTrailer }) => {
      fields = requestHeader;
      responseTrailer.set("x-trailer", "7");
      return 5n;
    }, headers);
    expect(reply).toMatchObject({ status: 200, body: "5" });
    expect(reply.headers).not.toHaveProperty("x-trailer");
    expect(fields?.get("X-Note")).toBe("hello");
    expect(fields?.has("x-none")).toBe(false);
    expect([...(fields ?? [])]).toEqual(
      expect.arrayContaining([
        ["x-note", "hello"],
        ["set-cookie", "a=b"],
      ]),
    );
  });

  test("the method receives the admitted caller", async () => {
    const count = (context: HandlerContext) => (nameOf(context) === "Ann" ? 1n : 2n);
    expect((await countOnce(count, { "x-caller": "Ann" })).body).toBe("1");
  });
});
