import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import {
  flag,
  frame,
  frameType,
  type Header,
  headersFrame,
  pseudo,
} from "../../../../test/support/http2-frames.ts";
import { until } from "../../../../test/system/harness/until.ts";
import type { RequestHandler } from "../../src/server/connections/listener-options.ts";
import { connectHttp1 } from "./support/http1-client.ts";
import { echo, listenerOptions, startListener } from "./support/listener.ts";
import { connectRaw, type RawClient } from "./support/raw-http2.ts";

/** Error codes (RFC 9113, section 7). */
const errorCode = { protocol: 1, internal: 2, enhanceYourCalm: 11 };

const textOf = ({ received }: RawClient) =>
  received.map(({ payload }) => payload.toString("latin1")).join("");

/** Returns the error codes of received RST_STREAM or GOAWAY frames. */
function codesOf(client: RawClient, type: number, stream = 0): number[] {
  const at = type === frameType.goAway ? 4 : 0;
  return client.of(type, stream).map(({ payload }) => payload.readUInt32BE(at));
}

describe("a response before the end of the body", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  const refuse: RequestHandler = (response) => {
    response.discardBody();
    response.writeHead(401, {}).end("no");
  };

  /** Sends the headers of a request, and returns when the whole response has come. */
  async function refused(): Promise<RawClient> {
    const { port } = await startListener({ handle: refuse });
    const client = await connectRaw(port);
    client.socket.write(headersFrame(1, pseudo("POST", "/"), flag.endHeaders));
    const isEnd = ({ flags }: { readonly flags: number }) => (flags & flag.endStream) !== 0;
    await until("the response has ended", () => client.of(frameType.data, 1).some(isEnd));
    return client;
  }

  // curl 7.88 loses a response that it reads together with a reset.
  test("is not followed by a reset when the body ends soon", async () => {
    const client = await refused();
    // While the client sends its body, the server answers pings: it had time to reset the stream.
    for (let count = 1; count <= 20; count += 1) {
      const flags = count === 20 ? flag.endStream : 0;
      client.socket.write(frame(frameType.data, flags, 1, Buffer.alloc(1_000)));
      client.socket.write(frame(frameType.ping, 0, 0, Buffer.alloc(8)));
      await until("a ping is answered", () => client.of(frameType.ping).length === count);
    }
    await vi.advanceTimersByTimeAsync(1_000);
    client.socket.write(frame(frameType.ping, 0, 0, Buffer.alloc(8)));
    await until("the last ping is answered", () => client.of(frameType.ping).length === 21);
    expect(codesOf(client, frameType.rstStream, 1)).toEqual([]);
  });

  // RFC 9113, section 8.1: RST_STREAM with NO_ERROR asks the client to send no more.
  test("is followed by a reset without an error when the body does not end", async () => {
    const client = await refused();
    await vi.advanceTimersByTimeAsync(1_000);
    await until("it is reset", () => client.of(frameType.rstStream, 1).length > 0);
    expect(codesOf(client, frameType.rstStream, 1)).toEqual([0]);
  });
});

describe("a body whose length is not its content-length", () => {
  /** Sends a request that waits for its body, then another with the wrong length. */
  async function sendWrong(port: number, length: string): Promise<RawClient> {
    const client = await connectRaw(port);
    const begin = (stream: number, declared: string) =>
      headersFrame(stream, [...pseudo("POST", "/"), ["content-length", declared]], flag.endHeaders);
    client.socket.write(begin(1, "5"));
    client.socket.write(begin(3, length));
    client.socket.write(frame(frameType.data, flag.endStream, 3, Buffer.from("hello")));
    return client;
  }

  test("a shorter body resets its stream, and other streams go on", async () => {
    const { port, faults } = await startListener({ handle: echo });
    const client = await sendWrong(port, "9");
    await until("the reset came", () => client.of(frameType.rstStream, 3).length === 1);
    expect(codesOf(client, frameType.rstStream, 3)).toEqual([errorCode.protocol]);
    client.socket.write(frame(frameType.data, flag.endStream, 1, Buffer.from("hello")));
    await until("the other response came", () => client.of(frameType.data, 1).length === 1);
    expect(client.of(frameType.goAway)).toEqual([]);
    expect(faults).toEqual([]);
  });

  // Node ends it. Once Node resets only the stream, correct SECURITY.md.
  test("a longer body ends the connection", async () => {
    const { port } = await startListener({ handle: echo });
    const client = await sendWrong(port, "3");
    await until("the connection closed", () => client.isClosed);
    expect(codesOf(client, frameType.goAway)).toEqual([errorCode.internal]);
    expect(client.of(frameType.headers, 3)).toEqual([]);
  });

  test("a longer body is never served, and leaves the service and other connections alone", async () => {
    const bodies: string[] = [];
    const handle: RequestHandler = (exchange) => {
      echo(exchange, (body) => {
        bodies.push(body);
        return body;
      });
    };
    const { port, faults } = await startListener({ handle });
    const other = await connectRaw(port);
    const client = await sendWrong(port, "3");
    await until("the connection closed", () => client.isClosed);
    other.socket.write(headersFrame(1, pseudo("GET", "/")));
    await until("the other response came", () => other.of(frameType.headers, 1).length === 1);
    expect(bodies).toEqual([""]);
    expect(faults).toEqual([]);
  });
});

