import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { setInterval } from "node:timers/promises";
import { type Client, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { AdminService, Plan } from "../../../gen/admin/v1/admin_pb.ts";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { StoreService } from "../../../gen/store/v1/store_pb.ts";

const ownCli = join(import.meta.dirname, "../../../src/cli/main.ts");

/** Number of pets in addition to those of the languages. */
const crowd = 2000;

/** The first integer that a double cannot represent. It cannot represent every second one after it either. */
const firstLargeId = 9_007_199_254_740_993n;

/** Requests at this pace keep an account at its limit, so that it can send another request within seconds. */
const paced = { perMinute: 20n, everyMs: 3_050 };

/** Time until such an account has reached its limit, in ms: the length of the window. */
export const pacedAfterMs = 61_000;

/** The data for the clients of one language. */
export interface Fixture {
  /** As environment variables. */
  readonly environment: Readonly<Record<string, string>>;
  /** Ends the requests that keep an account at its limit. Call it right before the clients run. */
  stopPacing(): void;
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
  const admin = clientOf(url, AdminService, firstAdminKey(redisUrl));
  const most = { perMinute: 1_000_000n, perDay: 1_000_000n };
  for (let first = 1; first <= crowd; first += importedAtOnce) {
    const length = Math.min(importedAtOnce, crowd + 1 - first);
    await admin.importItems({ items: Array.from({ length }, (_, i) => somePet(first + i)) });
  }

  return {
    async prepare(index) {
      const pet = firstLargeId + 2n * BigInt(index);
      await admin.importItems({ items: [somePet(pet)] });
      const newKey = async (limits: typeof most) =>
        (await admin.createKey({ accountId: await newAccount(admin, limits) })).secret;
      const key = await newKey(most);
      const limitedKey = await newKey({ ...most, perMinute: paced.perMinute });
      const pacing = pace(url, limitedKey);
      const store = clientOf(url, StoreService, key);
      const { order } = await store.placeOrder({ petId: 1n, quantity: 1 });
      return {
        environment: {
          INVENTORY_URL: url,
          INVENTORY_DOWN_URL: downUrl,
          INVENTORY_PET: String(pet),
          INVENTORY_API_KEY: key,
          INVENTORY_LIMITED_KEY: limitedKey,
          INVENTORY_ORDER: String(order?.orderId),
        },
        stopPacing: () => pacing.abort(),
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
      const headers = { authorization: `Bearer ${key}` };
      await (await fetch(`${url}/v1/store/orders`, { headers })).text();
    }
  };
  run().catch((error: unknown) => {
    if (!stop.signal.aborted) {
      throw error;
    }
  });
  return stop;
}
