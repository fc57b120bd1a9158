import { X509Certificate } from "node:crypto";
import { ConnectError } from "@connectrpc/connect";
import { createConnectTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { reasonOf } from "../../contract/errors.ts";
import { CommandError, type FailedRequest, usageError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { readText } from "../output/file-format.ts";
import { print } from "../output/terminal.ts";
import { clientsOn, type Session } from "./clients.ts";
import { reportLostConnections } from "./lost-connection.ts";
import { probeServer } from "./server-probe.ts";
import type { ServerTarget } from "./server-target.ts";
import { toCommandError } from "./service-error.ts";
import { serverEvents } from "./stock-events.ts";

/** Longest time to wait for a connection, in milliseconds. With the start of the command, it is less than 2 s. */
const connectTimeoutMs = 1_200;

/** When a command says that it waits for a response, in milliseconds. */
const noticeMs = 1_200;

/** How often an open call checks whether the server still responds, and how long it may take, in milliseconds. */
const pingIntervalMs = 10_000;
const pingTimeoutMs = 5_000;

/** Connects to a running server while `use` runs. @throws CommandError if the server cannot be reached or rejects a request */
export async function withServer<T>(
  environment: Environment,
  { url, apiKey, source, caFile }: ServerTarget,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const tls = caFile === undefined ? {} : { ca: await readAuthorities(caFile) };
  const pings = { pingIntervalMs, pingTimeoutMs };
  const sessionManager = new Http2SessionManager(url.origin, pings, tls);
  const { interceptor, sessions } = reportLostConnections(sessionManager);
  const transport = createConnectTransport({
    baseUrl: url.href,
    httpVersion: "2",
    // An empty or cut response is never valid JSON. In binary, it would be read as a message without the missing fields.
    useBinaryFormat: false,
    sessionManager: sessions,
    interceptors: [
      interceptor,
      (next) => async (request) => {
        request.header.set("authorization", `Bearer ${apiKey}`);
        // A call with a stream may take long although the server responds.
        using _ = request.stream ? undefined : noticeOfSilence(environment, url.origin);
        return await next(request);
      },
    ],
  });
  try {
    const why = await probeServer(url.origin, tls, connectTimeoutMs);
    if (why !== undefined) {
      throw new CommandError("unavailable", `${source}: cannot connect to ${url.origin}: ${why}`);
    }
    const clients = clientsOn(transport);
    return await use({
      ...clients,
      stockEvents: (signal, selection) => serverEvents(clients.inventory, signal, selection),
    });
  } catch (error) {
    throw toCommandError(environment, error, failedRequest(error));
  } finally {
    sessionManager.abort();
  }
}

/** Says after a time that a server has not responded, unless it is disposed before. */
function noticeOfSilence({ stderr, jsonErrors }: Environment, origin: string): Disposable {
  const timer = setTimeout(() => {
    if (!jsonErrors) print(stderr, `waiting for the server: ${origin} has not responded yet\n`);
  }, noticeMs);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

/** Reads the certificates of authorities. @throws CommandError if there are none in the file */
async function readAuthorities(path: string): Promise<string> {
  const pem = await readText(path, "INVENTORY_CA_FILE: ");
  try {
    new X509Certificate(pem);
    return pem;
  } catch {
    throw usageError(
      `INVENTORY_CA_FILE: ${path}: has no PEM certificate. Set it to a file that has one`,
    );
  }
}

/** Returns the reason and the id of a failed request. @returns undefined if the server has not sent them */
function failedRequest(error: unknown): FailedRequest | undefined {
  if (!(error instanceof ConnectError)) return undefined;
  const reason = reasonOf(error);
  const requestId = error.metadata.get("x-request-id");
  return reason !== undefined && requestId ? { reason, requestId } : undefined;
}
