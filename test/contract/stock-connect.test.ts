import {
  create,
  type DescMethod,
  type DescMethodStreaming,
  type DescMethodUnary,
  type Message,
  type MessageInitShape,
  toJson,
} from "@bufbuild/protobuf";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { describe, expect, it, onTestFinished } from "vitest";
import { AdminService, Plan, WritePolicy } from "../../gen/admin/v1/admin_pb.ts";
import { InventoryService, PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { PetService } from "../../gen/pets/v1/pets_pb.ts";
import { OrderStatus, StoreService } from "../../gen/store/v1/store_pb.ts";
import { UsageService } from "../../gen/usage/v1/usage_pb.ts";
import { createAdmission } from "../../src/access/admission/admission.ts";
import { scopes } from "../../src/access/scopes.ts";
import { readConfig } from "../../src/config/config.ts";
import { createServices } from "../../src/services/services.ts";
import { createUsageCounter } from "../../src/services/usage/usage-counter.ts";
import { createWatchService } from "../../src/services/watch/watch-service.ts";
import { createMemoryStores } from "../../src/stores/memory/stores.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { addAccount, addKey, type TestKey } from "../support/accounts.ts";
import { useServer } from "../support/server.ts";
import { serveByStockConnect } from "../support/stock-connect.ts";
import { memoryKind } from "../support/stores.ts";
import { bearer, ownAccount } from "./support.ts";

const other = "dddddddddddd";

/** The keys of a caller, and the id of the order that it has placed. */
interface Known {
  /** A key with all scopes. */
  readonly all: TestKey;
  /** A key without scopes. */
  readonly none: TestKey;
  readonly spare: TestKey;
  orderId: bigint;
}

/** A call that succeeds after those before it. */
interface Step {
  readonly method: DescMethod;
  message(known: Known): unknown;
  /** A message that breaks a bound. Absent if the method has none. */
  readonly invalid?: unknown;
}

function step<D extends DescMethod>(
  method: D,
  message: MessageInitShape<D["input"]> | ((known: Known) => MessageInitShape<D["input"]>),
  invalid?: MessageInitShape<D["input"]>,
): Step {
  return { method, message: typeof message === "function" ? message : () => message, invalid };
}

const [stock, store, admin] = [InventoryService.method, StoreService.method, AdminService.method];
const own = { accountId: ownAccount };
const item = { petId: 5n, quantity: 1, status: PetStatus.SOLD };
const noId = { petId: -1n };
const noAccount = { accountId: "!" };
const noKey = { keyId: "!" };
const noPage = { pageSize: -1 };
const noHold = { holdId: "" };
const order = ({ orderId }: Known) => ({ orderId });
const ownOrder = ({ orderId }: Known) => ({ ...own, orderId });

/** Calls of all methods. */
const steps: readonly Step[] = [
  step(stock.listInventory, {}, noPage),
  step(stock.getInventoryItem, { petId: 1n }, noId),
  step(stock.updateInventory, { petId: 1n, update: { quantity: 50 } }, noId),
  step(stock.adjustInventory, { petId: 1n, delta: 5 }, noId),
  step(stock.batchAdjustInventory, { adjustments: [{ petId: 1n, delta: 5 }] }, {}),
  step(stock.batchUpdateInventory, { updates: [{ petId: 1n, quantity: 70 }] }, {}),
  step(stock.listInventoryChanges, {}, noPage),
  step(stock.listItemChanges, { petId: 1n }, noId),
  step(stock.watchInventory, {}, { resumeToken: "!" }),
  step(PetService.method.getPet, { petId: 1n }, noId),
  step(store.placeOrder, { petId: 1n, quantity: 2 }, noId),
  step(store.getOrder, order, { orderId: -1n }),
  step(store.listOrders, {}, noPage),
  step(store.cancelOrder, order, { orderId: -1n }),
  step(store.putHold, { holdId: "cart", items: [{ petId: 1n, quantity: 1 }] }, noHold),
  step(store.getHold, { holdId: "cart" }, noHold),
  step(store.listHolds, {}, noPage),
  step(admin.getHold, { ...own, holdId: "cart" }, noHold),
  step(admin.listHolds, {}, noPage),
  step(store.releaseHold, { holdId: "cart" }, noHold),
  step(store.putHold, { holdId: "next", items: [{ petId: 1n, quantity: 1 }] }, {}),
  step(store.confirmHold, { holdId: "next" }, noHold),
  step(store.putHold, { holdId: "last", items: [{ petId: 1n, quantity: 1 }] }, {}),
  step(admin.releaseHold, { ...own, holdId: "last" }, noHold),
  step(store.placeOrder, { petId: 1n, quantity: 1 }, {}),
  step(admin.advanceOrder, (known) => ({ ...ownOrder(known), status: OrderStatus.APPROVED }), {}),
  step(admin.listOrders, {}, noPage),
  step(admin.cancelOrder, ownOrder, noAccount),
  step(UsageService.method.getUsage, {}),
  step(admin.createAccount, { name: "new", plan: Plan.FREE }, {}),
  step(admin.getAccount, own, noAccount),
  step(admin.listAccounts, {}, noPage),
  step(admin.setPlan, { accountId: other, plan: Plan.PRO }, noAccount),
  step(admin.setWritePolicy, { accountId: other, writePolicy: WritePolicy.STRICT }, noAccount),
  step(admin.renameAccount, { accountId: other, name: "renamed" }, noAccount),
  step(admin.disableAccount, { accountId: other }, noAccount),
  step(admin.enableAccount, { accountId: other }, noAccount),
  step(admin.createKey, own, noAccount),
  step(admin.listKeys, own, noAccount),
  step(admin.listAllKeys, {}, noPage),
  step(admin.rotateKey, ({ spare }) => ({ keyId: spare.keyId }), noKey),
  step(admin.unbanKey, ({ spare }) => ({ keyId: spare.keyId }), noKey),
  step(admin.revokeKey, ({ spare }) => ({ keyId: spare.keyId }), noKey),
  step(admin.createItem, { item }, {}),
  step(admin.importItems, { items: [item] }, {}),
  step(admin.importInventory, { items: [item] }, { items: [{ ...item, petId: -1n }] }),
  step(admin.setItemStatus, { petId: 5n, status: PetStatus.AVAILABLE }, noId),
  step(admin.removeItem, { petId: 5n }, noId),
  step(admin.listAuditEntries, {}, noPage),
  step(admin.getAccountUsage, own, noAccount),
  step(admin.listTopAccounts, {}, noPage),
  step(admin.listBans, {}, noPage),
  step(admin.deleteAccount, { accountId: other }, noAccount),
];

async function fill(stores: Stores): Promise<Known> {
  await stores.inventory.put([{ petId: 1n, quantity: 12, status: PetStatus.AVAILABLE }]);
  const limits = { perMinute: 10_000, perDay: 100_000 };
  await addAccount(stores, { plan: "enterprise", limits }, ownAccount);
  await addAccount(stores, { plan: "free" }, other);
  return {
    all: await addKey(stores, ownAccount, { scopes: [...scopes] }),
    none: await addKey(stores, ownAccount, { scopes: [] }),
    spare: await addKey(stores, ownAccount),
    orderId: 0n,
  };
}

/** The result of a call, as a client of Connect sees it. */
interface Outcome {
  readonly code: Code | undefined;
  readonly text: string;
  readonly details: ConnectError["details"];
  /** The responses as JSON, without what is random. */
  readonly messages: readonly string[];
  /** Headers and trailers. If a unary call of gRPC fails, the service sends all as trailers; Connect's adapter does not. */
  readonly metadata: ReadonlyMap<string, string>;
}

/** One server, and what its caller knows. */
interface Side {
  readonly transport: Transport;
  readonly known: Known;
}

/** A call, and the code that it ends with. */
interface Case {
  readonly name: string;
  readonly method: DescMethod;
  readonly key: keyof Pick<Known, "all" | "none"> | undefined;
  message(known: Known): unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly code?: Code;
}

/** Each step by a key without scopes, with an invalid message, and as it should be. */
const casesOfSteps = steps.flatMap(({ method, message, invalid }): Case[] => {
  const { name } = method;
  const made: Case = { name: `${name}, made`, method, key: "all", message };
  // It needs no scope.
  if (method === UsageService.method.getUsage) return [made];
  return [
    { ...made, name: `${name}, refused`, key: "none", code: Code.PermissionDenied },
    { ...made, name: `${name}, invalid`, message: () => invalid, code: Code.InvalidArgument },
    made,
  ];
});

const update = { petId: 1n, update: { quantity: 3 }, idempotencyKey: "once" };

const cases: readonly Case[] = [
  ...casesOfSteps,
  ...[
    { name: "no key", method: stock.listInventory, key: undefined, code: Code.Unauthenticated },
    { name: "a tag", method: stock.getInventoryItem, headers: { "if-match": "*" } },
    {
      name: "another tag",
      method: stock.getInventoryItem,
      headers: { "if-match": '"1"' },
      code: Code.Aborted,
    },
    { name: "once", method: stock.updateInventory, message: () => update },
    { name: "again", method: stock.updateInventory, message: () => update },
    {
      name: "reused",
      method: stock.updateInventory,
      message: () => ({ ...update, update: { quantity: 4 } }),
      code: Code.FailedPrecondition,
    },
    {
      name: "nothing",
      method: stock.getInventoryItem,
      message: () => ({ petId: 404n }),
      code: Code.NotFound,
    },
  ].map((each) => ({ key: "all" as const, message: () => ({ petId: 1n }), ...each })),
];

/** Returns a response as JSON, without random ids, and without the order that they cause. */
function textOf(method: DescMethod, response: Message): string {
  const byText = (a: string, b: string) => (a < b ? -1 : 1);
  const json = JSON.stringify(toJson(method.output, response))
    .replace(/(order(?:_?ids?)?\\?":\[?\\?")\d+/gi, "$1an order")
    .replace(/(account(?:_?id)?\\?":\\?")(?!a{12}|d{12})[0-9a-z]{12}/gi, "$1an account")
    .replace(/inv_\w+/g, "a secret")
    .replace(/a{12}[0-9a-z]{8}/g, "a key")
    .replace(/[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}/g, "a request");
  const value: unknown = JSON.parse(json, (name, list) =>
    name === "accounts" || name === "keys"
      ? list.map((each: unknown) => JSON.stringify(each)).sort(byText)
      : list,
  );
  return JSON.stringify(value);
}

async function* only<T>(message: T): AsyncGenerator<T> {
  yield message;
}

async function call(
  { transport, known }: Side,
  { method, message, key, headers }: Case,
): Promise<Outcome> {
  const metadata = new Map<string, string>();
  const collect = (given: Headers) => {
    for (const [name, value] of given) metadata.set(name, value);
  };
  const messages: string[] = [];
  const take = (response: Message) => {
    const { order: placed } = response as Message & { order?: { orderId?: bigint } };
    known.orderId = placed?.orderId ?? known.orderId;
    messages.push(textOf(method, response));
  };
  const request = create(method.input, message(known) as never);
  const authorization = key && { authorization: bearer(known[key]) };
  const sent = new Headers({ ...headers, ...authorization });
  try {
    if (method.methodKind === "unary") {
      const { header, trailer, ...response } = await transport.unary(
        method as DescMethodUnary,
        undefined,
        undefined,
        sent,
        request,
      );
      take(response.message);
      collect(header);
      collect(trailer);
    } else {
      const response = await transport.stream(
        method as DescMethodStreaming,
        undefined,
        undefined,
        sent,
        only(request),
      );
      collect(response.header);
      for await (const each of response.message) {
        take(each);
        // A watch has no end. Its first messages are those of the stock.
        if (messages.length === 2) break;
      }
    }
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    collect(error.metadata);
    const { code, rawMessage: text, details } = error;
    return { code, text, details, messages, metadata };
  }
  return { code: undefined, text: "", details: [], messages, metadata };
}

type Protocol = "Connect" | "gRPC" | "gRPC-Web";
const everywhere: readonly Protocol[] = ["Connect", "gRPC", "gRPC-Web"];

/** The metadata that differ: in which protocols, and why. All else must be equal. */
const differences: Readonly<Record<string, readonly [readonly Protocol[], string]>> = {
  "x-request-id": [everywhere, "the front door sends it; Connect has no such header"],
  "x-content-type-options": [everywhere, "the front door sets it, for browsers"],
  "x-accel-buffering": [everywhere, "the service keeps nginx from buffering streams"],
  "content-encoding": [["Connect"], "the service prefers Brotli; Connect's adapter prefers gzip"],
  "connect-content-encoding": [["Connect"], "the same, for streams"],
  "grpc-encoding": [["gRPC", "gRPC-Web"], "the same"],
  "content-length": [
    ["Connect", "gRPC-Web"],
    "it depends on the coding; Connect omits it in gRPC-Web",
  ],
  "grpc-message": [
    ["gRPC", "gRPC-Web"],
    "the service encodes as little as possible, because some clients show it undecoded",
  ],
};

/** Metadata that depend on the time of a response. */
const timed = ["date", "x-ratelimit-reset"];

const transports = [
  ["Connect", (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: "2" })],
  ["gRPC", (baseUrl: string) => createGrpcTransport({ baseUrl })],
  ["gRPC-Web", (baseUrl: string) => createGrpcWebTransport({ baseUrl, httpVersion: "2" })],
] as const;

