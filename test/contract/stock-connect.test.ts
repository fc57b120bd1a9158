import {
  type DescMethod,
  type DescMethodStreaming,
  type DescMethodUnary,
  fromJson,
  type JsonObject,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { describe, expect, onTestFinished, test } from "vitest";
import { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import { InventoryService } from "../../gen/inventory/v1/inventory_pb.ts";
import { scopes } from "../../src/access/scopes.ts";
import { createAdmitter } from "../../src/admission/admission.ts";
import { readConfig } from "../../src/config/config.ts";
import { createUsageShipper } from "../../src/services/usage/usage-shipper.ts";
import { createWatchService } from "../../src/services/watch/watch-service.ts";
import { createMemoryStores } from "../../src/stores/memory/stores.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { addAccount, addKey, type TestKey } from "../support/accounts.ts";
import {
  addSampleData,
  invalidRequestOf,
  methods,
  otherScopesOf,
  requestOf,
  type SampleData,
  type SampleIds,
} from "../support/operations.ts";
import { useServer } from "../support/server.ts";
import { servicesOn } from "../support/services.ts";
import { serveByStockConnect } from "../support/stock-connect.ts";
import { memoryKind } from "../support/stores.ts";
import { bearer, ownAccount } from "./support.ts";

/** Adds an operator to the stores of a server. */
async function sideOf(stores: Stores, transport: Transport): Promise<Side> {
  const limits = { perMinute: 10_000, perDay: 100_000 };
  await addAccount(stores, { plan: "enterprise", limits }, ownAccount);
  const all = await addKey(stores, ownAccount, { scopes: [...scopes] });
  return { transport, stores, all, none: await addKey(stores, ownAccount, { scopes: [] }) };
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

/** One server, and the keys of an operator. */
interface Side {
  readonly transport: Transport;
  readonly stores: Stores;
  /** A key with all scopes, and one without. */
  readonly all: TestKey;
  readonly none: TestKey;
}

/** A call, and the code that it ends with. */
interface Case {
  readonly name: string;
  readonly method: DescMethod;
  /** The key of the call; if absent, the key of the sample data, or the operator's for AdminService. */
  readonly key?: "none" | undefined;
  readonly json: (ids: SampleIds) => JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
  readonly code?: Code;
}

/** Returns calls of a method: by a key without scopes, with an invalid message, and as it should be. */
function casesOf(method: DescMethod): readonly Case[] {
  const made: Case = { name: "made", method, json: (ids) => requestOf(method, ids) };
  const invalid = invalidRequestOf(method);
  return [
    ...(otherScopesOf(method)
      ? [{ ...made, name: "refused", key: "none" as const, code: Code.PermissionDenied }]
      : []),
    ...(invalid
      ? [{ ...made, name: "invalid", json: () => invalid, code: Code.InvalidArgument }]
      : []),
    made,
  ];
}

const { method: stock } = InventoryService;
const update = { petId: "1", update: { quantity: 3 }, idempotencyKey: "once" };

const others: readonly (Omit<Case, "json"> & Partial<Pick<Case, "json">>)[] = [
  {
    name: "no key",
    method: stock.listInventory,
    headers: { authorization: "" },
    code: Code.Unauthenticated,
  },
  { name: "a tag", method: stock.getInventoryItem, headers: { "if-match": "*" } },
  {
    name: "another tag",
    method: stock.getInventoryItem,
    headers: { "if-match": '"1"' },
    code: Code.Aborted,
  },
  { name: "once", method: stock.updateInventory, json: () => update },
  { name: "again", method: stock.updateInventory, json: () => update },
  {
    name: "reused",
    method: stock.updateInventory,
    json: () => ({ ...update, update: { quantity: 4 } }),
    code: Code.FailedPrecondition,
  },
  {
    name: "nothing",
    method: stock.getInventoryItem,
    json: () => ({ petId: "404" }),
    code: Code.NotFound,
  },
];

/** Calls in groups that share their data. */
const groups: readonly (readonly Case[])[] = [
  ...methods.map(casesOf),
  others.map((each) => ({ json: (ids) => requestOf(each.method, ids), ...each })),
];

/** Returns a response as JSON, without random ids, and without the order that they cause. */
function textOf(method: DescMethod, response: Message): string {
  const byText = (a: string, b: string) => (a < b ? -1 : 1);
  const json = JSON.stringify(toJson(method.output, response))
    .replace(/((?:order(?:_?ids?)?|reference)\\?":\[?\\?")\d+/gi, "$1an order")
    .replace(/(account(?:_?id)?\\?":\\?")(?!a{12})[0-9a-z]{12}/gi, "$1an account")
    .replace(/inv_\w+/g, "a secret")
    .replace(/\b[0-9a-z]{20}\b/g, "a key")
    .replace(/[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}/g, "a request");
  const value: unknown = JSON.parse(json, (name, list) =>
    Array.isArray(list) && (name === "accounts" || name === "keys")
      ? list.map((each: unknown) => JSON.stringify(each)).sort(byText)
      : list,
  );
  return JSON.stringify(value);
}

async function* only<T>(message: T): AsyncGenerator<T> {
  yield message;
}

/** Makes a call. @param data what the sample of the method needs, on this side */
async function call(
  { transport, all, none }: Side,
  { method, json, key, headers }: Case,
  data: SampleData,
): Promise<Outcome> {
  const metadata = new Map<string, string>();
  const collect = (given: Headers) => {
    for (const [name, value] of given) metadata.set(name, value);
  };
  const messages: string[] = [];
  const take = (response: Message) => messages.push(textOf(method, response));
  const request = fromJson(method.input, json(data));
  const own = method.parent === AdminService ? all : data.key;
  const sent = new Headers({ authorization: bearer(key ? none : own), ...headers });
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
    const usage = createUsageShipper(stores.usage, { onDropped() {}, onFault });
    const admission = createAdmitter({
      store: stores.admission,
      anonymousLimits: readConfig({}).anonymousLimits,
      usage,
    });
    const { url, close } = await serveByStockConnect(
      servicesOn(stores, { watch, usage }),
      admission,
    );
    onTestFinished(async () => {
      watch.stop();
      close();
      await usage.close();
    });
    return url;
  }

  test.each(transports)(
    "respond like the service over %s, with known differences",
    async (protocol, transportTo) => {
      const stores = createMemoryStores(() => server.clock.now);
      const url = await serveStock(stores);
      const ours = await sideOf(server.stores, transportTo(server.url));
      const stocks = await sideOf(stores, transportTo(url));
      const differing = new Set<string>();
      for (const group of groups) {
        const [{ method } = { method: stock.listInventory }] = group;
        const data = await addSampleData(ours.stores, method);
        const others = await addSampleData(stocks.stores, method);
        for (const each of group) {
          const { metadata, ...outcome } = await call(ours, each, data);
          const { metadata: expected, ...other } = await call(stocks, each, others);
          const name = `${method.name}, ${each.name}`;
          expect(outcome, name).toEqual(other);
          expect(outcome.code, `${name}: ${outcome.text}`).toBe(each.code);
          for (const name of [...metadata.keys(), ...expected.keys()]) {
            if (metadata.get(name) !== expected.get(name)) differing.add(name);
          }
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
