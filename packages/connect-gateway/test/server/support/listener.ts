import { BlockList } from "node:net";
import { onTestFinished } from "vitest";
import { internalError } from "../../../src/http/error-response.ts";
import type { Exchange } from "../../../src/http/exchange/exchange.ts";
import { removeBodyHeaders, sendError } from "../../../src/http/send-error.ts";
import { createListener, type Listener } from "../../../src/server/connections/listener.ts";
import type { ListenerOptions } from "../../../src/server/connections/listener-options.ts";
import { createThrowHandler } from "../../../src/server/front-door.ts";

export interface Running {
  readonly listener: Listener;
  readonly port: number;
  readonly url: string;
  /** What `handle` threw. */
  readonly faults: unknown[];
}

/** Options of a listener. The timeouts are far longer than a test. */
export const listenerOptions = {
  headersTimeoutMs: 60_000,
  requestTimeoutMs: 60_000,
  keepAliveTimeoutMs: 60_000,
  sendTimeoutMs: 60_000,
  maxConnections: 10_000,
  maxConnectionsPerAddress: 10_000,
  trustedProxies: new BlockList(),
  maxHeaderBytes: 16 * 1024,
} as const;

/** Starts a listener on a free port, which ends with the test. */
export async function startListener(
  options: Pick<ListenerOptions, "handle"> & Partial<ListenerOptions>,
  port = 0,
): Promise<Running> {
  const faults: unknown[] = [];
  const onFault = options.onFault ?? ((fault: unknown) => void faults.push(fault));
  const onThrow = createThrowHandler(onFault, (response, error) => {
    onFault(error);
    removeBodyHeaders(response);
    sendError(response, internalError);
  });
  const listener = createListener({ ...listenerOptions, onFault, onThrow, ...options });
  onTestFinished(() => listener.drain(0));
  const address = await listener.listen(port, "127.0.0.1");
  return { listener, ...address, faults };
}

/** Sends the headers and `part` of a body of `length` bytes. */
export function beginResponse(response: Exchange, length: number, part: string): void {
  response.setHeader("content-length", length);
  response.write(part);
}

/** The body as text. @throws Error if the body was cut off */
export async function readBody(request: Exchange): Promise<string> {
  let body = "";
  for await (const chunk of request.body) {
    body += chunk;
  }
  if (request.isBodyAborted) throw new Error("the body was cut off");
  return body;
}

/** Responds with the body, or what `textOf` makes of it, unless the body was cut off. */
export function echo(exchange: Exchange, textOf = (body: string) => body): void {
  const respond = (body: string) => exchange.end(textOf(body));
  readBody(exchange).then(respond, () => {});
}
