import { createClient } from "@connectrpc/connect";
import { createConnectTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import { CommandError, usageError } from "./command-error.ts";
import type { Environment } from "./environment.ts";
import { inTermsOf } from "./field-sources.ts";
import type { ImportTarget } from "./import-rows.ts";

/** The variable that holds the key: what is on a command line, others on the machine can read. */
const keyVariable = "INVENTORY_API_KEY";

/**
 * Calls a server that runs, for as long as `use` takes.
 *
 * @param server its base URL; HTTP/2, with or without TLS
 * @returns what `use` returned
 * @throws CommandError when the URL is wrong, the key is missing, or the server refused a request or
 * can't be reached
 */
export async function withServer<T>(
  { env }: Environment,
  server: string,
  use: (target: ImportTarget) => Promise<T>,
): Promise<T> {
  const url = URL.parse(server);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw usageError("--server: must be a URL such as https://inventory.example");
  }
  const key = env[keyVariable];
  if (!key) {
    throw new CommandError(
      "unauthenticated",
      `set ${keyVariable} to an API key with the scope admin`,
    );
  }
  const sessionManager = new Http2SessionManager(url.origin);
  const transport = createConnectTransport({
    baseUrl: url.href,
    httpVersion: "2",
    sessionManager,
    interceptors: [
      (next) => (request) => {
        request.header.set("authorization", `Bearer ${key}`);
        return next(request);
      },
    ],
  });
  try {
    return await use({ admin: createClient(AdminService, transport) });
  } catch (error) {
    throw inTermsOf({}, error);
  } finally {
    sessionManager.abort();
  }
}
