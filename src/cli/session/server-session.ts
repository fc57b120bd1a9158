import { ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { AdminService } from "../../../gen/admin/v1/admin_pb.ts";
import { InventoryService } from "../../../gen/inventory/v1/inventory_pb.ts";
import { UsageService } from "../../../gen/usage/v1/usage_pb.ts";
import { reasonOf } from "../../contract/errors.ts";
import { CommandError, type FailedRequest } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { serverEvents } from "../items/stock-events.ts";
import { type FieldSources, toCommandError } from "./field-sources.ts";
import { probeServer } from "./server-probe.ts";
import type { ServerTarget } from "./server-target.ts";
import type { Session } from "./session.ts";

/** Longest time to wait for a connection, in milliseconds. */
const connectTimeoutMs = 5_000;

/** When a command says that it waits for a connection, in milliseconds. */
const noticeMs = 400;

/** How often an open call checks whether the server still responds, and how long it may take, in milliseconds. */
const pingIntervalMs = 10_000;
const pingTimeoutMs = 5_000;

/**
 * Connects to a running server while `use` runs.
 *
 * @param target the server; HTTP/2, with or without TLS
 * @param sources the option of each request field, for error messages
 * @returns the result of `use`
 * @throws CommandError if the server rejects a request or cannot be reached
 */
export async function withServer<T>(
  environment: Environment,
  { url, apiKey, source }: ServerTarget,
  sources: FieldSources,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const sessionManager = new Http2SessionManager(url.origin, {
    pingIntervalMs,
    pingTimeoutMs,
  });
  const transport = createConnectTransport({
    baseUrl: url.href,
    httpVersion: "2",
    sessionManager: guarded(sessionManager),
    interceptors: [
      (next) => (request) => {
        request.header.set("authorization", `Bearer ${apiKey}`);
        return next(request);
      },
    ],
  });
  try {
    await reach(environment, url.origin, source);
    const inventory = createClient(InventoryService, transport);
    return await use({
      admin: createClient(AdminService, transport),
      inventory,
      usage: createClient(UsageService, transport),
      stockEvents: (signal, selection) => serverEvents(inventory, signal, selection),
    });
  } catch (error) {
    throw toCommandError(sources, error, failedRequest(error));
  } finally {
    sessionManager.abort();
  }
}

/** Checks that a server responds. Within a second, says that it waits. @throws CommandError that says what to do */
async function reach(
  { stderr, jsonErrors }: Environment,
  origin: string,
  source: string,
): Promise<void> {
  const notice = setTimeout(() => {
    if (!jsonErrors) stderr.write(`waiting for the server: ${origin} has not responded yet\n`);
  }, noticeMs);
  const why = await probeServer(origin, connectTimeoutMs);
  clearTimeout(notice);
  if (why === undefined) return;
  throw new CommandError(
    "unavailable",
    `${source}: cannot connect to ${origin}: ${why}. Start the service there, or correct the URL. It must accept HTTP/2`,
  );
}

/**
 * Listens for errors of the connections. A connection fails its calls first and then itself, when the manager may not
 * listen any more. Without a listener, the failure would end the process.
 */
function guarded(
  manager: Http2SessionManager,
): Pick<Http2SessionManager, "authority" | "request" | "notifyResponseByteRead"> {
  const known = new WeakSet<object>();
  return {
    authority: manager.authority,
    async request(method, path, headers, options) {
      const stream = await manager.request(method, path, headers, options);
      const { session } = stream;
      if (session && !known.has(session)) {
        known.add(session);
        session.on("error", () => {});
      }
      return stream;
    },
    notifyResponseByteRead: (stream) => manager.notifyResponseByteRead(stream),
  };
}

/** Returns the reason and the id of a failed request. @returns undefined if the server has not sent them */
function failedRequest(error: unknown): FailedRequest | undefined {
  if (!(error instanceof ConnectError)) return undefined;
  const reason = reasonOf(error);
  const requestId = error.metadata.get("x-request-id");
  return reason !== undefined && requestId ? { reason, requestId } : undefined;
}
