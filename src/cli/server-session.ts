import { type Client, createClient } from "@connectrpc/connect";
import { createConnectTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import { InventoryService } from "../../gen/inventory/v1/inventory_pb.ts";
import { UsageService } from "../../gen/usage/v1/usage_pb.ts";
import { CommandError, usageError } from "./command-error.ts";
import type { Environment } from "./environment.ts";
import { type FieldSources, toCommandError } from "./field-sources.ts";

/** The services of a server that commands call. */
interface ServerSession {
  readonly admin: Client<typeof AdminService>;
  readonly inventory: Client<typeof InventoryService>;
  readonly usage: Client<typeof UsageService>;
}

/** Environment variable for the API key. Other users of the machine can read command lines. */
const keyVariable = "INVENTORY_API_KEY";

/**
 * Connects to a running server while `use` runs.
 *
 * @param server base URL of the server; HTTP/2, with or without TLS
 * @param sources the option of each request field, for error messages
 * @returns the result of `use`
 * @throws CommandError if the URL is invalid, the key is missing, or the server rejects a request or cannot be
 * reached
 */
export async function withServer<T>(
  { env }: Environment,
  server: string,
  sources: FieldSources,
  use: (server: ServerSession) => Promise<T>,
): Promise<T> {
  const url = URL.parse(server);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw usageError("--server: must be a URL such as https://inventory.example");
  }
  const key = env[keyVariable];
  if (!key) {
    throw new CommandError("unauthenticated", `${keyVariable} is not set: set it to an API key`);
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
    return await use({
      admin: createClient(AdminService, transport),
      inventory: createClient(InventoryService, transport),
      usage: createClient(UsageService, transport),
    });
  } catch (error) {
    throw toCommandError(sources, error);
  } finally {
    sessionManager.abort();
  }
}
