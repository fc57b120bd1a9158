import { connect, type Socket } from "node:net";
import { expect, onTestFinished } from "vitest";

export interface Http1Response {
  readonly status: number;
  /** The names are in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

interface Http1Client {
  readonly socket: Socket;
  /** The next response, including interim ones (1xx). Pass HEAD if the response has no body. */
  response(method?: string): Promise<Http1Response>;
  /** Waits until the server has closed the connection. @returns the unread text */
  closed(): Promise<string>;
}

/** Connects a client that sends exactly the given bytes. */
export async function connectHttp1(
  target: number | Socket,
  ...data: readonly string[]
): Promise<Http1Client> {
  const socket = typeof target === "number" ? connect(target, "127.0.0.1") : target;
  onTestFinished(() => void socket.destroy());
  let received = "";
  let ended = false;
  let wake = () => {};
  socket.setEncoding("latin1");
  socket.on("data", (chunk) => {
    received += chunk;
    wake();
  });
  socket.on("error", () => {}); // `close` follows
  socket.on("close", () => {
    ended = true;
    wake();
  });
  for (const piece of data) {
    socket.write(piece);
  }

  async function until<T>(attempt: () => T | undefined): Promise<T> {
    for (;;) {
      const result = attempt();
      if (result !== undefined) return result;
      if (ended) throw new Error(`connection closed after ${JSON.stringify(received)}`);
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  return {
    socket,
    response: (method) =>
      until(() => {
        const parsed = parseResponse(received, method);
        if (parsed !== undefined) received = received.slice(parsed.length);
        return parsed?.response;
      }),
    closed: () => until(() => (ended ? received : undefined)),
  };
}

function parseResponse(
  text: string,
  method = "GET",
): { response: Http1Response; length: number } | undefined {
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const [statusLine = "", ...lines] = text.slice(0, headEnd).split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3}) \S/.exec(statusLine)?.[1]);
  const headers = new Map(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const bodyStart = headEnd + 4;
  const length =
    status < 200 || status === 204 || method === "HEAD"
      ? 0
      : Number(headers.get("content-length") ?? Number.NaN);
  if (Number.isNaN(length)) {
    throw new Error(`the response has no Content-Length, which this parser needs: ${text}`);
  }
  if (text.length < bodyStart + length) return undefined;
  const body = text.slice(bodyStart, bodyStart + length);
  return { response: { status, headers, body }, length: bodyStart + length };
}

/** Checks the form of an error: media type, length, and a body with code, message and status. */
export function expectErrorForm(response: Http1Response, status: number, code: string): void {
  expect(response.status).toBe(status);
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(response.headers.get("date")).toMatch(/ GMT$/);
  expect(JSON.parse(response.body)).toEqual({ code, message: expect.any(String), status });
}

/** Expects an error response, after which the server sends nothing more and closes the connection. */
export async function expectFinalError(
  client: Http1Client,
  status: number,
  code: string,
): Promise<Http1Response> {
  const response = await client.response();
  expectErrorForm(response, status, code);
  expect(response.headers.get("connection")).toBe("close");
  expect(await client.closed()).toBe("");
  return response;
}