it("the cases have all methods", () => {
  const services = [InventoryService, PetService, StoreService, UsageService, AdminService];
  const called = new Set(cases.map(({ method }) => method));
  const missing = services.flatMap(({ methods }) => methods).filter((each) => !called.has(each));
  expect(missing).toEqual([]);
});

describe("the routes on Connect's own adapter", () => {
  const server = useServer(memoryKind);

  /** Serves the same routes on other stores by Connect. @returns the base URL */
  async function serveStock(stores: Stores): Promise<string> {
    const watch = createWatchService(stores, {
      heartbeatMs: 60_000,
      backlog: 100,
      maxPerKey: 10,
      maxPerAccount: 10,
      maxPerProcess: 10,
    });
    const onFault = (error: unknown) => expect.fail(String(error));
    const usage = createUsageCounter(stores.usage, { onDropped() {}, onFault });
    const admission = createAdmission({
      store: stores.admission,
      anonymousLimits: readConfig({}).anonymousLimits,
      usage,
    });
    const { url, close } = await serveByStockConnect(
      createServices(stores, { watch, usage }),
      admission,
    );
    onTestFinished(async () => {
      watch.stop();
      close();
      await usage.close();
    });
    return url;
  }

  it.each(transports)(
    "respond like the service over %s, with known differences",
    async (protocol, transportTo) => {
      const stores = createMemoryStores(() => server.clock.now);
      const url = await serveStock(stores);
      const ours: Side = { transport: transportTo(server.url), known: await fill(server.stores) };
      const stocks: Side = { transport: transportTo(url), known: await fill(stores) };
      const differing = new Set<string>();
      for (const each of cases) {
        const { metadata, ...outcome } = await call(ours, each);
        const { metadata: expected, ...other } = await call(stocks, each);
        expect(outcome, each.name).toEqual(other);
        expect(outcome.code, `${each.name}: ${outcome.text}`).toBe(each.code);
        for (const name of [...metadata.keys(), ...expected.keys()]) {
          if (metadata.get(name) !== expected.get(name)) differing.add(name);
        }
      }
      for (const name of timed) differing.delete(name);
      const known = Object.keys(differences).filter((name) =>
        differences[name]?.[0].includes(protocol),
      );
      expect([...differing].sort()).toEqual(known.sort());
    },
  );
});
