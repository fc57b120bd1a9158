import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import {
  type DescMethod,
  type DescMethodUnary,
  fromJson,
  type JsonObject,
} from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { ChangeReason, PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { longName, longNote, longReference } from "../../packaging/generate/samples/sample.ts";
import { newAccountId } from "../../src/access/api-key.ts";
import { scopes } from "../../src/access/scopes.ts";
import { constantTimeBudget } from "../../src/stores/redis/connection/time-budget.ts";
import { createRedisStores } from "../../src/stores/redis/stores.ts";
import type { Origin } from "../../src/stores/stock-change.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { addAccount, addKey, type TestKey } from "../../test/support/accounts.ts";
import { type LargestRequests, largestRequests } from "../../test/support/largest-requests.ts";
import { type Server, startServer } from "../machine/server.ts";
import { startBenchRedis } from "../redis.ts";
import { ourServer } from "../servers.ts";

/** The account that makes all calls. */
export const accountId = "aaaaaaaaaaaa";

/** The stock: ids of the greatest length, ascending. */
const firstPet = 9_000_000_000_000_000_000n;
const pets = 10_000;

/** Returns pets in a row, beginning at a place in the stock. */
export function somePets(count: number, from: number): bigint[] {
  return Array.from({ length: count }, (_, at) => firstPet + BigInt((from + at) % pets));
}

const origin: Origin = {
  reason: ChangeReason.RETURN,
  note: longNote,
  reference: longReference,
  accountId,
  keyId: "k".repeat(20),
  requestId: "r".repeat(128),
};

/** A server, its Redis, and what calls need. */
export interface Stage {
  readonly redisPid: number;
  readonly server: Server;
  /** Calls a unary method with the key. Returns how many requests are left of the day. */
  call(method: DescMethod, request: JsonObject): Promise<number>;
  readonly largest: readonly LargestRequests[];
}

/** How much data the stage has. */
const batches = 250;
const otherAccounts = 1_000;
const longestTtlMs = 86_400_000;

/** Starts a Redis with data that makes reads as expensive as they can be, and a server. */
export async function withStage(run: (stage: Stage) => Promise<void>): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), "inventory-proportion-"));
  const redis = await startBenchRedis();
  const { url } = redis.server;
  // Redis is busy while it is filled.
  const stores = createRedisStores(url, { timeBudget: constantTimeBudget(10_000) });
  let server: Server | undefined;
  try {
    await stores.ready(5_000);
    const secret = await fill(stores);
    server = await startServer(ourServer, { redisUrl: url, scratch, nodeOptions: [] });
    const transport = createConnectTransport({
      baseUrl: `http://127.0.0.1:${server.port}`,
      httpVersion: "1.1",
      useBinaryFormat: false,
      interceptors: [
        (next) => (request) => {
          request.header.set("authorization", `Bearer ${secret}`);
          return next(request);
        },
      ],
    });
    await run({
      redisPid: redis.pid,
      server,
      largest: largestRequests({ stores, accountId, pets: somePets }),
      async call(method, request) {
        const unary = method as DescMethodUnary;
        const message = fromJson(unary.input, request);
        const reply = await retried(() =>
          transport.unary(unary, undefined, undefined, undefined, message),
        );
        return Number(reply.header.get("x-ratelimit-remaining"));
      },
    });
  } finally {
    await server?.stop();
    await stores.close();
    await redis.server.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Repeats a call while Redis does not respond in time, as on a busy machine. */
async function retried<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (ConnectError.from(error).code !== Code.Unavailable || attempt === 10) throw error;
      await setTimeout(100);
    }
  }
}

async function fill(stores: Stores) {
  const limits = { perMinute: 1_000_000, perDay: 900_000 };
  await addAccount(stores, { plan: "enterprise", limits }, accountId);
  const caller = await addKey(stores, accountId, { scopes: [...scopes] });
  for (let from = 0; from < pets; from += 1_000) {
    await stores.catalog.put(
      somePets(1_000, from).map((petId) => ({
        petId,
        quantity: 1_000_000_000,
        status: PetStatus.AVAILABLE,
      })),
      origin,
    );
  }
  await fillHistory(stores);
  await fillHolds(stores);
  await fillOrders(stores);
  await fillAudit(stores);
  await fillAccounts(stores);
  return caller.secret;
}

