import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A response of the admin port. */
export interface AdminResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  /** Text, or a stream that the listener reads once. */
  readonly body: string | NodeJS.ReadableStream;
}

/** Serves a path of the admin port. @param query the parameters of the target */
export type AdminHandler = (
  request: IncomingMessage,
  query: URLSearchParams,
) => AdminResponse | Promise<AdminResponse>;

/** Most connections. Scrapers and orchestrators need few. */
const maxConnections = 20;
/** How long a request may take to arrive, in milliseconds. */
const requestMs = 5_000;
/** How long an idle connection stays open, in milliseconds: longer than the usual time between two scrapes. */
const idleMs = 75_000;
/** Largest request line and headers, in bytes. */
const maxHeaderBytes = 8 * 1024;

export interface AdminListener {
  /**
   * @param port 0 for any free port
   * @returns the base URL
   * @throws node's error when it cannot listen on the address
   */
  listen(port: number, host: string): Promise<string>;
  /** Closes all connections. Requests in progress are aborted. */
  close(): void;
}

/**
 * Creates the admin port: a plain HTTP server for operators and their tools, apart from the port for clients. It needs
 * no key. Its limits are its own, so that it responds while the service is overloaded.
 *
 * @param handlers by path; a path ends with `/` when it stands for all paths below it
 * @param onFault called with errors of handlers and connections
 */
export function createAdminListener(
  handlers: ReadonlyMap<string, AdminHandler>,
  onFault: (error: unknown) => void,
): AdminListener {
  const server = createServer(
    {
      headersTimeout: requestMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: idleMs,
      maxHeaderSize: maxHeaderBytes,
    },
    (request, response) => {
      respond(handlers, request, response).catch((error: unknown) => {
        onFault(error);
        if (response.headersSent) response.destroy();
        else send(request, response, failure(500, "Internal error. The log has the details."));
      });
    },
  );
  server.maxConnections = maxConnections;
  server.on("clientError", (_error, socket) => socket.destroy());
  return {
    listen: (port, host) => listen(server, port, host, onFault),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function listen(
  server: Server,
  port: number,
  host: string,
  onFault: (error: unknown) => void,
): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host }, () => {
      server.off("error", reject);
      server.on("error", onFault);
      const { address, port: actual, family } = server.address() as AddressInfo;
      resolve(`http://${family === "IPv6" ? `[${address}]` : address}:${actual}`);
    });
  });
}

async function respond(
  handlers: ReadonlyMap<string, AdminHandler>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = URL.parse(request.url ?? "", "http://admin");
  const handler = url && handlers.get(url.pathname);
  if (!handler) {
    const paths = [...handlers.keys()].join(", ");
    send(request, response, failure(404, `There is nothing at this path. Use one of ${paths}.`));
  } else if (request.method !== "GET" && request.method !== "HEAD") {
    const refused = failure(405, "Only GET and HEAD are supported.");
    send(request, response, { ...refused, headers: { ...refused.headers, allow: "GET, HEAD" } });
  } else {
    send(request, response, await handler(request, url.searchParams));
  }
}

function send(request: IncomingMessage, response: ServerResponse, sent: AdminResponse): void {
  const { status, headers, body } = sent;
  // A body of the request is not read.
  const hasBody = request.headers["content-length"] !== undefined;
  response.writeHead(status, {
    ...headers,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...(typeof body === "string" && { "content-length": Buffer.byteLength(body) }),
    ...(hasBody && { connection: "close" }),
  });
  if (typeof body === "string") response.end(request.method === "HEAD" ? undefined : body);
  else if (request.method === "HEAD") response.end();
  else body.on("error", () => response.destroy()).pipe(response);
}

/** Makes a response in JSON. */
export function json(status: number, value: unknown): AdminResponse {
  const body = `${JSON.stringify(value, undefined, 2)}\n`;
  return { status, headers: { "content-type": "application/json" }, body };
}

/** Makes an error response. */
export function failure(status: number, message: string): AdminResponse {
  return json(status, { status, message });
}
