import { request as http1Request } from "node:http";
import type { DescMethod } from "@bufbuild/protobuf";
import { vi } from "vitest";
import { http } from "../../../gen/google/api/annotations_pb.ts";
import { OrderStatus } from "../../../gen/store/v1/store_pb.ts";
import { optionOf } from "../../../packages/connect-gateway/src/call/option.ts";
import { operationIdOf } from "../../../packaging/generate/openapi/operation-notes.ts";
import { readNetwork } from "../../../src/access/network.ts";
import type { Scope } from "../../../src/access/scopes.ts";
import { storeFull, storeUnavailable } from "../../../src/stores/errors.ts";
import { maxQuantity } from "../../../src/stores/inventory-store.ts";
import {
  bearer,
  type Contract,
  ownAccount,
  type Parts,
  type Reply,
  unknownPet,
} from "../../contract/support.ts";
import type { TestKey } from "../../support/accounts.ts";
import {
  addSampleData,
  type HttpRequest,
  httpRequestOf,
  invalidHttpRequestOf,
  methods,
  otherScopesOf,
  type SampleIds,
} from "../../support/operations.ts";
import { placed } from "../../support/stock.ts";
import { responseTo } from "../../support/whole-response.ts";
import { holdProvocations } from "./hold-provocations.ts";
import { sampleProvocations } from "./sample-provocations.ts";
import { failOnce } from "./store-faults.ts";
import { type Provocation, table } from "./table.ts";

/** A sunset in the past, and the sunset in the document. */
export const pastSunset = "2001-02-03";
const documentedSunset = "2027-12-31";

/** Ids of what does not exist. */
const noIds = { accountId: "", keyId: "", orderId: "1", petId: 9_007_199_254_740_993n };

function requestFor(method: DescMethod, ids: SampleIds = noIds): { line: string; parts: Parts } {
  return withParts(httpRequestOf(method, ids));
}

function withParts({ line = "", body }: Partial<HttpRequest> = {}): { line: string; parts: Parts } {
  // After the timeout, the stream of a watch ends.
  const timeout = { headers: { "connect-timeout-ms": "200" } };
  return { line, parts: body === undefined ? (line.includes(":watch") ? timeout : {}) : { body } };
}

/** A response of any operation. */
type Row = Omit<Provocation, "operationId">;

/** The response to a request whose path names what does not exist. */
function unknown(method: DescMethod, noun: string): Row {
  const reason = `${noun.toUpperCase()}_NOT_FOUND`;
  const ids = { ...noIds, petId: BigInt(unknownPet), orderId: "404" };
  const { line, parts } = requestFor(method, ids);
  return {
    status: 404,
    what: `there is no such ${noun}`,
    reason,
    example: reason,
    // The sample of a removal has a pet of its own.
    ask: ({ send }) => send(line.replace(/\/100$/, `/${unknownPet}`), parts),
  };
}

