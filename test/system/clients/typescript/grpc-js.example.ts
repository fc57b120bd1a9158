import { setTimeout as delay } from "node:timers/promises";
import {
  type CallOptions,
  credentials,
  Metadata,
  type requestCallback,
  type ServiceError,
} from "@grpc/grpc-js";
import { afterAll, describe, expect, test } from "vitest";
import { BadRequest, ErrorInfo, RetryInfo } from "./gen/grpc-js/google/rpc/error_details.ts";
import { Status } from "./gen/grpc-js/google/rpc/status.ts";
import {
  InventoryServiceClient,
  ListInventoryRequest,
  UpdateInventoryRequest,
  WatchInventoryRequest,
} from "./gen/grpc-js/inventory/v1/inventory.ts";
import {
  ListOrdersRequest,
  PlaceOrderRequest,
  StoreServiceClient,
} from "./gen/grpc-js/store/v1/store.ts";
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

const address = (name: string) => new URL(env(name)).host;
const insecure = credentials.createInsecure();
const inventory = new InventoryServiceClient(address("URL"), insecure);
const store = new StoreServiceClient(address("URL"), insecure);
const down = new InventoryServiceClient(address("DOWN_URL"), insecure);
const petId = BigInt(env("PET"));

afterAll(() => {
  for (const client of [inventory, store, down]) {
    client.close();
  }
});

/** Creates the metadata of a call. */
function withKey(key: string): Metadata {
  const metadata = new Metadata();
  metadata.set("authorization", `Bearer ${key}`);
  return metadata;
}

/** Converts a method with a callback to one that returns a promise. */
function call<A>(method: (callback: requestCallback<A>) => unknown): Promise<A> {
  return new Promise((resolve, reject) => {
    method((error, reply) => (error || !reply ? reject(error) : resolve(reply)));
  });
}

/** Returns the error of a failed call, with its details. */
async function refusal(calling: Promise<unknown>): Promise<Refusal> {
  const error: ServiceError = await calling.then(
    () => Promise.reject(new Error("the call succeeded")),
    (reason: ServiceError) => reason,
  );
  const [packed] = error.metadata.get("grpc-status-details-bin");
  const details = packed instanceof Buffer ? Status.decode(packed).details : [];
  const find = (type: string) => details.find(({ typeUrl }) => typeUrl.endsWith(`/${type}`))?.value;
  const info = find("google.rpc.ErrorInfo");
  const bad = find("google.rpc.BadRequest");
  const retry = find("google.rpc.RetryInfo");
  return {
    code: error.code,
    info: info && ErrorInfo.decode(info),
    field: bad && BadRequest.decode(bad).fieldViolations[0]?.field,
    retryAfter: retry && Number(RetryInfo.decode(retry).retryDelay?.seconds),
  };
}

function list(by: Metadata, { client = inventory, ...options }: ListOptions = {}) {
  return call((callback: requestCallback<{ items: readonly Item[] }>) =>
    client.listInventory(ListInventoryRequest.create(), by, options, callback),
  );
}

function update(pet: bigint, quantity: number, fields: Partial<UpdateInventoryRequest> = {}) {
  const request = UpdateInventoryRequest.create({ petId: pet, update: { quantity }, ...fields });
  return call((callback) => inventory.updateInventory(request, withKey(env("API_KEY")), callback));
}

type Item = { petId: bigint; quantity?: number | undefined };
type ListOptions = CallOptions & { client?: InventoryServiceClient };

describe("grpc-js", () => {
  const calls: Readonly<Record<Reason, () => Promise<unknown>>> = {
    KEY_MISSING: () => list(new Metadata()),
    FIELD_INVALID: () => update(petId, -1),
    PET_NOT_FOUND: () => update(unknownPet, 1),
    STOCK_TOO_SMALL: () => {
      const request = PlaceOrderRequest.create({ petId, quantity: 2_147_483_647 });
      return call((callback) => store.placeOrder(request, withKey(env("API_KEY")), callback));
    },
    VERSION_MISMATCH: () => update(petId, 1, { expectedVersion: 2n ** 63n - 1n }),
    MESSAGE_TOO_LARGE: () => update(petId, 1, { note: longNote }),
    STORE_UNAVAILABLE: () => list(withKey(env("API_KEY")), { client: down }),
  };

  test("updates and lists an exact id", async () => {
    await update(petId, 11);
    const { items } = await list(withKey(env("API_KEY")));
    expect(items.find((item) => item.petId === petId)?.quantity).toBe(11);
  });

  test("reads the limits", async () => {
    const received = Promise.withResolvers<Metadata>();
    await call((callback) =>
      store
        .listOrders(ListOrdersRequest.create(), withKey(env("API_KEY")), callback)
        .on("metadata", received.resolve),
    );
    const headers = await received.promise;
    expect(limits.filter((name) => headers.get(name).length !== 1)).toEqual([]);
    expect(Number(headers.get("x-ratelimit-remaining")[0])).toBeGreaterThan(0);
  });

  test("keeps a deadline", async () => {
    // A watch does not end by itself.
    const request = WatchInventoryRequest.create();
    const deadline = Date.now() + 200;
    const watch = inventory.watchInventory(request, withKey(env("API_KEY")), { deadline });
    const { code } = await refusal(watch.toArray());
    expect(code).toBe(codes.deadlineExceeded);
  });

  test.each(reasons)("refused %s", async (reason) => {
    expectRefusal(await refusal(calls[reason]()), reason);
  });

  test("retries after the reported delay when refused RATE_LIMITED", async () => {
    const refused = await refusal(
      (async () => {
        for (let i = 0; i < 100; i++) {
          await list(withKey(env("LIMITED_KEY")));
        }
      })(),
    );
    expect(refused.info?.reason).toBe("RATE_LIMITED");
    await delay(Number(refused.retryAfter) * 1000);
    await list(withKey(env("LIMITED_KEY")));
  });
});