/** Each change of the first pets is part of a batch. */
async function fillHistory({ inventory }: Stores): Promise<void> {
  const deltas = somePets(100, 0).map((petId) => ({ petId, delta: 1 }));
  for (let at = 0; at < batches; at += 1) await inventory.changeAll(deltas, { origin });
}

/** Active holds and ended ones, as many as an account can have, all with 100 items. None has a unit of the last pet. */
async function fillHolds({ holds }: Stores): Promise<void> {
  const items = somePets(100, 200).map((petId) => ({ petId, quantity: 1 }));
  for (let at = 0; at < 800; at += 1) {
    const id = `${"h".repeat(58)}${String(at).padStart(6, "0")}`;
    await holds.put(accountId, id, { items, ttlMs: longestTtlMs }, { origin });
    if (at < 450) await holds.release(accountId, id, { origin });
  }
}

async function fillOrders({ orders }: Stores): Promise<void> {
  for (let at = 0; at < 3_000; at += 100) {
    await Promise.all(
      somePets(100, at).map((petId) =>
        orders.place(accountId, { petId, quantity: 1_000_000 }, { origin }),
      ),
    );
  }
}

/** The trail has entries of the greatest length. */
async function fillAudit({ audit }: Stores): Promise<void> {
  const body = JSON.stringify({
    kind: "end",
    of: 1,
    actor: { user: "u".repeat(100), host: "h".repeat(100) },
    method: "catalog.v1.CatalogService/CreatePet",
    details: { text: "t".repeat(3_700) },
    result: { code: "ok" },
  });
  for (let at = 0; at < 1_200; at += 100) {
    await Promise.all(Array.from({ length: 100 }, () => audit.append(body)));
  }
}

/** An account with many keys, each with the most networks and requests on each day; and others without keys. */
async function fillAccounts(stores: Stores): Promise<void> {
  const networks = Array.from({ length: 20 }, (_, at) => `6${at.toString(2).padStart(128, "0")}`);
  const keys: TestKey[] = [];
  for (let at = 0; at < 90; at += 90) {
    keys.push(
      ...(await Promise.all(
        Array.from({ length: 90 }, () => addKey(stores, accountId, { name: longName, networks })),
      )),
    );
  }
  for (let at = 0; at < otherAccounts; at += 100) {
    await Promise.all(
      Array.from({ length: 100 }, () =>
        stores.accounts.createAccount(newAccountId(), longName, { plan: "free" }),
      ),
    );
  }
  await fillBans(stores);
  const now = Date.now();
  const minute = Math.floor(now / 60_000);
  const some = { admitted: 1, limited: 2, banned: 3 };
  for (let at = 0; at < keys.length; at += 100) {
    const counts = keys
      .slice(at, at + 100)
      .flatMap(({ keyId }) =>
        [0, 1].map((day) => ({ accountId, keyId, minute: minute - day * 1_440, ...some })),
      );
    await stores.usage.add({ counts, bans: [] });
  }
}

/** Banned keys of an account. */
async function fillBans(stores: Stores): Promise<void> {
  const banned = "bbbbbbbbbbbb";
  await addAccount(stores, { plan: "free" }, banned);
  const until = Date.now() + 60_000;
  for (let at = 0; at < 200; at += 100) {
    const keys = await Promise.all(
      Array.from({ length: 100 }, () => addKey(stores, banned, { name: longName })),
    );
    for (let times = 0; times < 122; times += 1) {
      await Promise.all(keys.map(({ keyHash }) => stores.admission.admitKey(banned, keyHash)));
    }
    const bans = keys.map(({ keyId }) => ({ keyId, since: Date.now(), until }));
    await stores.usage.add({ counts: [], bans });
  }
}