/** Responses of every operation. */
function common(method: DescMethod): Provocation[] {
  const { line, parts } = requestFor(method);
  const invalid = invalidHttpRequestOf(method, noIds);
  const otherScopes = otherScopesOf(method);
  const { case: verb, value: template } = optionOf(method, http).pattern;
  const [, noun = ""] = /\{(pet|order|hold)_id\}/.exec(String(template)) ?? [];
  // PUT creates what does not exist.
  const refers = noun !== "" && verb !== "put";
  const send = ({ send }: Contract, more: Parts = {}, target = line) =>
    send(target, { ...parts, ...more });
  const [, path = ""] = line.split(" ");
  const withHeader = (name: string, value: string) => (contract: Contract) =>
    send(contract, { headers: { [name]: value } });
  const outOfBounds = (request: HttpRequest): Row => ({
    status: 400,
    what: "a value is out of bounds",
    reason: "FIELD_INVALID",
    ask(contract) {
      const { line, parts } = withParts(request);
      return send(contract, parts, line);
    },
  });
  const lacking = (others: readonly Scope[]): Row => ({
    status: 403,
    what: "the key lacks the scope",
    reason: "SCOPE_MISSING",
    async ask(contract) {
      const key = await contract.newKey({ scopes: others });
      return send(contract, { authorization: bearer(key) });
    },
  });
  const isVersioned =
    verb === "get" && method.methodKind === "unary" && "version" in method.output.field;
  async function sendSample(contract: Contract, more: Parts = {}) {
    const { key, ...ids } = await addSampleData(contract.server.stores, method, noIds.petId);
    const sample = requestFor(method, ids);
    return contract.send(sample.line, { ...sample.parts, authorization: bearer(key), ...more });
  }
  const rows: readonly Row[] = [
    ...(invalid ? [outOfBounds(invalid)] : []),
    ...table({ "200: all is well": (contract) => sendSample(contract) }),
    ...sampleProvocations(method),
    ...(isVersioned
      ? table({
          async "304: the client has it"({ send }) {
            const { line, parts } = requestFor(method, { ...noIds, petId: 1n });
            const { headers } = await send(line, parts);
            return send(line, { headers: { "if-none-match": headers.etag } });
          },
          "412 VERSION_MISMATCH: it has another entity tag": (contract) =>
            sendSample(contract, { headers: { "if-match": '"1"' } }),
        })
      : []),
    {
      status: 400,
      what: "a query parameter is not known",
      reason: "MESSAGE_INVALID",
      ...(parts.body === undefined && { example: "MESSAGE_INVALID" }),
      ask: (contract) => send(contract, {}, `${line}${line.includes("?") ? "&" : "?"}limit=5`),
    },
    ...table({
      "401 KEY_MISSING=: no key was sent": (contract) => send(contract, { authorization: null }),
      "401 KEY_INVALID=: the key is not valid": (contract) =>
        send(contract, { authorization: "Bearer nonsense" }),
      async "401 KEY_REVOKED=: the key was revoked"(contract) {
        await contract.server.stores.accounts.revokeKey(contract.own.keyId);
        return send(contract);
      },
      async "401 KEY_EXPIRED=: the key has expired"(contract) {
        const { clock } = contract.server;
        const key = await contract.newKey({ expiresAt: clock.now + 60_000 });
        clock.now += 60_000;
        return send(contract, { authorization: bearer(key) });
      },
      async "403 ACCOUNT_DISABLED=: the account is disabled"(contract) {
        await contract.server.stores.accounts.update(ownAccount, { state: "disabled" });
        return send(contract);
      },
      async "403 ADDRESS_NOT_ALLOWED=: the key cannot be used from the client's address"(contract) {
        const read = readNetwork("192.0.2.7");
        if ("fault" in read) throw new Error(read.fault);
        const key = await contract.newKey({ networks: [read.network] });
        return send(contract, { authorization: bearer(key) });
      },
    }),
    ...(otherScopes ? [lacking(otherScopes)] : []),
    ...table({
      "405 METHOD_NOT_ALLOWED: the method is another one": ({ send }) =>
        send(`${refusedVerb(path)} ${path}`),
      async "429 RATE_LIMITED: the minute's limit is reached"(contract) {
        await contract.spend(60);
        return send(contract);
      },
      async "429 KEY_BANNED=: the key is banned"(contract) {
        await contract.spend(121);
        return send(contract);
      },
      "500 INTERNAL: there is a bug": failing(() => new Error("a bug"), send),
      async "429 ADDRESS_LIMITED: too many requests without a key came from the address"(contract) {
        await send(contract, { authorization: null });
        return send(contract, { authorization: null });
      },
      "503 SERVER_OVERLOADED: too many requests are under way": (contract) =>
        whileBusy(contract, () => send(contract)),
    }),
    ...(refers ? [unknown(method, noun)] : []),
    ...(parts.body === undefined
      ? []
      : table({
          "413 MESSAGE_TOO_LARGE: the body is too large": (contract) =>
            send(contract, { body: " ".repeat(262_145) }),
          "415 UNSUPPORTED_MEDIA_TYPE: the media type is another one": withHeader(
            "content-type",
            "text/plain",
          ),
        })),
    {
      status: 503,
      what: "the store cannot be reached by the operation",
      reason: "STORE_UNAVAILABLE",
      example: line.startsWith("GET") ? "STORE_UNAVAILABLE" : "CHANGE_UNKNOWN",
      ask: failing(() => storeUnavailable(undefined), send),
    },
    ...(line.startsWith("GET")
      ? []
      : table({ "503 STORE_FULL: the database is full": failing(() => storeFull(), send) })),
    {
      status: 503,
      what: "the store cannot be reached by admission",
      reason: "STORE_UNAVAILABLE",
      // The message for a change says, too, that nothing was changed.
      ...(line.startsWith("GET") && { example: "STORE_UNAVAILABLE" }),
      ask(contract) {
        const { admission } = contract.server.stores;
        vi.spyOn(admission, "admitKey").mockRejectedValueOnce(storeUnavailable(undefined));
        return send(contract);
      },
    },
    {
      status: 504,
      what: "the deadline has passed",
      reason: "DEADLINE_EXCEEDED",
      // The message for a change says, too, that nothing was changed.
      ...(line.startsWith("GET") && { example: "DEADLINE_EXCEEDED" }),
      ask: withHeader("x-server-timeout", "0"),
    },
    ...table({
      "417* EXPECTATION_FAILED=: an expectation is not supported": withHeader(
        "expect",
        "a miracle",
      ),
      "431* HEADER_FIELDS_TOO_LARGE=: the header section is too large": withHeader(
        "x-large",
        "x".repeat(20_000),
      ),
    }),
  ];
  return rows.map((row) => ({ ...row, operationId: operationIdOf(method) }));
}

