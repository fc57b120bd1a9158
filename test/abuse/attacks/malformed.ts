import { randomBytes } from "node:crypto";
import { type Attack, createFindings } from "./attack.ts";
import { ask } from "./wire.ts";

/** The beginning of a TLS 1.2 ClientHello. */
const clientHello = Buffer.from("16030100c8010000c40303", "hex");

function malformed(key: string): readonly (readonly [what: string, bytes: string | Buffer])[] {
  const auth = `authorization: Bearer ${key}\r\n`;
  const host = "host: a\r\n";
  return [
    ["no version", "GET /\r\n\r\n"],
    ["an unknown version", `GET / HTTP/9.9\r\n${host}\r\n`],
    ["no host", "GET /v1/inventory HTTP/1.1\r\n\r\n"],
    ["two hosts", `GET /v1/inventory HTTP/1.1\r\n${host}${host}\r\n`],
    ["a NUL in the path", `GET /\0 HTTP/1.1\r\n${host}\r\n`],
    ["a NUL in a header", `GET / HTTP/1.1\r\n${host}x: \0\r\n\r\n`],
    ["a space before the colon", `GET / HTTP/1.1\r\n${host}x : a\r\n\r\n`],
    ["a folded header", `GET / HTTP/1.1\r\n${host}x: a\r\n b\r\n\r\n`],
    ["an empty header name", `GET / HTTP/1.1\r\n${host}: a\r\n\r\n`],
    ["two lengths", `POST / HTTP/1.1\r\n${host}content-length: 1\r\ncontent-length: 2\r\n\r\nab`],
    ["a negative length", `POST / HTTP/1.1\r\n${host}content-length: -1\r\n\r\n`],
    ["a huge length", `POST / HTTP/1.1\r\n${host}content-length: ${"9".repeat(300)}\r\n\r\n`],
    [
      "a length and chunks",
      `POST / HTTP/1.1\r\n${host}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ["an unknown coding", `POST / HTTP/1.1\r\n${host}transfer-encoding: x\r\n\r\n`],
    [
      "a malformed chunk size",
      `POST / HTTP/1.1\r\n${host}transfer-encoding: chunked\r\n\r\nzz\r\n`,
    ],
    [
      "a huge chunk size",
      `POST / HTTP/1.1\r\n${host}transfer-encoding: chunked\r\n\r\n${"f".repeat(40)}\r\n`,
    ],
    [
      "long chunk extensions",
      `POST / HTTP/1.1\r\n${host}transfer-encoding: chunked\r\n\r\n1;${"a".repeat(60_000)}\r\n`,
    ],
    ["a long header", `GET / HTTP/1.1\r\n${host}x: ${"a".repeat(100_000)}\r\n\r\n`],
    ["10,000 headers", `GET / HTTP/1.1\r\n${host}${"a:\r\n".repeat(10_000)}\r\n`],
    ["CONNECT", `CONNECT a:1 HTTP/1.1\r\n${host}\r\n`],
    ["OPTIONS *", `OPTIONS * HTTP/1.1\r\n${host}${auth}\r\n`],
    ["an unknown method", `BREW /v1/inventory HTTP/1.1\r\n${host}${auth}\r\n`],
    ["an upgrade", `GET /livez HTTP/1.1\r\n${host}connection: upgrade\r\nupgrade: h2c\r\n\r\n`],
    [
      "a websocket",
      `GET /v1/inventory:watch HTTP/1.1\r\n${host}${auth}connection: upgrade\r\nupgrade: websocket\r\n\r\n`,
    ],
    ["an unknown expectation", `POST / HTTP/1.1\r\n${host}expect: x\r\ncontent-length: 1\r\n\r\na`],
    ["a malformed HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n"],
    ["TLS", Buffer.concat([clientHello, randomBytes(200)])],
    ["random bytes", randomBytes(4_000)],
    ["bytes that are not UTF-8", `GET /\u00ff\u00fe HTTP/1.1\r\n${host}${auth}x: \u00ff\r\n\r\n`],
    ["HTTP/1.0", `GET /v1/inventory/1 HTTP/1.0\r\n${auth}\r\n`],
    ["bare line feeds", "GET / HTTP/1.1\nhost: a\n\n"],
  ];
}

/** The server refuses a malformed request or closes its connection. */
export const malformedRequests: Attack = {
  name: "malformed requests over HTTP/1.1",
  sends: "31 malformed requests, 10 times each",
  seconds: 8,
  async run(target) {
    const found = createFindings();
    await Promise.all(
      malformed(target.keys.rich).map(async ([what, text]) => {
        const bytes = typeof text === "string" ? Buffer.from(text, "latin1") : text;
        for (let n = 0; n < 10; n++) {
          const { status, text: reply } = await ask(target, bytes, { timeoutMs: 400 });
          found.expect(status !== 500, `${what}: status ${status}`);
          found.expect(
            !/\bat .*\.ts:\d|node:internal/.test(reply),
            `${what}: the response shows a stack trace`,
          );
        }
      }),
    );
    return found.list;
  },
};
