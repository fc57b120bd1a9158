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
import { BadRequestSchema, ErrorInfoSchema } from "./gen/google/rpc/error_details_pb.ts";
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

function refusal(call: Promise<unknown>): Promise<ConnectError> {
  return call.then(() => Promise.reject(new Error("the call succeeded")), ConnectError.from);
}

describe.each(Object.entries(transports))("%s", (_, open) => {
  const transport = open(env("URL"), [withKey(env("API_KEY"))]);
  const own = createClient(InventoryService, transport);
  const store = createClient(StoreService, transport);
  const petId = BigInt(env("PET"));

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

  test("reads the details of an error", async () => {
    const error = await refusal(own.updateInventory({ petId, update: { quantity: -1 } }));
    const [info] = error.findDetails(ErrorInfoSchema);
    expect(error.code).toBe(Code.InvalidArgument);
    expect([info?.reason, info?.domain]).toEqual(["FIELD_INVALID", "inventory"]);
    const [field] = error.findDetails(BadRequestSchema)[0]?.fieldViolations ?? [];
    expect(field?.field).toBe("update.quantity");
  });
});