/** Makes every store fail once. */
function failing(error: () => Error, send: (contract: Contract) => Promise<Reply>) {
  return (contract: Contract) => {
    failOnce(contract, async () => {
      throw error();
    });
    return send(contract);
  };
}

/** Sends a request while the maximum number of requests wait for admission (see `provoked`). */
async function whileBusy(contract: Contract, ask: () => Promise<Reply>): Promise<Reply> {
  const { admission } = contract.server.stores;
  const release = Promise.withResolvers<never>();
  const admit = vi.spyOn(admission, "admitKey").mockReturnValue(release.promise);
  const waiting = Array.from({ length: maxInFlight }, () => ask());
  await vi.waitUntil(() => admit.mock.calls.length === maxInFlight, 10_000);
  const reply = await ask();
  release.reject(storeUnavailable(undefined));
  await Promise.all(waiting);
  return reply;
}

async function whileWatched({ server, send }: Contract, keys: TestKey[]): Promise<Reply> {
  const open = await Promise.all(
    keys.map((key) =>
      fetch(`${server.url}/v1/inventory:watch`, { headers: { authorization: bearer(key) } }),
    ),
  );
  try {
    return await send("GET /v1/inventory:watch");
  } finally {
    await Promise.all(open.map(({ body }) => body?.cancel()));
  }
}

/** Opens a watch that is admitted after the server has begun to shut down. */
async function whileDraining({ server, send }: Contract): Promise<Reply> {
  const { admission } = server.stores;
  const admitKey = admission.admitKey.bind(admission);
  const started = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  vi.spyOn(admission, "admitKey").mockImplementationOnce(async (...key) => {
    started.resolve();
    await release.promise;
    return admitKey(...key);
  });
  const reply = send("GET /v1/inventory:watch");
  await started.promise;
  const drained = server.drain(5_000);
  release.resolve();
  await drained;
  return reply;
}

/** Starts a request whose headers never end. */
async function unfinished(port: number, line: string): Promise<Reply> {
  const request = http1Request({ host: "127.0.0.1", port, agent: false });
  // The client's own request is never sent: it only reads the response.
  request.on("socket", (socket) => socket.write(`${line} HTTP/1.1\r\nHost: a\r\n`));
  const reply = await responseTo(request);
  request.destroy();
  return reply;
}

/** The most concurrent unary calls, and streams, of one client of the server under test. */
const maxInFlight = 3;

/** Settings with which every error of the document can be provoked. */
export const provoked = {
  // One client gets one more than half of the places.
  MAX_REQUESTS_IN_FLIGHT: String(2 * maxInFlight - 2),
  MAX_STREAMS: String(2 * maxInFlight - 2),
  MAX_WATCHES: "2",
  MAX_WATCHES_PER_KEY: "1",
  MAX_WATCHES_PER_ACCOUNT: "1",
  ANONYMOUS_PER_MINUTE: "1",
  HEADERS_TIMEOUT_MS: "1000",
};

function update(body: string, more: Parts = {}, petId: string | number = 1) {
  return ({ send }: Contract) => send(`PATCH /v1/inventory/${petId}`, { body, ...more });
}

