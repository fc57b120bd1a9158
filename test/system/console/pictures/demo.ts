import { PetStatus } from "../../../../gen/inventory/v1/inventory_pb.ts";
import { OrderStatus } from "../../../../gen/store/v1/store_pb.ts";
import { scopes } from "../../../../src/access/scopes.ts";
import { createApp } from "../../../../src/app/app.ts";
import { dayMs, minuteMs } from "../../../../src/common/durations.ts";
import { readConfig } from "../../../../src/config/config.ts";
import { createLog } from "../../../../src/observability/log/log.ts";
import { createMemoryStores } from "../../../../src/stores/memory/stores.ts";
import type { Stores } from "../../../../src/stores/stores.ts";
import { reportedDays, reportedMinutes } from "../../../../src/stores/usage-store.ts";
import { addKey } from "../../../support/accounts.ts";
import { placed } from "../../../support/stock.ts";

/** A running service with some data to look at. */
export interface Demo {
  readonly url: string;
  /** A key with every scope. */
  readonly key: string;
  stop(): Promise<void>;
}

const ownAccount = "petsh0pnrth1";

const otherAccounts = [
  ["petsh0ps0vth", "Harbor Pets", "pro"],
  ["petsh0peast2", "Paws & Claws", "free"],
  ["petsh0pwest3", "Tiny Tails", "free"],
  ["partnerfeed4", "Marketplace feed", "business"],
] as const;

const petCount = 240n;

/** Names of pets, and the beginning of their SKUs. */
const kinds = [
  ["Guinea pig", "SM"],
  ["Budgerigar, blue", "BI"],
  ["Labrador puppy", "DO"],
  ["Corn snake", "RE"],
  ["Goldfish", "FI"],
  ["Maine Coon kitten", "CA"],
  ["Dwarf rabbit", "SM"],
] as const;

/** Starts the service on a free port, with accounts, keys, pets, orders, and the requests of 30 days. */
export async function startDemo(): Promise<Demo> {
  const stores = createMemoryStores();
  await stores.accounts.createAccount(ownAccount, "North Street Pets", { plan: "business" });
  const own = await addKey(stores, ownAccount, { name: "back office", scopes });
  const till = await addKey(stores, ownAccount, { name: "till 1" });
  const old = await addKey(stores, ownAccount, { name: "till 1, before the move" });
  await stores.accounts.revokeKey(old.keyId);
  await addRequests(stores, ownAccount, [till.keyId, own.keyId], 900);
  const guests = [];
  for (const [accountId, name, plan] of otherAccounts) {
    await stores.accounts.createAccount(accountId, name, { plan });
    const key = await addKey(stores, accountId, { name: "web shop" });
    await addRequests(stores, accountId, [key.keyId], plan === "business" ? 4_000 : 120);
    guests.push(key.secret);
  }
  await addStock(stores);

  const config = readConfig({ PORT: "0", HOST: "127.0.0.1", LOG_LEVEL: "silent" });
  const app = createApp(config, stores, createLog("silent"));
  const { url } = await app.listen(config.port, config.host);
  await (await get(url, till.secret)).body?.cancel();
  // The third account uses up its limit and is banned, by real requests.
  await sendUntilBanned(url, guests[1] ?? "");
  return { url, key: own.secret, stop: () => app.drain(0) };
}

/** Adds requests of the last 30 days and of the last hour. */
async function addRequests(
  stores: Stores,
  accountId: string,
  keyIds: readonly string[],
  perDay: number,
): Promise<void> {
  const now = Date.now();
  const today = Math.floor(now / dayMs);
  const thisMinute = Math.floor(now / minuteMs);
  const days = Array.from(
    { length: reportedDays },
    (_, index) => (today - index) * (dayMs / minuteMs),
  );
  const minutes = Array.from({ length: reportedMinutes }, (_, index) => thisMinute - index);
  const counts = keyIds.flatMap((keyId, place) =>
    [
      ...days.map((minute, index) => ({ minute, ...requestsAt(index, perDay / (place + 1)) })),
      ...minutes.map((minute, index) => ({
        minute,
        ...requestsAt(index, perDay / 60 / (place + 1)),
      })),
    ].map((count) => ({ accountId, keyId, ...count })),
  );
  await stores.usage.add({ counts, bans: [] });
}

/** Numbers that rise and fall, with a few refusals at the peaks. */
function requestsAt(index: number, most: number) {
  const wave = 0.58 + 0.3 * Math.sin(index / 2.3) + 0.15 * Math.sin(index * 1.7);
  const admitted = Math.round(most * wave);
  const limited = wave > 0.85 ? Math.round(most * (wave - 0.7)) : 0;
  return { admitted, limited, banned: wave > 0.9 ? Math.round(limited / 2) : 0 };
}

/** The status of the oldest orders. Later ones have no entry: they were placed only. */
const statusesByAge = [OrderStatus.DELIVERED, OrderStatus.APPROVED] as const;

async function addStock({ catalog, orders, holds }: Stores): Promise<void> {
  const statuses = [PetStatus.AVAILABLE, PetStatus.AVAILABLE, PetStatus.PENDING, PetStatus.SOLD];
  for (let petId = 1n; petId <= petCount; petId += 1n) {
    const status = statuses[Number(petId) % statuses.length] ?? PetStatus.AVAILABLE;
    const [name, code] = kinds[Number(petId) % kinds.length] ?? kinds[0];
    await catalog.create({
      petId,
      name,
      sku: `${code}-${100n + petId}`,
      quantity: Number((petId * 37n) % 90n) + 10,
      status,
    });
  }
  for (let order = 0n; order < 14n; order += 1n) {
    const account = otherAccounts[Number(order) % otherAccounts.length]?.[0] ?? ownAccount;
    const { orderId } = await placed(orders, account, 4n + order * 8n, 1 + Number(order % 5n));
    const status = statusesByAge[Number(order / 4n)];
    if (status) await orders.advance(account, orderId, status);
  }
  for (let cart = 1n; cart <= 6n; cart += 1n) {
    await placed(orders, ownAccount, cart * 9n, Number(cart));
    const pets = Array.from({ length: Number(cart) }, (_, n) => cart * 11n + BigInt(n));
    const items = pets.map((petId) => ({ petId, quantity: 2 }));
    await holds.put(ownAccount, `cart-${1_041n + cart}`, {
      items,
      ttlMs: Number(cart) * 3 * minuteMs,
    });
  }
}

const enoughRequests = 130;

async function sendUntilBanned(url: string, key: string): Promise<void> {
  for (let sent = 0; sent < enoughRequests; sent += 1) {
    await (await get(url, key)).body?.cancel();
  }
}

function get(url: string, key: string): Promise<Response> {
  return fetch(`${url}/v1/inventory`, { headers: { authorization: `Bearer ${key}` } });
}
