import { setTimeout as delay } from "node:timers/promises";
import {
  create,
  type DescMessage,
  type DescMethod,
  fromJson,
  type Message,
  type MessageInitShape,
} from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import { CatalogService, ImportPetsRequestSchema } from "../../gen/catalog/v1/catalog_pb.ts";
import { InventoryService, PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { PetService } from "../../gen/pets/v1/pets_pb.ts";
import { HoldState } from "../../gen/store/v1/store_pb.ts";
import { requestKey } from "../../packages/connect-gateway/src/call/request-info.ts";
import { bindRoutes } from "../../packages/connect-gateway/src/call/routes.ts";
import { rpcName } from "../../packaging/generate/samples/requests.ts";
import { defaultScopes, scopes } from "../../src/access/scopes.ts";
import type { CallContext } from "../../src/common/call-context.ts";
import { importStream } from "../../src/services/catalog/import-stream.ts";
import type { HoldChange } from "../../src/stores/hold-store.ts";
import { createMemoryStores } from "../../src/stores/memory/stores.ts";
import { unknownOrigin } from "../../src/stores/stock-change.ts";
import { rawProtocols } from "../rpc/raw-protocols.ts";
import { someKey, type TestKey } from "../support/accounts.ts";
import { contextOf } from "../support/context.ts";
import { addSampleData, methods, requestOf, type SampleIds } from "../support/operations.ts";
import { servicesOn } from "../support/services.ts";
import { storeKinds } from "../support/stores.ts";
import {
  bearer,
  type Contract,
  describeApi,
  expectError,
  ownAccount,
  useContract,
} from "./support.ts";

interface Call {
  readonly method: DescMethod;
  readonly message: Message;
}

function callOf<D extends DescMessage>(
  method: DescMethod & { readonly input: D },
  message: MessageInitShape<D>,
): Call {
  return { method, message: create(method.input, message) };
}

const item = { petId: 5n, quantity: 1, status: PetStatus.SOLD };

/** The methods that can change something. */
const changing = methods.filter(
  ({ idempotency }) => idempotency !== IdempotencyLevel.NO_SIDE_EFFECTS,
);

/** One call of each method, apart from watches. */
function callsOf(some: typeof methods, ids: SampleIds): readonly Call[] {
  return some
    .filter(({ name }) => name !== "WatchInventory")
    .map((method) => ({ method, message: fromJson(method.input, requestOf(method, ids)) }));
}

/** All data that a call can change. */
async function everything({ server: { stores } }: Contract) {
  const { holds, inventory, orders, accounts } = stores;
  const all = await accounts.listAccounts(undefined, 100);
  const ids = all.accounts.map(({ accountId }) => accountId);
  return {
    ...(await inventory.list()),
    accounts: all.accounts,
    keys: await Promise.all(ids.map((id) => accounts.listKeys(id))),
    orders: await Promise.all(ids.map((id) => orders.list({ accountId: id, limit: 100 }))),
    holds: await holds.list({ states: [HoldState.ACTIVE], limit: 100 }),
  };
}

/**
 * Makes a copy of a store.
 *
 * @param called receives for each call of the store whether the context was among its arguments
 */
function observed<T extends object>(
  store: T,
  { deadline }: CallContext,
  called: (method: string, hasContext: boolean) => void,
): T {
  return new Proxy(store, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value !== "function") return value;
      return (...args: readonly unknown[]) => {
        // The holds take it as a part of their change.
        const isPassed = (arg: unknown) =>
          [arg, (arg as HoldChange | undefined)?.context].some(
            (each) => (each as CallContext | undefined)?.deadline === deadline,
          );
        called(String(name), args.some(isPassed));
        return Reflect.apply(value, target, args);
      };
    },
  });
}

async function* only<T>(message: T): AsyncGenerator<T> {
  yield message;
}

