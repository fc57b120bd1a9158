import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
  type SecureClientSessionOptions,
} from "node:http2";
import { expect, onTestFinished } from "vitest";

interface Http2Response {
  readonly headers: IncomingHttpHeaders & IncomingHttpStatusHeader;
  readonly body: string;
}

export function connectHttp2(
  url: string,
  options: SecureClientSessionOptions = {},
): ClientHttp2Session {
  const session = connect(url, options);
  session.on("error", () => {}); // tests check the streams
  onTestFinished(() => session.destroy());
  return session;
}

/** The complete response on `stream`. Rejects if the stream is reset or ends without a response. */
export function responseOf(stream: ClientHttp2Stream): Promise<Http2Response> {
  const response = new Promise<Http2Response>((resolve, reject) => {
    let headers: Http2Response["headers"] | undefined;
    let body = "";
    stream.setEncoding("utf8");
    stream.on("response", (received) => {
      headers = received;
    });
    stream.on("data", (chunk) => {
      body += chunk;
    });
    stream.on("error", reject);
    stream.on("close", () => {
      if (headers === undefined) {
        reject(new Error("closed without a response"));
      } else {
        resolve({ headers, body });
      }
    });
  });
  // A test that has failed waits for none of its responses.
  response.catch(() => {});
  return response;
}

/** Checks the form of an error: media type, length, and a body with code, message and status. */
export function expectErrorForm(
  { headers, body }: Http2Response,
  status: number,
  code: string,
): void {
  expect(headers[":status"]).toBe(status);
  expect(headers["content-type"]).toBe("application/json");
  expect(Number(headers["content-length"])).toBe(body.length);
  expect(JSON.parse(body)).toEqual({ code, message: expect.any(String), status });
}
