import { setTimeout as delay } from "node:timers/promises";
import {
  type CallOptions,
  Code,
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
} from "./gen/google/rpc/error_details_pb.ts";
import { InventoryService } from "./gen/inventory/v1/inventory_pb.ts";
import { StoreService } from "./gen/store/v1/store_pb.ts";

/** An environment variable that `npm run task clients` sets. */
function env(name: string): string {
  const value = process.env[`INVENTORY_${name}`];
  if (value === undefined) {
    throw new Error(`INVENTORY_${name} is not set: run \`npm run task clients\``);
  }
  return value;
}

/** A well-formed id that does not exist. */
const unknownPet = 2n ** 63n - 1n;

/** A note that makes a message exceed the size limit of the service. */
const longNote = "z".repeat(100_000);

/** The headers with the rate limits of the account, in every response. */
const limits = [
  "x-ratelimit-limit",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
  "ratelimit",
  "ratelimit-policy",
];

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

/** Returns the error of a failed call. */
function refusal(call: Promise<unknown>): Promise<ConnectError> {
  return call.then(() => Promise.reject(new Error("the call succeeded")), ConnectError.from);
}

/** Returns the seconds to wait before a retry; undefined if a retry does not help. */
function retryAfter(error: ConnectError): number | undefined {
  const [retry] = error.findDetails(RetryInfoSchema);
  return retry && Number(retry.retryDelay?.seconds);
}

interface Refusal {
  readonly reason: string;
  readonly call: () => Promise<unknown>;
  readonly code: Code;
  /** A key of the error's metadata. */
  readonly metadata?: string;
}

describe.each(Object.entries(transports))("%s", (_, open) => {
  const anonymous = createClient(InventoryService, open(env("URL"), []));
  const inventory = (key: string) =>
    createClient(InventoryService, open(env("URL"), [withKey(key)]));
  const own = inventory(env("API_KEY"));
  const store = createClient(StoreService, open(env("URL"), [withKey(env("API_KEY"))]));
  const down = createClient(InventoryService, open(env("DOWN_URL"), [withKey(env("API_KEY"))]));
  const petId = BigInt(env("PET"));

  /** Some error reasons, each with a call, the code and the key of its metadata. */
  const refusals: readonly Refusal[] = [
    {
      reason: "KEY_MISSING",
      call: () => anonymous.listInventory({}),
      code: Code.Unauthenticated,
    },
    {
      reason: "FIELD_INVALID",
      call: () => own.updateInventory({ petId, update: { quantity: -1 } }),
      code: Code.InvalidArgument,
    },
    {
      reason: "PET_NOT_FOUND",
      call: () => own.updateInventory({ petId: unknownPet, update: { quantity: 1 } }),
      code: Code.NotFound,
      metadata: "petId",
    },
    {
      reason: "STOCK_TOO_SMALL",
      call: () => store.placeOrder({ petId, quantity: 2_147_483_647 }),
      code: Code.FailedPrecondition,
      metadata: "available",
    },
    {
      reason: "VERSION_MISMATCH",
      call: () =>
        own.updateInventory({ petId, update: { quantity: 1 }, expectedVersion: unknownPet }),
      code: Code.Aborted,
      metadata: "version",
    },
    {
      reason: "MESSAGE_TOO_LARGE",
      call: () => own.updateInventory({ petId, update: { quantity: 1 }, note: longNote }),
      code: Code.ResourceExhausted,
    },
    {
      reason: "STORE_UNAVAILABLE",
      call: () => down.listInventory({}),
      code: Code.Unavailable,
    },
  ];

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
    expect(code).toBe(Code.DeadlineExceeded);
  });

  test.each(refusals)("refused $reason", async ({ reason, call, code, metadata }) => {
    const error = await refusal(call());
    const [info] = error.findDetails(ErrorInfoSchema);
    expect([error.code, info?.reason, info?.domain]).toEqual([code, reason, "inventory"]);
    if (metadata) expect(info?.metadata).toHaveProperty(metadata);
    expect(Number(retryAfter(error) ?? 0) >= 1).toBe(code === Code.Unavailable);
    const [field] = error.findDetails(BadRequestSchema)[0]?.fieldViolations ?? [];
    expect(field?.field).toBe(reason === "FIELD_INVALID" ? "update.quantity" : undefined);
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
    expect(refused.findDetails(ErrorInfoSchema)[0]?.reason).toBe("RATE_LIMITED");
    await delay(Number(retryAfter(refused)) * 1000);
    await limited.listInventory({});
  });
});
