import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { directoryOfTest } from "../support/directory.ts";
import { startRedisServer } from "../system/harness/redis-server.ts";
import { startServer } from "../system/harness/server-process.ts";

const root = join(import.meta.dirname, "../..");
const releases = readdirSync(import.meta.dirname).filter((name) => /^\d+\.\d+\.\d+$/.test(name));

/** What a release has kept about its backup. */
interface Expected {
  readonly key: string;
  readonly orderId: string;
  readonly stock: Readonly<Record<string, number>>;
  readonly name: { readonly sku: string; readonly name: string };
  /** Requests that a key, an account or its policy does not permit. */
  readonly refused: readonly {
    readonly method: string;
    readonly path: string;
    readonly body?: object;
    readonly key: string;
    readonly status: number;
  }[];
}

test("this version has kept its copies", () => {
  expect(releases).toContain(manifest.version);
});

/** What the test uses of the client of any release. Its code is not part of this project. */
interface ClientPackage {
  InventoryError: new (...args: never) => Error;
  createInventoryClient(options: { baseUrl: string; apiKey: string }): {
    readonly inventory: {
      listInventory(request: object): Promise<{ items: readonly Item[] }>;
      adjustInventory(request: { petId: bigint; delta: number }): Promise<{ item?: Item }>;
    };
    readonly store: {
      listOrders(request: object): Promise<{ orders: readonly { orderId: bigint }[] }>;
      placeOrder(request: { petId: bigint; quantity: number }): Promise<object>;
    };
    watch(): AsyncIterable<object>;
  };
}

interface Item {
  readonly petId: bigint;
  readonly quantity?: number;
}

/** Installs the client of a release into an empty folder, with packages of this project. */
async function installClient(archive: string): Promise<ClientPackage> {
  const folder = directoryOfTest();
  const target = join(folder, "node_modules/@inventory-service/client");
  mkdirSync(target, { recursive: true });
  execFileSync("tar", ["-xzf", archive, "-C", target, "--strip-components=1"]);
  for (const scope of ["@bufbuild", "@connectrpc"]) {
    symlinkSync(join(root, "node_modules", scope), join(folder, "node_modules", scope));
  }
  return import(pathToFileURL(join(target, "dist/index.js")).href);
}

describe.each(releases)("%s", (release) => {
  const folder = join(import.meta.dirname, release);
  const expected: Expected = JSON.parse(readFileSync(join(folder, "expected.json"), "utf8"));

  test("its backup can be restored, and its client works with this version", async () => {
    const redis = await startRedisServer();
    onTestFinished(redis.stop);
    const inventory = (...args: readonly string[]) =>
      execFileSync(process.execPath, ["src/cli/start.js", ...args], {
        cwd: root,
        env: { PATH: process.env.PATH, REDIS_URL: redis.url },
        encoding: "utf8",
        stdio: "pipe",
      });
    inventory("restore", join(folder, "backup.ndjson.gz"));
    inventory("verify");
    const server = await startServer({ REDIS_URL: redis.url });
    onTestFinished(async () => void (await server.end()));

    const call = ({ method, path, body, key }: (typeof expected.refused)[number]) =>
      fetch(`${server.url}/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
    for (const request of expected.refused) {
      expect((await call(request)).status, JSON.stringify(request)).toBe(request.status);
    }
    const { name, sku } = expected.name;
    const found = { method: "GET", path: `/catalog?sku=${sku}`, key: expected.key, status: 200 };
    expect(await (await call(found)).json()).toMatchObject([{ name, sku }]);

    const { createInventoryClient, InventoryError } = await installClient(
      join(folder, "client.tgz"),
    );
    const own = createInventoryClient({ baseUrl: server.url, apiKey: expected.key });
    const stock = async () => {
      const { items } = await own.inventory.listInventory({});
      return Object.fromEntries(items.map(({ petId, quantity }) => [String(petId), quantity ?? 0]));
    };
    await expect.poll(stock, { timeout: 10_000 }).toEqual(expected.stock);
    const { orders } = await own.store.listOrders({});
    expect(orders.map(({ orderId }) => String(orderId))).toEqual([expected.orderId]);

    const { item } = await own.inventory.adjustInventory({ petId: 1n, delta: -1 });
    expect(item?.quantity).toBe((expected.stock[1] ?? 0) - 1);
    const refused = own.store.placeOrder({ petId: 1n, quantity: 1_000 });
    await expect(refused).rejects.toMatchObject({ reason: "STOCK_TOO_SMALL" });
    await expect(refused).rejects.toBeInstanceOf(InventoryError);
    for await (const event of own.watch()) {
      expect(event).toMatchObject({ case: "snapshot", reset: true });
      break;
    }
  }, 60_000);
});