describe("a service passes its call to the store", () => {
  const key = someKey(ownAccount);
  const calls = [
    ...callsOf(methods, { accountId: "bbbbbbbbbbbb", keyId: key.keyId, orderId: "1" }),
    callOf(InventoryService.method.listInventory, { pageSize: 1 }),
  ].map((each) => [each.method.name, each] as const);
  test.each(calls)("%s", async (_name, each) => {
    const stores = createMemoryStores();
    await stores.accounts.createAccount(ownAccount, "", { plan: "free" });
    await stores.catalog.put([item]);
    const caller = { accountId: ownAccount, keyId: key.keyId, scopes: new Set(scopes) };
    const counted = { accountId: ownAccount, keyHash: "", countedAt: 0 };
    const request = {
      ...requestKey.defaultValue,
      id: "a request",
      deadline: performance.now() + 60_000,
    };
    const context = contextOf({ ...caller, counted }, request);
    const called = new Map<string, boolean>();
    const observe = <T extends object>(store: T) =>
      observed(store, request, (name, hasContext) => called.set(name, hasContext));
    const methods = bindRoutes(
      servicesOn({
        ...stores,
        catalog: observe(stores.catalog),
        inventory: observe(stores.inventory),
        holds: observe(stores.holds),
        orders: observe(stores.orders),
        accounts: observe(stores.accounts),
        audit: observe(stores.audit),
        usage: observe(stores.usage),
      }),
    );
    const method = methods.find(({ desc }) => desc === each.method);
    if (method?.kind === "unary") {
      const made = method.invoke(each.message as never, context);
      await made.catch((error: unknown) => expect(error).toBeInstanceOf(ConnectError));
    } else if (method) {
      await Array.fromAsync(method.invoke(only(each.message) as never, context));
    } else expect.unreachable("there is no such method");
    expect([...called.values()]).toContain(true);
    expect([...called.values()]).not.toContain(false);
  });
});

describe.each(storeKinds)(
  "an import whose deadline passes between two messages, on $name",
  (kind) => {
    const under = kind.use();

    test("applies only the messages before it", async () => {
      const { catalog, inventory } = under.stores;
      const context = { deadline: performance.now() + 60_000 };
      async function* messages() {
        yield create(ImportPetsRequestSchema, { pets: [item] });
        // The first message has been applied.
        context.deadline = performance.now() - 1;
        yield create(ImportPetsRequestSchema, { pets: [{ ...item, petId: 6n }] });
      }
      const imported = importStream(
        catalog,
        messages(),
        { origin: unknownOrigin, pay: async () => {} },
        context,
      );
      await expect(imported).rejects.toMatchObject({ code: Code.DeadlineExceeded });
      expect((await inventory.list()).items).toMatchObject([item]);
    });
  },
);

describeApi("a passed deadline in $name", (contract) => {
  const own: { key?: TestKey } = {};

  beforeEach(async () => {
    const scopes = [...defaultScopes, "admin" as const];
    own.key = await contract.newAccount("cccccccccccc", { plan: "business" }, scopes);
  });

  const authorization = () => (own.key ? bearer(own.key) : "");

  test.each(rawProtocols)("changes nothing by $name", async ({ call }) => {
    const { server } = contract;
    const calls = await Promise.all(
      changing.map(async (method) => {
        const { key, ...ids } = await addSampleData(server.stores, method);
        const caller = method.parent === AdminService ? authorization() : bearer(key);
        return callsOf([method], ids).map((each) => ({ ...each, authorization: caller }));
      }),
    );
    // Admission records the last use of a key, whatever the result of the call is.
    const first = callOf(PetService.method.getPet, { petId: 1n });
    for (const { authorization } of calls.flat()) {
      await call(server.port, { ...first, authorization });
    }
    const before = await everything(contract);
    const codes: Record<string, string> = {};
    for (const each of calls.flat()) {
      codes[rpcName(each.method)] = (await call(server.port, { ...each, timeoutMs: 0 })).code;
    }
    expect(codes).toEqual(
      Object.fromEntries(Object.keys(codes).map((name) => [name, "deadline_exceeded"])),
    );
    expect(await everything(contract)).toEqual(before);
  });

  test("a call by JSON over HTTP changes nothing", async () => {
    const reply = await contract.send("PATCH /v1/inventory/1", {
      headers: { "content-type": "application/json", "connect-timeout-ms": "0" },
      body: '{"quantity":5}',
    });
    expectError(reply, 504, "deadline_exceeded");
    expect(await contract.server.stores.inventory.get(1n)).toMatchObject({ quantity: 12 });
  });

  test("a call without a timeout, or with time left, succeeds", async () => {
    const { port } = contract.server;
    for (const [index, { call }] of rawProtocols.entries()) {
      const quantity = 20 + index;
      const made = callOf(InventoryService.method.updateInventory, {
        petId: 1n,
        update: { quantity },
      });
      const timeoutMs = index % 2 === 0 ? {} : { timeoutMs: 10_000 };
      const { code } = await call(port, { ...made, authorization: authorization(), ...timeoutMs });
      expect(code).toBe("ok");
      expect(await contract.server.stores.inventory.get(1n)).toMatchObject({ quantity });
    }
  });
});

