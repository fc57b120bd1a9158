import { once } from "node:events";
import { createServer } from "node:http";
import { connect as connectH2 } from "node:http2";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nodeListener } from "../../src/http/exchange/node-listener.ts";
import { createServerHttp2 } from "./support/clients.ts";
import { frontDoor, shelfTranscoder } from "./support/shelf.ts";

const listener = frontDoor(shelfTranscoder());
const overHttp1 = nodeListener(listener);

describe("HTTP/1.1: after the response to a request whose body was not read", () => {
  const server = createServer(overHttp1).on("checkContinue", overHttp1);
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, resolve)));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Sends a text, and a second one after the first response. Returns everything that was received. */
  function exchange(head: string[], body: string, next: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect((server.address() as AddressInfo).port);
      let seen = "";
      socket.on("data", (chunk) => {
        const isFirst = seen === "";
        seen += chunk;
        if (isFirst) socket.write(next);
        if (seen.includes("9223372036854775807")) socket.end();
      });
      socket.on("close", () => resolve(seen)).on("error", reject);
      socket.write(
        `${["PUT /v1/books/1/tags HTTP/1.1", "host: x", ...head].join("\r\n")}\r\n\r\n${body}`,
      );
    });
  }

  const count = "GET /v1/books:count HTTP/1.1\r\nhost: x\r\n\r\n";
  const largest = 256 * 1024;

  test("a short body is discarded and the connection stays open", async () => {
    const seen = await exchange([`content-length: ${largest}`], "x".repeat(largest), count);
    expect(seen).toMatch(/^HTTP\/1.1 413 /);
    expect(seen).toContain("Connection: keep-alive");
    expect(seen).toContain("9223372036854775807");
  });

  test.each([
    ["a long one", [`content-length: ${largest + 1}`], "x".repeat(5000)],
    ["one that is held back", ["content-length: 2000", "expect: 100-continue"], ""],
    [
      "a short one that is held back",
      ["content-length: 5", "content-type: x/y", "expect: 100-continue"],
      "",
    ],
  ])("%s closes the connection, whatever the rest of the body", async (_, head, body) => {
    const seen = await exchange(head, body, "");
    expect(seen).toMatch(/^HTTP\/1.1 41[35] /);
    expect(seen.toLowerCase()).toContain("connection: close");
    // The whole response was received before that.
    expect(JSON.parse(seen.slice(seen.indexOf("\r\n\r\n")))).toHaveProperty("code");
  });

  test("a body of unknown length closes the connection when it gets long", async () => {
    const chunk = (length: number) => `${length.toString(16)}\r\n${"x".repeat(length)}\r\n`;
    const head = ["transfer-encoding: chunked"];
    const seen = await exchange(head, chunk(2000), chunk(largest + 1));
    expect(seen).toMatch(/^HTTP\/1.1 413 /);
    expect(JSON.parse(seen.slice(seen.indexOf("\r\n\r\n")))).toHaveProperty("code");
  });

  test("a body that was read, or is empty, has no effect", async () => {
    const seen = await exchange(["content-length: 2"], "{}", count);
    expect(seen).toMatch(/^HTTP\/1.1 400 /);
    expect(seen).toContain("9223372036854775807");
    const empty = await exchange(["content-length: 0", "x-caller: stranger"], "", count);
    expect(empty).toMatch(/^HTTP\/1.1 403 /);
    expect(empty).toContain("9223372036854775807");
  });
});

test("HTTP/1.0: no 100 Continue, which that version does not have", async () => {
  const server = createServer(overHttp1).on("checkContinue", overHttp1);
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const socket = connect((server.address() as AddressInfo).port);
  const head = ["PUT /v1/books/1/tags HTTP/1.0", "expect: 100-continue", "content-length: 2"];
  socket.write(`${head.join("\r\n")}\r\n\r\n{}`);
  const [first] = await once(socket, "data");
  expect(first.toString()).toMatch(/^HTTP\/1\.1 [245]/);
  socket.destroy();
  server.close();
});

test("HTTP/2: the stream is closed after the response", async () => {
  const server = createServerHttp2(listener);
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const session = connectH2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  for (const headers of [{}, { "x-caller": "stranger" }, { ":method": "HEAD" }]) {
    const target = { ":method": "PUT", ":path": "/v1/books/1/tags" };
    const stream = session.request({ ...target, ...headers }, { endStream: false });
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    // The client never ends it.
    stream.write("x".repeat(2000));
    await new Promise((resolve, reject) => stream.on("close", resolve).on("error", reject));
    expect(stream.rstCode).toBe(0);
    const body = Buffer.concat(chunks).toString();
    if (":method" in headers) expect(body).toBe("");
    else expect(JSON.parse(body)).toHaveProperty("code");
  }
  session.close();
  server.close();
});
