import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:http2";
import { expect, onTestFinished, test } from "vitest";
import { selfSigned } from "./support/certificate.ts";
import { startListener } from "./support/listener.ts";

test.each(["http", "https"])(
  "an HTTP/2 connection over %s can begin with more bytes than node reads ahead",
  async (scheme) => {
    const secure = scheme === "https" && { tls: selfSigned() };
    const { port } = await startListener({ handle: (exchange) => exchange.end("ok"), ...secure });
    const session = connect(`${scheme}://127.0.0.1:${port}`, { rejectUnauthorized: false });
    onTestFinished(() => session.destroy());
    // The client sends them before it knows the limits of the server.
    const responses = Array.from({ length: 60 }, () => {
      const request = session.request({ a: randomBytes(4_500).toString("base64") });
      return once(request.resume(), "response");
    });
    const statuses = (await Promise.all(responses)).map(([headers]) => headers[":status"]);
    expect(new Set(statuses)).toEqual(new Set([200]));
  },
);
