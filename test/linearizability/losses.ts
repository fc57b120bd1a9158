import { setTimeout as delay } from "node:timers/promises";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { Redis } from "ioredis";
import { onTestFinished } from "vitest";
import { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import {
  InventoryService,
  PetStatus,
  type WatchInventoryResponse,
} from "../../gen/inventory/v1/inventory_pb.ts";
import { StoreService } from "../../gen/store/v1/store_pb.ts";
import { newestChangeKey } from "../../src/stores/redis/keys.ts";
import type { StockChange } from "../../src/stores/stock-change.ts";
import type { RedisProxy } from "../faults/redis-proxy.ts";
import type { Servers } from "../faults/server-process.ts";
import { until } from "../faults/until.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { type RedisServer, startRedisServer } from "../support/redis-server.ts";
import { openRedisStores } from "../support/redis-stores.ts";
import { listed } from "../support/stock.ts";
import { stockAfter } from "../support/watch.ts";
import { createRandom, type Random, seed } from "./random.ts";

const petIds = [1n, 2n, 3n, 4n] as const;
const clients = 6;
const deadlineMs = 1_000;
/** Interval at which a client restarts its watch, in ms. */
const watchMs = 2_000;
/** Most restarts of a watch after the last change. */
const lastWatches = 3;

/** The response to a change or a list. */
interface LossReply {
  readonly what: string;
  /** Number of losses before the request; undefined if a loss happened before the response. */
  readonly losses: number | undefined;
  /** Versions of the acknowledged changes. */
  readonly made: readonly bigint[];
  /** The expected version of the changed item. */
  readonly expected?: bigint;
  /** The entity tag that a 304 confirmed. */
  readonly unchanged?: bigint;
}

/** The result of a run in which Redis lost changes. */
export interface Losses {
  readonly replies: readonly LossReply[];
  /** Number of watches that had to start over. */
  readonly startedOver: number;
  /** Violations, human-readable. */
  readonly violations: readonly string[];
}

/**
 * Changes, reads and watches the stock through two servers, while Redis is restarted from an older snapshot and fails
 * over to a stale replica. Acknowledged changes after the snapshot are lost. No client may take a lost change for
 * current.
 *
 * @param proxy the proxy through which the servers reach Redis
 * @param ways the ways in which changes are lost, in order
 */
export async function loseChanges(
  proxy: RedisProxy,
  servers: Servers,
  ways: readonly ("restart" | "failOver")[],
): Promise<Losses> {
  const random = createRandom(seed);
  let primary = await startOne();
  proxy.target = primary.port;
  const stores = openRedisStores(proxy.url);
  onTestFinished(() => stores.close());
  await stores.ready(5_000);
  const limits = { perMinute: 1_000_000_000, perDay: 1_000_000_000 };
  const account = await addAccount(stores, { plan: "enterprise", limits });
  const scopes = ["inventory:read", "inventory:write", "store:write", "admin"] as const;
  const { secret } = await addKey(stores, account, { scopes });
  await stores.inventory.put(
    petIds.map((petId) => ({ petId, quantity: 1_000, status: PetStatus.AVAILABLE })),
  );
  const environment = { REDIS_URL: proxy.url, HISTORY_LENGTH: "100000000" };
  const urls = await Promise.all([0, 1].map(async () => (await servers.start(environment)).url));
  const own = { losses: 0, isLosing: false, stopping: false, startedOver: 0 };
  const replies: LossReply[] = [];
  const violations: string[] = [];
  /** All changes that are left at the end. */
  let history: readonly StockChange[] | undefined;
  /** The quantities at the end. */
  let stock: ReadonlyMap<bigint, number> = new Map();

  const workers = Array.from({ length: clients }, (_, at) => change(at));
  const watchers = urls.map((url) => watch(url));
  for (const way of ways) {
    const goOn = await { restart, failOver }[way]();
    await more(random.between(30, 120));
    own.isLosing = true;
    await goOn();
    own.losses += 1;
    own.isLosing = false;
    await more(100);
  }
  own.stopping = true;
  await Promise.all(workers);
  const items = await listed(stores.inventory);
  stock = new Map(items.map((item) => [item.petId, item.quantity]));
  history = (await stores.inventory.changesSince(0n, 1_000_000))?.changes ?? [];
  check(history);
  await Promise.all(watchers);
  return { replies, startedOver: own.startedOver, violations };

  async function startOne(): Promise<RedisServer> {
    const server = await startRedisServer("--repl-diskless-sync-delay", "0");
    onTestFinished(() => server.stop());
    return server;
  }

  function clientOf(server: RedisServer): Redis {
    const client = new Redis(server.url);
    onTestFinished(() => client.disconnect());
    client.on("error", () => {}); // the client reconnects
    return client;
  }

  async function restart(): Promise<() => Promise<void>> {
    await clientOf(primary).save();
    return async () => {
      await primary.kill();
      await primary.start();
    };
  }

  async function failOver(): Promise<() => Promise<void>> {
    const replica = await startOne();
    const client = clientOf(replica);
    await client.replicaof("127.0.0.1", primary.port);
    await until(
      "the replica has the history",
      async () =>
        (await client.info("replication")).includes("master_link_status:up") &&
        (await client.exists(newestChangeKey)) === 1,
      20_000,
    );
    await client.replicaof("NO", "ONE");
    return async () => {
      proxy.target = replica.port;
      await primary.kill();
      proxy.drop();
      primary = replica;
    };
  }

  async function more(operations: number): Promise<void> {
    const enough = replies.length + operations;
    await until(`${operations} more operations`, () => replies.length >= enough, 60_000);
  }

  async function change(number: number): Promise<void> {
    const choices = createRandom(seed + 1 + number);
    const seen: bigint[] = [1n];
    const tags: bigint[] = [0n];
    const url = urls[number % urls.length] ?? "";
    while (!own.stopping) {
      const { losses, isLosing } = own;
      try {
        const outcome = await operate(url, choices, seen, tags);
        const wasLost = isLosing || own.isLosing || losses !== own.losses;
        replies.push({ ...outcome, losses: wasLost ? undefined : losses });
        seen.push(...outcome.made);
      } catch (error) {
        const { code } = ConnectError.from(error);
        if (![Code.Aborted, Code.FailedPrecondition].includes(code)) await delay(20);
      }
    }
  }

  async function operate(
    url: string,
    choices: Random,
    seen: bigint[],
    tags: bigint[],
  ): Promise<Omit<LossReply, "losses">> {
    const transport = createGrpcTransport({ baseUrl: url });
    const options = {
      headers: { authorization: `Bearer ${secret}` },
      timeoutMs: deadlineMs,
    };
    const inventory = createClient(InventoryService, transport);
    const petId = choices.pick(petIds);
    const what = choices.pick(["set", "set", "adjust", "batch", "order", "import", "list", "list"]);
    switch (what) {
      case "set": {
        // Old tags too: some of them are of lost versions.
        const known = choices.oneIn(2) ? (seen.at(-1) ?? 1n) : choices.pick([1n, ...seen]);
        const current = choices.oneIn(2) && (await inventory.getInventoryItem({ petId }, options));
        const expected = current ? current.version : known;
        const update = { quantity: choices.between(500, 2_000) };
        const { version } = await inventory.updateInventory(
          { petId, update, expectedVersion: expected },
          options,
        );
        return { what, made: [version], expected };
      }
      case "adjust": {
        const { version } = await inventory.adjustInventory({ petId, delta: 1 }, options);
        return { what, made: [version] };
      }
      case "batch": {
        const updates = petIds.map((each) => ({ petId: each, quantity: choices.between(1, 999) }));
        const { items } = await inventory.batchUpdateInventory({ updates }, options);
        return { what, made: items.map(({ version }) => version) };
      }
      case "order": {
        const store = createClient(StoreService, transport);
        const { order } = await store.placeOrder({ petId, quantity: 1 }, options);
        if (choices.oneIn(2)) await store.cancelOrder({ orderId: order?.orderId ?? 0n }, options);
        return { what, made: [] };
      }
      case "import": {
        const items = petIds.map((each) => ({
          petId: each,
          quantity: choices.between(1, 999),
          status: PetStatus.SOLD,
        }));
        const messages = async function* () {
          yield { items };
        };
        await createClient(AdminService, transport).importInventory(messages(), options);
        return { what, made: [] };
      }
      default: {
        const tag = choices.oneIn(2) ? (tags.at(-1) ?? 0n) : choices.pick([0n, ...tags]);
        const reply = await fetch(`${url}/v1/inventory`, {
          headers: { ...options.headers, "if-none-match": `"${tag}"` },
          signal: AbortSignal.timeout(deadlineMs),
        });
        await reply.text();
        if (reply.status === 304) return { what, made: [], unchanged: tag };
        if (reply.status !== 200) throw new Error(`the list has status ${reply.status}`);
        tags.push(BigInt((reply.headers.get("etag") ?? "").replaceAll('"', "")));
        return { what, made: [] };
      }
    }
  }

  /** Watches until the end of the run. Then checks that the received messages result in the stock. */
  async function watch(url: string): Promise<void> {
    const inventory = createClient(InventoryService, createGrpcTransport({ baseUrl: url }));
    const deadline = () => AbortSignal.timeout(watchMs);
    let messages: WatchInventoryResponse[] = [];
    let token = "";
    const isOver = () => history !== undefined && token === String(history.at(-1)?.version);
    let goesOn = true;
    for (let left = lastWatches; goesOn && left > 0; left -= history ? 1 : 0) {
      try {
        const request = { resumeToken: token };
        const headers = { authorization: `Bearer ${secret}` };
        for await (const message of inventory.watchInventory(request, {
          headers,
          signal: deadline(),
        })) {
          messages.push(message);
          if (message.resumeToken !== "") token = message.resumeToken;
          goesOn = !isOver();
          if (!goesOn) break;
        }
      } catch (error) {
        if (ConnectError.from(error).code === Code.OutOfRange) own.startedOver += 1;
        if (token === "" || ConnectError.from(error).code === Code.OutOfRange) {
          messages = [];
          token = "";
        }
        await delay(20);
        goesOn = !isOver();
      }
    }
    const ready = messages.find(({ event }) => event.case === "ready")?.event.value;
    const start = ready?.$typeName === "inventory.v1.WatchReady" ? ready.version : 0n;
    const versions = messages.flatMap(({ event }) =>
      event.case === "change" ? [event.value.version] : [],
    );
    const missed = (history ?? [])
      .filter(({ version }) => version > start)
      .map(({ version }) => version);
    if (String(versions) !== String(missed)) violations.push("a watch has a gap, or a lost change");
    const known = stockAfter(messages);
    for (const [petId, quantity] of stock) {
      if (known.get(petId) !== quantity)
        violations.push(`a watch has a wrong quantity of pet ${petId}`);
    }
  }

  function check(history: readonly StockChange[]): void {
    const made = new Map(history.map((each) => [each.version, each]));
    for (const { what, losses, made: acknowledged, expected, unchanged } of replies) {
      for (const version of acknowledged) {
        const found = made.get(version);
        if (losses === own.losses && !found) {
          violations.push(`${what} ${version} was acknowledged, but is missing`);
        }
        if (found && expected !== undefined && found.previousVersion !== expected) {
          violations.push(
            `${what} ${version} was made on ${found.previousVersion}, not ${expected}`,
          );
        }
      }
      if (losses === own.losses && unchanged !== undefined && !made.has(unchanged)) {
        violations.push(`304 for the list at version ${unchanged}, which is lost`);
      }
    }
    const versions = replies.flatMap((each) => each.made);
    if (new Set(versions).size < versions.length) violations.push("a version was made twice");
  }
}
