import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { type Client, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { AdminService, Plan } from "../../../gen/admin/v1/admin_pb.ts";
import { CatalogService } from "../../../gen/catalog/v1/catalog_pb.ts";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { StoreService } from "../../../gen/store/v1/store_pb.ts";
import { withKey } from "../../support/accounts.ts";
import { upload } from "../../support/stock.ts";

const ownCli = join(import.meta.dirname, "../../../src/cli/main.ts");

/** The first integer that a double cannot represent. It cannot represent every second one after it either. */
const firstLargeId = 9_007_199_254_740_993n;

/** Imports more pets than a page may have, over the network as an operator would. */
export async function importPets(url: string, adminKey: string): Promise<void> {
  const catalog = clientOf(url, CatalogService, adminKey);
  // The most pets in one message are 500.
  for (const first of [1, 501]) {
    const pets = Array.from({ length: 500 }, (_, i) => somePet(first + i));
    await catalog.importPets(upload({ pets }));
  }
}

/**
 * Creates the data for the clients of one language.
 *
 * @param index index of the language
 * @returns the environment variables that describe the service and the data
 */
export async function prepare(
  url: string,
  adminKey: string,
  index: number,
): Promise<Readonly<Record<string, string>>> {
  const admin = clientOf(url, AdminService, adminKey);
  const pet = firstLargeId + 2n * BigInt(index);
  const catalog = clientOf(url, CatalogService, adminKey);
  await catalog.importPets(upload({ pets: [somePet(pet)] }));
  const limits = { perMinute: 1_000_000n, perDay: 1_000_000n };
  const { account } = await admin.createAccount({ name: "shop", plan: Plan.ENTERPRISE, limits });
  const { secret } = await admin.createKey({ accountId: account?.accountId ?? "" });
  const { order } = await clientOf(url, StoreService, secret).placeOrder({
    petId: 1n,
    quantity: 1,
  });
  return {
    INVENTORY_URL: url,
    INVENTORY_PET: String(pet),
    INVENTORY_API_KEY: secret,
    INVENTORY_ORDER: String(order?.orderId),
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
    interceptors: [withKey(key)],
  });
  return createClient(service, transport);
}

function somePet(petId: bigint | number) {
  return { petId: BigInt(petId), quantity: 10, status: PetStatus.AVAILABLE };
}
