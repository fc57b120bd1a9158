import { onTestFinished } from "vitest";
import type {
  NodeServerRequest,
  NodeServerResponse,
} from "../../../src/http/exchange/node-http.ts";
import { createListener, type Listener } from "../../../src/server/connections/listener.ts";
import type { ListenerOptions } from "../../../src/server/connections/listener-options.ts";

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
  maxHeaderBytes: 16 * 1024,
} as const;

/** Starts a listener on a free port, which ends with the test. */
export async function startListener(
  options: Pick<ListenerOptions, "handle"> & Partial<ListenerOptions>,
  port = 0,
): Promise<Running> {
  const faults: unknown[] = [];
  const listener = createListener({
    ...listenerOptions,
    onFault: (fault) => faults.push(fault),
    ...options,
  });
  onTestFinished(() => listener.drain(0));
  const address = await listener.listen(port, "127.0.0.1");
  return { listener, ...address, faults };
}

/** Sends the headers and `part` of a body of `length` bytes. */
export function beginResponse(response: NodeServerResponse, length: number, part: string): void {
  response.setHeader("Content-Length", length);
  response.write(part);
}

/** The body as text. @throws Error if the body was cut off */
export async function readBody(request: NodeServerRequest): Promise<string> {
  let body = "";
  for await (const chunk of "stream" in request ? request.stream : request) {
    body += chunk;
  }
  if ("stream" in request && request.isBodyAborted) {
    throw new Error("the body was cut off");
  }
  return body;
}
