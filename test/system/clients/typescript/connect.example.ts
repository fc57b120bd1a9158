import { setTimeout as delay } from "node:timers/promises";
import {
  type CallOptions,
  ConnectError,
  createClient,
  type Interceptor,
  type Transport,
} from "@connectrpc/connect";
import * as node from "@connectrpc/connect-node";
import * as web from "@connectrpc/connect-web";
import { describe, expect, test } from "vitest";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RetryInfoSchema,
} from "./gen/connect/google/rpc/error_details_pb.ts";
import { InventoryService } from "./gen/connect/inventory/v1/inventory_pb.ts";
import { StoreService } from "./gen/connect/store/v1/store_pb.ts";
import {
  codes,
  env,
  expectRefusal,
  limits,
  longNote,
  type Reason,
  type Refusal,
  reasons,
  unknownPet,
} from "./service.ts";

type OpenTransport = (url: string, interceptors: Interceptor[]) => Transport;

const transports: Readonly<Record<string, OpenTransport>> = {
  "connect-node, Connect over HTTP/1.1": (baseUrl, interceptors) =>
    node.createConnectTransport({ baseUrl, httpVersion: "1.1", interceptors }),
  "connect-node, Connect over HTTP/2": (baseUrl, interceptors) =>
    node.createConnectTransport({ baseUrl, httpVersion: "2", interceptors }),
  "connect-node, gRPC": (baseUrl, interceptors) =>
    node.createGrpcTransport({ baseUrl, interceptors }),
  "connect-node, gRPC-Web": (baseUrl, interceptors) =>
    node.createGrpcWebTransport({ baseUrl, httpVersion: "1.1", interceptors }),
  "connect-web, Connect": (baseUrl, interceptors) =>
    web.createConnectTransport({ baseUrl, useHttpGet: true, interceptors }),
  "connect-web, gRPC-Web": (baseUrl, interceptors) =>
    web.createGrpcWebTransport({ baseUrl, interceptors }),
};

/** Sends an API key with every call. */
function withKey(key: string): Interceptor {
  return (next) => (request) => {
    request.header.set("authorization", `Bearer ${key}`);
    return next(request);
  };
}

/** Returns the error of a failed call, with its details. */
async function refusal(call: Promise<unknown>): Promise<Refusal> {
  const error = await call.then(
    () => Promise.reject(new Error("the call succeeded")),
    (reason: unknown) => ConnectError.from(reason),
  );
  const retry = error.findDetails(RetryInfoSchema)[0]?.retryDelay;
  return {
    code: error.code,
    info: error.findDetails(ErrorInfoSchema)[0],
    field: error.findDetails(BadRequestSchema)[0]?.fieldViolations[0]?.field,
    retryAfter: retry && Number(retry.seconds),
  };
}

describe.each(Object.entries(transports))("%s", (_, open) => {
  const anonymous = createClient(InventoryService, open(env("URL"), []));
  const inventory = (key: string) =>
    createClient(InventoryService, open(env("URL"), [withKey(key)]));
  const own = inventory(env("API_KEY"));
  const store = createClient(StoreService, open(env("URL"), [withKey(env("API_KEY"))]));
  const down = createClient(InventoryService, open(env("DOWN_URL"), [withKey(env("API_KEY"))]));
  const petId = BigInt(env("PET"));

  const calls: Readonly<Record<Reason, () => Promise<unknown>>> = {
    KEY_MISSING: () => anonymous.listInventory({}),
    FIELD_INVALID: () => own.updateInventory({ petId, update: { quantity: -1 } }),
    PET_NOT_FOUND: () => own.updateInventory({ petId: unknownPet, update: { quantity: 1 } }),
    STOCK_TOO_SMALL: () => store.placeOrder({ petId, quantity: 2_147_483_647 }),
    VERSION_MISMATCH: () =>
      own.updateInventory({ petId, update: { quantity: 1 }, expectedVersion: 2n ** 63n - 1n }),
    MESSAGE_TOO_LARGE: () =>
      own.updateInventory({ petId, update: { quantity: 1 }, note: longNote }),
    STORE_UNAVAILABLE: () => down.listInventory({}),
  };

  test("updates and lists an exact id", async () => {
    await own.updateInventory({ petId, update: { quantity: 11 } });
    const { items } = await own.listInventory({});
    expect(items.find((item) => item.petId === petId)?.quantity).toBe(11);
  });

  test("lists pages", async () => {
    const client = own;
    const shown: bigint[] = [];
    const show = (items: readonly { readonly petId: bigint }[]) => {
      shown.push(...items.map((item) => item.petId));
    };
    // docs/caller/clients.md shows these lines.
    let pageToken = "";
    do {
      const page = await client.listInventory({ pageSize: 1_000, pageToken });
      show(page.items);
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
    expect(shown.length).toBeGreaterThan(1_000);
    expect(shown.filter((id) => id === petId)).toEqual([petId]);
  });

  test("reads the limits", async () => {
    let headers = new Headers();
    const options: CallOptions = {
      onHeader: (received) => {
        headers = received;
      },
    };
    await store.listOrders({}, options);
    expect(limits.filter((name) => !headers.get(name))).toEqual([]);
    expect(Number(headers.get("x-ratelimit-remaining"))).toBeGreaterThan(0);
  });

  test("keeps a deadline", async () => {
    // A watch does not end by itself.
    const { code } = await refusal(Array.fromAsync(own.watchInventory({}, { timeoutMs: 200 })));
    expect(code).toBe(codes.deadlineExceeded);
  });

  test.each(reasons)("refused %s", async (reason) => {
    expectRefusal(await refusal(calls[reason]()), reason);
  });

  test("retries after the reported delay when refused RATE_LIMITED", async () => {
    const limited = inventory(env("LIMITED_KEY"));
    const refused = await refusal(
      (async () => {
        for (let i = 0; i < 100; i++) {
          await limited.listInventory({});
        }
      })(),
    );
    expect(refused.info?.reason).toBe("RATE_LIMITED");
    await delay(Number(refused.retryAfter) * 1000);
    await limited.listInventory({});
  });
});
