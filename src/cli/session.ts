import { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import { InventoryService } from "../../gen/inventory/v1/inventory_pb.ts";
import type { Caller } from "../access/caller.ts";
import { scopes } from "../access/scopes.ts";
import { createLocalClient, type LocalClient } from "../call/local-client.ts";
import { settings } from "../config.ts";
import { createRedisStores } from "../redis/stores.ts";
import { createMethods } from "../services.ts";
import type { Stores } from "../stores.ts";
import { CommandError } from "./command-error.ts";
import type { Environment } from "./environment.ts";
import { type FieldSources, inTermsOf } from "./field-sources.ts";

/** How long to wait for Redis, in milliseconds. */
const readyTimeoutMs = 5_000;

/** The operator may do everything. Nothing is counted: admission stands before the services. */
const operator: Caller = { accountId: "", keyId: "", scopes: new Set(scopes) };

/** What commands work with: the services, called within the process. */
export interface Session {
  readonly admin: LocalClient<typeof AdminService>;
  readonly inventory: LocalClient<typeof InventoryService>;
}

/** The services on some stores, called as the operator. */
export function sessionOn(stores: Stores): Session {
  const methods = createMethods(stores);
  return {
    admin: createLocalClient(AdminService, methods, operator),
    inventory: createLocalClient(InventoryService, methods, operator),
  };
}

/**
 * Connects to the Redis that the server uses, for as long as `use` takes.
 *
 * @param sources the options that a refused request's fields are told as
 * @returns what `use` returned
 * @throws CommandError when REDIS_URL is missing or wrong, Redis can't be reached, or a service
 * refused a request
 */
export function withSession<T>(
  environment: Environment,
  sources: FieldSources,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  return withStores(environment, sources, (stores) => use(sessionOn(stores)));
}

/** The same with the stores themselves, for what no service offers. */
export async function withStores<T>(
  { env }: Environment,
  sources: FieldSources,
  use: (stores: Stores) => Promise<T>,
): Promise<T> {
  const url = redisUrl(env);
  let failure: NodeJS.ErrnoException | undefined;
  const stores = createRedisStores(url, {
    onFailure(error) {
      failure = error instanceof Error ? error : undefined;
    },
  });
  try {
    await stores.ready(readyTimeoutMs).catch(() => {
      const { host } = new URL(url);
      const why = failure?.message || failure?.code || "no answer";
      throw new CommandError("unavailable", `Redis at ${host} can't be used: ${why}`);
    });
    return await use(stores);
  } catch (error) {
    throw inTermsOf(sources, error);
  } finally {
    await stores.close();
  }
}

/**
 * The message that a service's answer always has.
 *
 * @throws Error when it is not there: a bug of the service
 */
export function answered<T>(message: T | undefined): T {
  if (message === undefined) {
    throw new Error("the answer lacks its message");
  }
  return message;
}

/** The URL may hold a password: no error repeats it. */
function redisUrl(env: Environment["env"]): string {
  if (!env.REDIS_URL) {
    throw new CommandError(
      "failed_precondition",
      "there is nothing to administer: set REDIS_URL to the Redis of the service (without it `serve` keeps everything in its own memory, out of reach from here)",
    );
  }
  try {
    return settings.REDIS_URL.parse(env.REDIS_URL);
  } catch (error) {
    throw new CommandError(
      "invalid_argument",
      `REDIS_URL ${error instanceof Error ? error.message : error}`,
    );
  }
}
