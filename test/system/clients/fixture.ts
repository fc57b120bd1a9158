import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { setInterval } from "node:timers/promises";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Client, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { AdminService, Plan, WritePolicy } from "../../../gen/admin/v1/admin_pb.ts";
import { InventoryService, PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { OrderStatus, StoreService } from "../../../gen/store/v1/store_pb.ts";
import { parseApiKey } from "../../../src/access/api-key.ts";

const ownCli = join(import.meta.dirname, "../../../src/cli/main.ts");

/** Most requests per minute from one address without a key. */
const anonymousPerMinute = 400;

/** Settings of the server. It trusts the clients' X-Forwarded-For. */
export const serverSettings = {
  ANONYMOUS_PER_MINUTE: String(anonymousPerMinute),
  TRUSTED_PROXIES: "127.0.0.1",
} as const;

/** Number of pets in addition to those of the languages. */
const crowd = 2000;

/** The first integer that a double cannot represent. It cannot represent every second one after it either. */
const firstLargeId = 9_007_199_254_740_993n;

/** A pet of which each language holds a unit. */
const heldPet = 2n;

/** Requests at this pace keep an account at its limit, so that it can send another request within seconds. */
const paced = { perMinute: 20n, everyMs: 3_050 };

/** Time until such an account has reached its limit, in ms: the length of the window. */
export const pacedAfterMs = 61_000;

/** The data for the clients of one language, as environment variables. */
export interface Fixture {
  readonly environment: Readonly<Record<string, string>>;
  /** Prepares data that expires within a minute. Call it right before the clients run. */
  lastMinute(): Promise<void>;
}

/** Creates fixtures over the network or with the command line, as an operator would. */
export interface Operator {
  /** @param index index of the language */
  prepare(index: number): Promise<Fixture>;
}

/** Most pets in one message. */
const importedAtOnce = 500;

/** @param downUrl URL of a server whose Redis is down */
export async function createOperator(
  url: string,
  redisUrl: string,
  downUrl: string,
): Promise<Operator> {
  const adminKey = firstAdminKey(redisUrl);
  const admin = clientOf(url, AdminService, adminKey);
  const adminAccount = parseApiKey(adminKey)?.accountId ?? "";
  const most = { perMinute: 1_000_000n, perDay: 1_000_000n };
  for (let first = 1; first <= crowd; first += importedAtOnce) {
    const length = Math.min(importedAtOnce, crowd + 1 - first);
    await admin.importItems({ items: Array.from({ length }, (_, i) => somePet(first + i)) });
  }
  const fullAccount = await newAccount(admin, most);
  await times(1000, () => admin.createKey({ accountId: fullAccount }));

  return {
    async prepare(index) {
      const pet = firstLargeId + 2n * BigInt(index);
      const fullPet = BigInt(5001 + index);
      await admin.importItems({ items: [somePet(pet), somePet(fullPet)] });
      const accountId = await newAccount(admin, most);
      const limitedAccount = await newAccount(admin, { ...most, perMinute: paced.perMinute });
      const bannedAccount = await newAccount(admin, { ...most, perMinute: 1n });
      const key = (await admin.createKey({ accountId })).secret;
      const disabledAccount = await newAccount(admin, most);
      const disabledKey = (await admin.createKey({ accountId: disabledAccount })).secret;
      await admin.disableAccount({ accountId: disabledAccount });
      const strictAccount = await newAccount(admin, most);
      const strictKey = (await admin.createKey({ accountId: strictAccount })).secret;
      await admin.setWritePolicy({ accountId: strictAccount, writePolicy: WritePolicy.STRICT });
      const allowedAddresses = ["198.51.100.0/24"];
      const boundKey = (await admin.createKey({ accountId, allowedAddresses })).secret;
      const readKey = (await admin.createKey({ accountId, scopes: ["inventory:read"] })).secret;
      const revoked = await admin.createKey({ accountId });
      await admin.revokeKey({ keyId: revoked.key?.keyId ?? "" });
      const expired = await admin.createKey({
        accountId,
        expiresAt: timestampFromMs(Date.now() + 2_000),
      });
      const limitedKey = (await admin.createKey({ accountId: limitedAccount })).secret;
      const banned = await admin.createKey({ accountId: bannedAccount });
      const pacing = pace(url, limitedKey);
      const address = `203.0.113.${index + 1}`;

      const store = clientOf(url, StoreService, key);
      const delivered = await store.placeOrder({ petId: 1n, quantity: 1 });
      const deliveredOrder = delivered.order?.orderId ?? 0n;
      for (const status of [OrderStatus.APPROVED, OrderStatus.DELIVERED]) {
        await admin.advanceOrder({ accountId, orderId: deliveredOrder, status });
      }
      const full = await store.placeOrder({ petId: fullPet, quantity: 1 });
      await clientOf(url, InventoryService, key).updateInventory({
        petId: fullPet,
        update: { quantity: 2_147_483_647 },
      });

      const item = { petId: heldPet, quantity: 1 };
      await store.putHold({ holdId: "held", items: [item], ttlSeconds: 86_400 });
      await store.putHold({ holdId: "confirmed", items: [item] });
      await store.confirmHold({ holdId: "confirmed" });

      return {
        environment: {
          INVENTORY_URL: url,
          INVENTORY_DOWN_URL: downUrl,
          INVENTORY_PET: String(pet),
          INVENTORY_API_KEY: key,
          INVENTORY_READ_KEY: readKey,
          INVENTORY_REVOKED_KEY: revoked.secret,
          INVENTORY_REVOKED_KEY_ID: revoked.key?.keyId ?? "",
          INVENTORY_EXPIRED_KEY: expired.secret,
          INVENTORY_LIMITED_KEY: limitedKey,
          INVENTORY_BANNED_KEY: banned.secret,
          INVENTORY_DISABLED_KEY: disabledKey,
          INVENTORY_STRICT_KEY: strictKey,
          INVENTORY_BOUND_KEY: boundKey,
          INVENTORY_ADMIN_KEY: adminKey,
          INVENTORY_ADMIN_ACCOUNT: adminAccount,
          INVENTORY_FULL_ACCOUNT: fullAccount,
          INVENTORY_DELIVERED_ORDER: String(deliveredOrder),
          INVENTORY_FULL_ORDER: String(full.order?.orderId),
          INVENTORY_HELD_PET: String(heldPet),
          INVENTORY_CONFIRMED_HOLD: "confirmed",
          INVENTORY_DRAINED_ADDRESS: address,
        },
        async lastMinute() {
          pacing.abort();
          // One request is admitted, 60 are refused without a ban, and one more causes the ban.
          await times(62, () => list(url, { authorization: `Bearer ${banned.secret}` }));
          await times(anonymousPerMinute, () => list(url, { "x-forwarded-for": address }));
        },
      };
    },
  };
}

/** The key that no call can make: an operator's first one. */
export function firstAdminKey(redisUrl: string): string {
  const run = (...args: string[]): Record<string, string> =>
    JSON.parse(
      execFileSync(process.execPath, [ownCli, ...args, "--output=json"], {
        env: { ...process.env, REDIS_URL: redisUrl },
        encoding: "utf8",
      }),
    );
  const limits = ["--per-minute", "1000000", "--per-day", "1000000"];
  const { accountId = "" } = run(
    ...["accounts", "create", "--name", "operator", "--plan", "enterprise", ...limits],
  );
  const { key = "" } = run("keys", "create", accountId, "--scope", "admin");
  return key;
}

/** Creates a client of a service, with a key. */
export function clientOf<S extends Parameters<typeof createClient>[0]>(
  url: string,
  service: S,
  key: string,
): Client<S> {
  const transport = createConnectTransport({
    baseUrl: url,
    httpVersion: "2",
    interceptors: [
      (next) => (request) => {
        request.header.set("authorization", `Bearer ${key}`);
        return next(request);
      },
    ],
  });
  return createClient(service, transport);
}

async function newAccount(
  admin: Client<typeof AdminService>,
  limits: { perMinute: bigint; perDay: bigint },
): Promise<string> {
  const { account } = await admin.createAccount({ name: "shop", plan: Plan.ENTERPRISE, limits });
  return account?.accountId ?? "";
}

function somePet(petId: bigint | number) {
  return { petId: BigInt(petId), quantity: 10, status: PetStatus.AVAILABLE };
}

/**
 * Keeps an account at its limit: after a minute of it, what it spent leaves the window bit by bit, so
 * that a refused client waits for seconds and not for a minute.
 */
function pace(url: string, key: string): AbortController {
  const stop = new AbortController();
  const run = async () => {
    for await (const _ of setInterval(paced.everyMs, undefined, { signal: stop.signal })) {
      await list(url, { authorization: `Bearer ${key}` });
    }
  };
  run().catch((error: unknown) => {
    if (!stop.signal.aborted) {
      throw error;
    }
  });
  return stop;
}

async function list(url: string, headers: Record<string, string>): Promise<void> {
  const response = await fetch(`${url}/v1/store/orders`, { headers });
  await response.text();
}

/** Calls a function many times, 20 times at once. */
async function times(count: number, act: () => Promise<unknown>): Promise<void> {
  for (let done = 0; done < count; done += 20) {
    await Promise.all(Array.from({ length: Math.min(20, count - done) }, act));
  }
}