function cancellations(): Provocation[] {
  const cancel = async (
    { server, send }: Contract,
    then: (orderId: bigint) => Promise<unknown>,
  ) => {
    const { orderId } = await placed(server.stores.orders, ownAccount, 1n, 5);
    await then(orderId);
    return send(`POST /v1/store/orders/${orderId}:cancel`);
  };
  const rows: readonly Row[] = [
    ...table({
      "409 ORDER_STATUS: the order was delivered": (contract) =>
        cancel(contract, (orderId) =>
          contract.server.stores.orders.advance(ownAccount, orderId, OrderStatus.DELIVERED),
        ),
      "409 STOCK_TOO_LARGE: the stock would be too large": (contract) =>
        cancel(contract, () =>
          contract.server.stores.inventory.change({ petId: 1n, quantity: maxQuantity }),
        ),
    }),
  ];
  return rows.map((row) => ({ ...row, operationId: "cancelOrder" }));
}

/** Returns a method that a path does not support. */
function refusedVerb(path: string): string {
  if (path.includes("/holds/")) return "PATCH";
  return path.startsWith("/v1/catalog/") ? "PUT" : "DELETE";
}

const json = (type: string): Parts => ({ headers: { "content-type": type } });

/** Responses of some operations. */
const particular: readonly Provocation[] = [
  ...table({
    "updateInventory 200: merge-patch+json": update(
      '{"quantity":1}',
      json("application/merge-patch+json"),
    ),
    "updateInventory 200: the largest quantity": update('{"quantity":2147483647}'),
    "updateInventory 400 MESSAGE_INVALID: a member is not known": update(
      '{"quantity":1,"status":"sold"}',
    ),
    "updateInventory 400 MESSAGE_INVALID: the petId is not valid": update(
      '{"quantity":1}',
      {},
      "01",
    ),
    "updateInventory 400 FIELD_INVALID=FIELD_MISSING: a member is missing": update("{}"),
    "updateInventory 400 FIELD_INVALID=: a value is out of bounds": update('{"quantity":-1}'),
    "updateInventory 413 MESSAGE_TOO_LARGE=: the body is too large": update(" ".repeat(65_537)),
    "updateInventory 415 UNSUPPORTED_MEDIA_TYPE=: the media type is another one": update(
      "quantity: 1",
      json("text/yaml"),
    ),
    "updateInventory 415 UNSUPPORTED_MEDIA_TYPE: the coding is another one": update("{}", {
      headers: { "content-encoding": "compress" },
    }),
  }),
  ...table({
    "listInventory 408* REQUEST_TIMEOUT=: the header section takes too long to arrive": ({
      server,
    }) => unfinished(server.port, "GET /v1/inventory"),
    "watchInventory 429 WATCH_LIMIT_REACHED: the key has too many open watches": (contract) =>
      whileWatched(contract, [contract.own]),
    async "watchInventory 503 WATCH_CAPACITY_REACHED: the process has too many open watches"(
      contract,
    ) {
      const others = ["bbbbbbbbbbbb", "dddddddddddd"];
      const keys = others.map((account) => contract.newAccount(account, { plan: "free" }));
      return whileWatched(contract, await Promise.all(keys));
    },
    "watchInventory 503 SERVER_DRAINING=: the server is shutting down": whileDraining,
    "listInventory 200: a page is asked for": ({ send }) => send("GET /v1/inventory?pageSize=1"),
    "listInventoryChanges 200: a page is asked for": ({ send }) =>
      send("GET /v1/inventory/changes?pageSize=1"),
    "listOrders 400 FIELD_INVALID: the page token is not one": ({ send }) =>
      send("GET /v1/store/orders?pageToken=x"),
  }),
  ...cancellations(),
  {
    operationId: "getPet",
    status: 410,
    what: "it is past its sunset",
    reason: "OPERATION_ENDED",
    example: "OPERATION_ENDED",
    afterSunset: true,
    async ask({ send }) {
      const { body, ...reply } = await send("GET /v1/pets/1");
      return { ...reply, body: body.replace(pastSunset, documentedSunset) };
    },
  },
];

/** At least one for every status of every operation. */
export const provocations: readonly Provocation[] = [
  ...methods.filter((method) => httpRequestOf(method, noIds)).flatMap(common),
  ...particular,
  ...holdProvocations,
];
