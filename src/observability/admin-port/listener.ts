import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { pipeline, type Readable } from "node:stream";
import { present } from "../../common/present.ts";
import { isTrustedHost } from "./loopback-host.ts";

export interface AdminResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  /** Text, or a stream that the listener reads once and then closes. */
  readonly body: string | Readable;
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
/** Most open requests of a connection. Scrapers wait for each response, so more are an error or an attack. */
const maxPipelined = 4;
/** How long an idle connection stays open, in milliseconds: longer than the usual time between two scrapes. */
const idleMs = 75_000;
/** Largest request line and headers, in bytes. */
const maxHeaderBytes = 8 * 1024;

/**
 * Creates the admin port: a plain HTTP server for operators and their tools, apart from the port for clients. It needs no
 * key. Its limits are its own, so that it responds while the service is overloaded.
 *
 * @param handlers by path. Before the path of a handler that starts work is `POST `
 * @param onFault called with errors of handlers and connections
 * @param stalledMs longest pause of a client that reads, in milliseconds, so that hung clients do not use up all connections
 */
export function createAdminListener(
  handlers: ReadonlyMap<string, AdminHandler>,
  onFault: (error: unknown) => void,
  stalledMs = 10_000,
) {
  /** The open requests of each connection. Each holds its response until the client has read the ones before. */
  const open = new WeakMap<Socket, number>();
  const server = createServer(
    {
      headersTimeout: requestMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: idleMs,
      maxHeaderSize: maxHeaderBytes,
    },
    (request, response) => {
      const { socket } = request;
      const count = (open.get(socket) ?? 0) + 1;
      if (count > maxPipelined) {
        socket.destroy();
        return;
      }
      open.set(socket, count);
      response.once("close", () => open.set(socket, (open.get(socket) ?? 0) - 1));
      respond(handlers, request)
        .catch((error: unknown) => {
          onFault(error);
          return failure(500, "Internal error. The log has the details.");
        })
        .then((sent) => {
          // Node destroys the connection then. When the response has ended, node sets the time of idle connections.
          socket.setTimeout(stalledMs);
          send(request, response, sent);
        })
        .catch((error: unknown) => {
          onFault(error);
          response.destroy();
        });
    },
  );
  server.maxConnections = maxConnections;
  server.on("clientError", (_error, socket) => socket.destroy());
  return {
    /** Returns the base URL. @param port 0 for any free port @throws node's error when it cannot listen on the address */
    async listen(port: number, host: string): Promise<string> {
      server.listen({ port, host });
      await once(server, "listening");
      server.on("error", onFault);
      const { address, port: actual, family } = server.address() as AddressInfo;
      return `http://${family === "IPv6" ? `[${address}]` : address}:${actual}`;
    },
    close(): void {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function respond(
  handlers: ReadonlyMap<string, AdminHandler>,
  request: IncomingMessage,
): Promise<AdminResponse> {
  if (!isTrustedHost(request.headers.host, request.socket.localAddress)) {
    return failure(403, "The Host header must have an IP address or localhost.");
  }
  if (isFromPage(request)) {
    return failure(
      403,
      "Web pages may not use the admin port. Open it in a tab of its own, or use curl.",
    );
  }
  const url = URL.parse(present(request.url, "the target of a request"), "http://admin");
  const posted = url && handlers.get(`POST ${url.pathname}`);
  const handler = posted ?? (url && handlers.get(url.pathname));
  if (!url || !handler) {
    const paths = [...handlers.keys()].join(", ");
    return failure(404, `There is nothing at this path. Use one of ${paths}.`);
  }
  const methods = posted ? ["POST"] : ["GET", "HEAD"];
  if (!methods.includes(present(request.method, "the method of a request"))) {
    const refused = failure(405, `Only ${methods.join(" and ")} can be used here.`);
    return { ...refused, headers: { ...refused.headers, allow: methods.join(", ") } };
  }
  return handler(request, url.searchParams);
}

/**
 * Returns whether a web page has sent the request, or has linked to it: its author could start work in the operator's
 * network. Browsers send `Sec-Fetch-Site: none` for an address that the user has entered
 * (https://www.w3.org/TR/fetch-metadata/), and `Origin` with POST and with requests of scripts to other sites.
 */
function isFromPage({ headers }: IncomingMessage): boolean {
  const site = headers["sec-fetch-site"];
  return (
    headers.origin !== undefined ||
    (site !== undefined && site !== "none" && site !== "same-origin")
  );
}

function send(request: IncomingMessage, response: ServerResponse, sent: AdminResponse): void {
  const { status, headers, body } = sent;
  // A body is not read, and node loses what follows a request with Upgrade.
  const isLast = ["content-length", "transfer-encoding", "upgrade"].some(
    (name) => name in request.headers,
  );
  response.writeHead(status, {
    ...headers,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...(typeof body === "string" && { "content-length": Buffer.byteLength(body) }),
    ...(isLast && { connection: "close" }),
  });
  // For HEAD, node sends no body.
  if (typeof body === "string") response.end(body);
  // An aborted download must close its file, too.
  else pipeline(body, response, () => {});
}

export function json(status: number, value: unknown): AdminResponse {
  const body = `${JSON.stringify(value, undefined, 2)}\n`;
  return { status, headers: { "content-type": "application/json" }, body };
}

/** Makes an error response. */
export function failure(status: number, message: string): AdminResponse {
  return json(status, { status, message });
}
