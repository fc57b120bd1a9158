import type { CallOptions, Client, Interceptor, Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { AdminService } from "./gen/admin/v1/admin_pb.js";
import { CatalogService } from "./gen/catalog/v1/catalog_pb.js";
import {
  type InventoryChange,
  type InventoryItem,
  InventoryService,
} from "./gen/inventory/v1/inventory_pb.js";
import { type Hold, type HoldState, type Order, StoreService } from "./gen/store/v1/store_pb.js";
import { type GetUsageResponse, UsageService } from "./gen/usage/v1/usage_pb.js";
import { type ConfirmedHold, type HoldRequest, withHold } from "./holds.js";
import { allPages } from "./pages.js";
import type { RetryPolicy } from "./retry.js";
import { createServiceClient } from "./service.js";
import { resumingWatch, type WatchEvent, type WatchOptions } from "./watch.js";

export interface ClientOptions extends Partial<RetryPolicy> {
  /** URL of the service, such as `https://inventory.example.com`. */
  readonly baseUrl: string;
  /** The API key. A function is called for every attempt, so that a key can be replaced while the program runs. */
  readonly apiKey: string | (() => string | Promise<string>);
  /** Replaces the global `fetch`, for example to use a proxy. */
  readonly fetch?: typeof globalThis.fetch;
  /**
   * Creates another transport than Connect over `fetch`, such as gRPC over HTTP/2 with `@connectrpc/connect-node`. The
   * interceptors must be passed to it: they send the key.
   */
  readonly transport?: (options: { baseUrl: string; interceptors: Interceptor[] }) => Transport;
}

/** Options of lists. */
export interface ListOptions extends CallOptions {
  /** Number of elements to read at once, 1 to 1,000, or 200 for changes and holds. The default is the most. */
  readonly pageSize?: number;
}

/** A client of the inventory service. It can be used for any number of simultaneous calls. */
export interface InventoryClient {
  /** The methods of `inventory.v1.InventoryService`. */
  readonly inventory: Client<typeof InventoryService>;
  /** The methods of `catalog.v1.CatalogService`, except uploads from browsers. */
  readonly catalog: Client<typeof CatalogService>;
  /** The methods of `store.v1.StoreService`. */
  readonly store: Client<typeof StoreService>;
  /** The methods of `admin.v1.AdminService`, for keys with the scope `admin`. */
  readonly admin: Client<typeof AdminService>;
  /** All items, in ascending order of pet id. */
  items(options?: ListOptions): AsyncGenerator<InventoryItem, void, undefined>;
  /** The history of all pets, or of one pet, newest change first. */
  changes(
    options?: ListOptions & { readonly petId?: bigint },
  ): AsyncGenerator<InventoryChange, void, undefined>;
  /** The orders of the account, newest first. */
  orders(options?: ListOptions): AsyncGenerator<Order, void, undefined>;
  /** The holds of the account, those that began last first. Active ones, unless `state` names others. */
  holds(
    options?: ListOptions & { readonly petId?: bigint; readonly state?: readonly HoldState[] },
  ): AsyncGenerator<Hold, void, undefined>;
  /**
   * Holds units, and calls a function. When it returns, the hold is confirmed. When it throws, the hold is released, and
   * `withHold` throws the same error. It throws HoldNotConfirmedError if the function has returned and the hold is not
   * confirmed, such as after its end.
   *
   * @param options a signal cancels only the hold: pass it to what the function calls, too
   */
  withHold<T>(
    request: HoldRequest,
    callback: (hold: Hold) => T | Promise<T>,
    options?: CallOptions,
  ): Promise<ConfirmedHold<T>>;
  /** The limits of the account, what is left of them, and its requests in the last hour and the last 30 days. */
  usage(options?: CallOptions): Promise<GetUsageResponse>;
  /** The whole stock, then every change once and in order. Reconnects by itself. */
  watch(options?: WatchOptions): AsyncGenerator<WatchEvent, void, undefined>;
}

/** Creates a client. It connects when it is used. */
export function createInventoryClient(options: ClientOptions): InventoryClient {
  const { baseUrl, timeoutMs = 30_000, attemptTimeoutMs = 10_000, maxRetries = 4 } = options;
  const interceptors = [withKey(options.apiKey)];
  const transport =
    options.transport?.({ baseUrl, interceptors }) ??
    createConnectTransport({
      baseUrl,
      interceptors,
      useBinaryFormat: true,
      ...(options.fetch && { fetch: options.fetch }),
    });
  const policy = { timeoutMs, attemptTimeoutMs, maxRetries };
  const inventory = createServiceClient(InventoryService, transport, policy);
  const catalog = createServiceClient(CatalogService, transport, policy);
  const store = createServiceClient(StoreService, transport, policy);
  const admin = createServiceClient(AdminService, transport, policy);
  const usage = createServiceClient(UsageService, transport, policy);
  return {
    inventory,
    catalog,
    store,
    admin,
    items: ({ pageSize = 1_000, ...call } = {}) =>
      allPages(
        (pageToken) => inventory.listInventory({ pageSize, pageToken }, call),
        ({ items }) => items,
      ),
    changes: ({ pageSize = 200, petId, ...call } = {}) =>
      petId === undefined
        ? allPages(
            (pageToken) => inventory.listInventoryChanges({ pageSize, pageToken }, call),
            ({ changes }) => changes,
          )
        : allPages(
            (pageToken) => inventory.listItemChanges({ petId, pageSize, pageToken }, call),
            ({ changes }) => changes,
          ),
    orders: ({ pageSize = 1_000, ...call } = {}) =>
      allPages(
        (pageToken) => store.listOrders({ pageSize, pageToken }, call),
        ({ orders }) => orders,
      ),
    holds: ({ pageSize = 200, petId, state = [], ...call } = {}) =>
      allPages(
        (pageToken) =>
          store.listHolds(
            { pageSize, pageToken, state: [...state], ...(petId !== undefined && { petId }) },
            call,
          ),
        ({ holds }) => holds,
      ),
    withHold: (request, callback, options = {}) => withHold(store, request, callback, options),
    usage: (call) => usage.getUsage({}, call),
    watch: (options) =>
      resumingWatch(
        (resumeToken, call) => inventory.watchInventory({ resumeToken }, call),
        options,
      ),
  };
}

function withKey(key: ClientOptions["apiKey"]): Interceptor {
  return (next) => async (request) => {
    request.header.set("authorization", `Bearer ${typeof key === "string" ? key : await key()}`);
    return await next(request);
  };
}