describe.each(storeKinds.slice(0, 1))(
  "the deadline of a call that admission holds back",
  (kind) => {
    const contract = useContract(kind);
    const timeoutMs = 10_000;

    /** Holds each call back. @returns checks that the store got one deadline, counted from before the hold on */
    function holdBack() {
      const { admission, catalog, inventory } = contract.server.stores;
      const own = { sent: performance.now(), heldSince: 0, deadlines: [] as number[] };
      const admitKey = admission.admitKey.bind(admission);
      const admit = vi.spyOn(admission, "admitKey").mockImplementation(async (...args) => {
        own.heldSince = performance.now();
        await delay(20);
        return admitKey(...args);
      });
      const spyOn = <K extends string>(store: Record<K, unknown>, name: K) => {
        const original = (store[name] as (...args: unknown[]) => unknown).bind(store);
        return vi.spyOn(store, name as never).mockImplementation(((...args: unknown[]) => {
          const context = args.findLast(
            (arg): arg is CallContext => arg instanceof Object && "deadline" in arg,
          );
          own.deadlines.push(context?.deadline ?? Number.NaN);
          return original(...args);
        }) as never);
      };
      const spies = [admit, spyOn(catalog, "put"), spyOn(inventory, "change")];
      onTestFinished(() => {
        for (const spy of spies) spy.mockRestore();
      });
      return () => {
        const [from = Number.NaN, ...others] = own.deadlines.map((at) => at - timeoutMs);
        expect(others).toEqual([]);
        expect(from).toBeGreaterThan(own.sent);
        expect(from).toBeLessThanOrEqual(own.heldSince);
      };
    }

    const calls = [
      callOf(InventoryService.method.updateInventory, { petId: 1n, update: { quantity: 5 } }),
      callOf(CatalogService.method.importPets, { pets: [item] }),
    ].map((each) => [each.method.name, each] as const);

    describe.each(rawProtocols)("by $name", ({ call }) => {
      test.each(calls)("is counted from its arrival on: %s", async (_, each) => {
        const key = await contract.newAccount("cccccccccccc", { plan: "business" }, [...scopes]);
        const expectFromArrival = holdBack();
        const { code } = await call(contract.server.port, {
          ...each,
          authorization: bearer(key),
          timeoutMs,
        });
        expect(code).toBe("ok");
        expectFromArrival();
      });
    });

    test("is counted from its arrival on: JSON over HTTP", async () => {
      const expectFromArrival = holdBack();
      const headers = { "content-type": "application/json", "connect-timeout-ms": `${timeoutMs}` };
      const reply = await contract.send("PATCH /v1/inventory/1", {
        headers,
        body: '{"quantity":5}',
      });
      expect(reply.status).toBe(200);
      expectFromArrival();
    });
  },
);