describe.each([
  ["PING", frame(frameType.ping, 0, 0, Buffer.alloc(8)), frameType.ping],
  ["SETTINGS", frame(frameType.settings, 0, 0), frameType.settings],
])("%s frames", (_, one, type) => {
  const acknowledgments = (client: RawClient) =>
    client.of(type).filter(({ flags }) => flags === flag.ack).length;

  test("1,000 that arrive together are acknowledged", async () => {
    const { port } = await startListener({ handle: echo });
    const client = await connectRaw(port);
    const before = acknowledgments(client);
    client.socket.write(Buffer.alloc(1_000 * one.length, one));
    await until("all came", () => acknowledgments(client) === before + 1_000);
    expect(client.of(frameType.goAway)).toEqual([]);
  });

  test.each([true, false])(
    "1,100 that arrive together end the connection (client reads: %s)",
    async (reads) => {
      const { port } = await startListener({ handle: echo });
      const client = await connectRaw(port);
      if (!reads) client.socket.pause();
      client.socket.write(Buffer.alloc(1_100 * one.length, one));
      const probe = setInterval(() => client.socket.resume(), 500);
      onTestFinished(() => clearInterval(probe));
      await until("the connection closed", () => client.isClosed);
      expect(codesOf(client, frameType.goAway)).toEqual([errorCode.internal]);
    },
  );

  test("5,000 in pieces of 500 are acknowledged, and far more end the connection", async () => {
    const { port } = await startListener({ handle: echo });
    const client = await connectRaw(port);
    const before = acknowledgments(client);
    const piece = Buffer.alloc(500 * one.length, one);
    const start = performance.now();
    let sent = 0;
    /** The bound at this time: 5,000, and 5,000 for each second. */
    const bound = () => 5_000 + 5 * (performance.now() - start);
    while (!client.isClosed) {
      client.socket.write(piece);
      sent += 500;
      await until(
        "they are acknowledged",
        () => client.isClosed || acknowledgments(client) >= before + sent,
      );
      if (client.isClosed) break;
      expect(sent).toBeLessThanOrEqual(bound() + 500);
    }
    expect(sent).toBeGreaterThan(5_000);
    expect(codesOf(client, frameType.goAway)[0]).toBe(errorCode.enhanceYourCalm);
  });
});

describe("a header section", () => {
  const { maxHeaderBytes } = listenerOptions;
  const base = pseudo("GET", "/");
  const charsOf = (headers: readonly Header[]) => headers.flat().join("").length;

  /** Returns the headers of a request whose size is `size` bytes as RFC 9113, section 6.5.2 counts it. */
  function sectionOf(size: number): Header[] {
    const name = "x-long";
    const rest = size - charsOf(base) - 32 * base.length - 32 - name.length;
    return [...base, [name, "a".repeat(rest)]];
  }

  function sendSection(client: RawClient, headers: readonly Header[]): void {
    const block = headersFrame(1, headers).subarray(9);
    const most = 16_384;
    const last = Math.floor((block.length - 1) / most);
    for (let index = 0; index <= last; index += 1) {
      const type = index === 0 ? frameType.headers : frameType.continuation;
      const flags = (index === 0 ? flag.endStream : 0) | (index === last ? flag.endHeaders : 0);
      client.socket.write(frame(type, flags, 1, block.subarray(index * most, (index + 1) * most)));
    }
  }

  async function send(headers: readonly Header[], acknowledges: boolean): Promise<RawClient> {
    const { port, faults } = await startListener({ handle: echo });
    const client = await connectRaw(port, { acknowledges });
    sendSection(client, headers);
    await until(
      "the response or reset came",
      () => client.of(frameType.data, 1).length + client.of(frameType.rstStream, 1).length > 0,
    );
    expect(client.of(frameType.goAway)).toEqual([]);
    expect(faults).toEqual([]);
    return client;
  }

  test.each([true, false])(
    "of the largest size is served (SETTINGS acknowledged: %s)",
    async (acknowledges) => {
      const client = await send(sectionOf(maxHeaderBytes), acknowledges);
      expect(client.of(frameType.rstStream, 1)).toEqual([]);
      expect(textOf(client)).not.toContain("header_fields_too_large");
    },
  );

  test.each([maxHeaderBytes + 1, 60_000])(
    "of %i bytes gets 431 before the client has acknowledged SETTINGS",
    async (size) => {
      const client = await send(sectionOf(size), false);
      expect(textOf(client)).toContain("header_fields_too_large");
    },
  );

  test.each([maxHeaderBytes + 1, 60_000])(
    "of %i bytes resets its stream after the client has acknowledged SETTINGS",
    async (size) => {
      const client = await send(sectionOf(size), true);
      expect(codesOf(client, frameType.rstStream, 1)).toEqual([errorCode.enhanceYourCalm]);
      expect(client.of(frameType.headers, 1)).toEqual([]);
    },
  );

  test("of 16,200 bytes passes HTTP/1.1, and exceeds the limit over HTTP/2 with six more headers", async () => {
    const bytes = 16_200;
    const six: Header[] = ["a", "b", "c", "d", "e", "f"].map((name) => [name, "1"]);
    const value = "a".repeat(bytes - charsOf([...base, ...six]) - "x-long".length);
    const headers: Header[] = [...base, ...six, ["x-long", value]];
    expect(charsOf(headers)).toBe(bytes);
    const overHttp2 = await send(headers, false);
    expect(textOf(overHttp2)).toContain("header_fields_too_large");

    const { port } = await startListener({ handle: echo });
    const lines = [...six, ["Host", "localhost"]].map(([name, text]) => `${name}: ${text}\r\n`);
    const start = `GET / HTTP/1.1\r\n${lines.join("")}X-Long: `;
    const client = await connectHttp1(
      port,
      `${start}${"a".repeat(bytes - start.length - 4)}\r\n\r\n`,
    );
    expect((await client.response()).status).toBe(200);
  });
});
