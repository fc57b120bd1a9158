import {
  request as http1Request,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from "node:http";
import type { DescService } from "@bufbuild/protobuf";
import { type Client, type Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { afterEach, beforeEach, describe, expect } from "vitest";
import { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import { CatalogService } from "../../gen/catalog/v1/catalog_pb.ts";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import type { PlanChoice } from "../../src/access/plans.ts";
import { defaultScopes, type Scope } from "../../src/access/scopes.ts";
import type { Item } from "../../src/stores/inventory-store.ts";
import { addAccount, addKey, type TestKey, withKey } from "../support/accounts.ts";
import { type ServerUnderTest, useServer } from "../support/server.ts";
import { type StoreKind, storeKinds } from "../support/stores.ts";
import { responseTo } from "../support/whole-response.ts";

/** A whole response. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The parts of a request other than its method and target. */
export interface Parts {
  /** The Authorization header. If undefined, that of {@link Contract.own}; if null, none. */
  readonly authorization?: string | null;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Uint8Array;
  /** Whether the body is sent chunked, without a Content-Length. */
  readonly chunked?: boolean;
  /** Whether a response with status 200 has no end. Only its first bytes are read. */
  readonly isEndless?: boolean;
}

/** A server with one account on the plan `free` and its key. Each test gets a new one. */
export interface Contract {
  readonly server: ServerUnderTest;
  /** The key of {@link ownAccount}, with the default scopes and `catalog:write`. */
  readonly own: TestKey;
  /** Sends a request, such as `GET /v1/inventory`. The target is not normalized. */
  send(line: string, parts?: Parts): Promise<Reply>;
  /** Calls a method, such as `store.v1.StoreService/PlaceOrder`, with the Connect protocol. */
  call(method: string, message: unknown, parts?: Parts): Promise<Reply>;
  /** Creates a client of a service with the Connect protocol. */
  client<S extends DescService>(service: S, key: TestKey): Client<S>;
  newKey(more?: Parameters<typeof addKey>[2]): Promise<TestKey>;
  newAccount(accountId: string, choice: PlanChoice, scopes?: readonly Scope[]): Promise<TestKey>;
  /** Gives the own account these limits, on the plan `enterprise`. @param perDay 1,000 by default */
  limitTo(perMinute: number, perDay?: number): Promise<unknown>;
  quantityOf(petId: bigint): Promise<number | undefined>;
  /** Counts this many concurrent requests against an account. */
  spend(count: number, key?: TestKey, accountId?: string): Promise<void>;
}

/** The account of {@link Contract}.own. */
export const ownAccount = "aaaaaaaaaaaa";

export const stock: readonly Item[] = [
  { petId: 1n, quantity: 12, status: PetStatus.AVAILABLE },
  { petId: 2n, quantity: 0, status: PetStatus.SOLD },
  { petId: 9_007_199_254_740_993n, quantity: 7, status: PetStatus.PENDING },
];

export const unknownPet = 404;

/**
 * Sets up a server for each test of a `describe`. After each test, checks that no internal error occurred.
 *
 * @param hasRealClock whether the process keeps its own clock instead of that of the store
 */
export function useContract(
  kind: StoreKind,
  environment: Readonly<Record<string, string>> = {},
  hasRealClock = false,
): Contract {
  const under: { server?: ServerUnderTest; own?: TestKey } = {};
  // Hooks run in reverse order of registration: this one runs after the server has stopped.
  afterEach(() => {
    expect(under.server?.faults, "internal errors of the server").toEqual([]);
  });
  const server = useServer(kind, environment);
  under.server = server;
  if (!hasRealClock) shareClock(server);
  beforeEach(async () => {
    await server.stores.catalog.put(stock);
    await addAccount(server.stores, { plan: "free" }, ownAccount);
    const scopes = [...defaultScopes, "catalog:write" as const];
    under.own = await addKey(server.stores, ownAccount, { scopes });
  });

  const contract: Contract = {
    server,
    get own() {
      if (!under.own) throw new Error("the key exists only while tests run");
      return under.own;
    },
    send: (line, { authorization = bearer(contract.own), ...parts } = {}) =>
      send(server.port, line, { authorization, ...parts }),
    call: (method, message, { headers, ...parts } = {}) =>
      contract.send(`POST /${method}`, {
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(message),
        ...parts,
      }),
    client: (service, key) =>
      createClient(
        service,
        createConnectTransport({
          baseUrl: server.url,
          httpVersion: "1.1",
          interceptors: [withKey(key.secret)],
        }),
      ),
    newKey: (more) => addKey(server.stores, ownAccount, more),
    async newAccount(accountId, choice, scopes) {
      await addAccount(server.stores, choice, accountId);
      return addKey(server.stores, accountId, { ...(scopes && { scopes }) });
    },
    limitTo(perMinute, perDay = 1_000) {
      const choice = { plan: "enterprise", limits: { perMinute, perDay } } as const;
      return server.stores.accounts.update(ownAccount, { choice });
    },
    quantityOf: async (petId) => (await server.stores.inventory.get(petId))?.quantity,
    async spend(count, { keyHash } = contract.own, accountId = ownAccount) {
      const admit = () => server.stores.admission.admitKey(accountId, keyHash);
      await Promise.all(Array.from({ length: count }, admit));
    },
  };
  return contract;
}

/** Describes the API with default settings and each kind of stores, which is `$name` in the name. Passes {@link useContract}. */
export function describeApi(name: string, describeIt: (contract: Contract) => void): void {
  describe.each(storeKinds)(name, (kind) => describeIt(useContract(kind)));
}

/** Gives the process the clock of the store, because `X-RateLimit-Reset` is on the clock of the process. */
function shareClock(server: ServerUnderTest): void {
  const dateNow = Date.now;
  beforeEach(() => {
    Date.now = () => server.clock.now;
  });
  afterEach(() => {
    Date.now = dateNow;
  });
}

/**
 * Sets up an operator, as of {@link operator}, for each test of a `describe`. Its clients can be taken from it before the
 * tests run, and call the server of the current test.
 */
export function useOperator(contract: Contract): Awaited<ReturnType<typeof operator>> {
  const own = {} as Awaited<ReturnType<typeof operator>>;
  beforeEach(async () => void Object.assign(own, await operator(contract)));
  const clientOf = <S extends DescService>(current: () => Client<S>) =>
    new Proxy({} as Client<S>, { get: (_, method) => Reflect.get(current(), method) });
  return {
    admin: clientOf(() => own.admin),
    catalog: clientOf(() => own.catalog),
    get key() {
      return own.key;
    },
  };
}

/** Creates an operator with the account `cccccccccccc`. Returns its key and its clients. */
export async function operator(contract: Contract) {
  const key = await contract.newAccount("cccccccccccc", { plan: "business" }, ["admin"]);
  const catalog = contract.client(CatalogService, key);
  return { key, admin: contract.client(AdminService, key), catalog };
}

/** Returns the error of a call that must fail. */
export async function failure(call: Promise<unknown>): Promise<ConnectError> {
  return call.then(() => Promise.reject(new Error("the call succeeded")), ConnectError.from);
}

/** Expects a call to fail with a code, and a message that contains `names`. */
export async function expectFailure(call: Promise<unknown>, code: Code, names: string) {
  expect(await failure(call)).toMatchObject({ code, rawMessage: expect.stringContaining(names) });
}

/** Returns the Authorization header for a key. */
export function bearer({ secret }: TestKey): string {
  return `Bearer ${secret}`;
}

async function send(port: number, line: string, parts: Parts): Promise<Reply> {
  const { authorization, headers, body, chunked, isEndless } = parts;
  const [method = "", path = ""] = line.split(" ");
  const length = chunked
    ? { "transfer-encoding": "chunked" }
    : { "content-length": Buffer.byteLength(body ?? "") };
  const request = http1Request({
    host: "127.0.0.1",
    port,
    agent: false,
    method,
    path,
    headers: {
      ...(typeof authorization === "string" && { authorization }),
      ...(body !== undefined && length),
      ...headers,
    },
  });
  request.end(body);
  return responseTo(request, isEndless);
}

/** Expects an error over HTTP: its body has exactly `code`, `message` and `status`, and a header the reason. */
export function expectError(
  reply: Reply,
  status: number,
  code: string,
  names = "",
  reason?: string,
): void {
  const type = reply.headers["content-type"];
  const error: unknown = type === "application/json" ? JSON.parse(reply.body) : reply.body;
  expect({ status: reply.status, type, error }).toEqual({
    status,
    type: "application/json",
    error: { code, message: expect.stringContaining(names), status },
  });
  expect(Object.keys(Object(error))).toEqual(["code", "message", "status"]);
  expect(reply.body).not.toContain('"message":""');
  if (reason !== undefined) expect(reply.headers["x-error-reason"]).toBe(reason);
}

/** Expects an error of a call with the Connect protocol. */
export function expectConnectError(reply: Reply, code: string, names = ""): void {
  expect(JSON.parse(reply.body || "null")).toMatchObject({
    code,
    message: expect.stringContaining(names),
  });
  expect(reply.headers["content-type"]).toBe("application/json");
}

/** Returns the request line of the next page, from the Link header; undefined on the last page. */
export function nextLine({ headers }: Reply): string | undefined {
  const [, target] = /^<([^>]*)>; rel="next"$/.exec(String(headers.link)) ?? [];
  return target === undefined ? undefined : `GET ${target}`;
}

/** Returns the methods in the Allow header, sorted. */
export function allowed({ headers }: Reply): string[] {
  return (headers.allow ?? "").split(", ").sort();
}

/** The state of a caller's limits, as in the limit headers. */
export interface Limits {
  readonly limit: number;
  readonly remaining: number;
  /** ISO 8601. */
  readonly reset: string;
  /** Quota, requests left, seconds until there are more. */
  readonly minute: readonly [q: number, r: number, t: number];
  readonly day: readonly [q: number, r: number, t: number];
}

/** Returns the five limit headers. */
export function limitFields({ limit, remaining, reset, minute, day }: Limits) {
  return {
    "x-ratelimit-limit": String(limit),
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": String(Date.parse(reset) / 1000),
    "ratelimit-policy": `"minute";q=${minute[0]};w=60, "day";q=${day[0]};w=86400`,
    ratelimit: `"minute";r=${minute[1]};t=${minute[2]}, "day";r=${day[1]};t=${day[2]}`,
  };
}

export const limitFieldNames = [
  "x-ratelimit-limit",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
  "ratelimit-policy",
  "ratelimit",
] as const;

/** Expects the limit headers of a response. */
export const expectLimits = (reply: Reply, limits: Limits) =>
  expect(limitFieldsOf(reply)).toEqual(limitFields(limits));

export function limitFieldsOf({ headers }: Pick<Reply, "headers">): Record<string, unknown> {
  const present = limitFieldNames.filter((name) => headers[name] !== undefined);
  return Object.fromEntries(present.map((name) => [name, headers[name]]));
}

/**
 * Returns the limits of the account on the plan `free` after this many requests, all at 2026-07-15 10:20:30.4, when
 * every test begins.
 *
 * The minute window is the current 1-second bucket and the 60 before it. A request at 10:20:30 counts until the end
 * of 10:21:30, for 60.6 s. The day window is the current 15-minute bucket and the 96 before it. A request at 10:20
 * counts until 10:30 on the next day, for 24 h 9 min 29.6 s.
 */
export function freeAfter(requests: number): Limits {
  return {
    limit: 60,
    remaining: 60 - requests,
    reset: "2026-07-15T10:21:31Z",
    minute: [60, 60 - requests, 61],
    day: [1000, 1000 - requests, 24 * 3600 + 9 * 60 + 30],
  };
}
