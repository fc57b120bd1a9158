import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { petNamesKey } from "../../src/stores/redis/keys.ts";
import { useCommandData } from "../cli/command-data.ts";
import { failed, runHere, succeedHere } from "../cli/command-line.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { useRedis } from "../support/stores.ts";
import { contentsOf } from "./contents.ts";

const redis = useRedis("--appendonly", "no");
const own = useCommandData(redis);

const stores = () => own.stores;

const file = () => join(own.directory, "backup.ndjson.gz");
const inventory = (...args: string[]) => runHere(args, { redisUrl: redis.url });

const succeeding = (...args: string[]) => succeedHere(args, { redisUrl: redis.url });

/** Backs up all data, and deletes it from Redis. */
async function moveToFile(): Promise<void> {
  await succeeding("backup", file());
  await redis.client.flushall();
}

async function someData(): Promise<void> {
  const { catalog, inventory: stock, orders } = stores();
  await addAccount(stores());
  await addKey(stores(), "aaaaaaaaaaaa", { name: "ä till" });
  await catalog.put([
    { petId: 1n, quantity: 5, status: PetStatus.AVAILABLE },
    { petId: 2n, quantity: 6, status: PetStatus.SOLD },
  ]);
  await stock.change({ petId: 2n, quantity: 7 });
  await orders.place("aaaaaaaaaaaa", { petId: 1n, quantity: 2, reference: "cart 7,\n5" });
}

describe("restore", () => {
  test("brings the write policies back", async () => {
    const { accounts, admission } = stores();
    await someData();
    await addAccount(stores(), { plan: "pro" }, "bbbbbbbbbbbb");
    const key = await addKey(stores(), "bbbbbbbbbbbb");
    await accounts.update("bbbbbbbbbbbb", { policy: "strict" });
    const before = (await accounts.listAccounts(undefined, 9)).accounts;
    await moveToFile();
    await succeeding("restore", file());
    expect(before.map(({ isStrict }) => isStrict)).toEqual([false, true]);
    expect((await accounts.listAccounts(undefined, 9)).accounts).toEqual(before);
    expect(await admission.admitKey("bbbbbbbbbbbb", key.keyHash)).toMatchObject({
      caller: { isStrict: true },
      plan: "pro",
    });
  });

  test("brings names and SKUs back, each of which is taken again, without those that cannot be read", async () => {
    await someData();
    const { catalog } = stores();
    await catalog.update(1n, { name: "Rex", sku: "A" });
    const before = await catalog.list();
    await redis.client.hset(petNamesKey, "2", "damaged");
    await moveToFile();
    expect(await inventory("restore", "--force", file())).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("the names of pet 2 cannot be read"),
    });
    const after = await catalog.list();
    expect(after.entries).toEqual(before.entries);
    expect(after.version).toBeGreaterThan(before.version);
    expect(await redis.client.hgetall(petNamesKey)).toEqual({ 1: "A\tRex" });
    expect(await catalog.update(2n, { sku: "A" })).toEqual({ kind: "sku_taken", by: 1n });
    await succeeding("verify");
  });

  test("matches no entity tag and no resume token of before", async () => {
    await someData();
    const [item, oldVersion] = [await stores().inventory.get(2n), (await page()).version];
    await moveToFile();
    await succeeding("restore", file());
    expect((await stores().inventory.get(2n))?.version).not.toBe(item?.version);
    expect(await stores().inventory.changesSince(oldVersion, 10)).toBeUndefined();
    const outdated = { petId: 2n, quantity: 1, expectedVersions: [item?.version ?? 0n] };
    expect((await stores().inventory.change(outdated)).kind).toBe("version_mismatch");
    const { version } = await page();
    await stores().inventory.change({ petId: 2n, quantity: 8 });
    const since = await stores().inventory.changesSince(version, 10);
    expect(since?.changes).toMatchObject([{ petId: 2n, quantityBefore: 7, quantityAfter: 8 }]);
    expect((await stores().inventory.changes({ petId: 2n, limit: 10 }))?.changes).toMatchObject([
      { quantityAfter: 8 },
      { quantityAfter: 7 },
      { quantityAfter: 6 },
    ]);
    await succeeding("verify");
  });

  test("lets holds end at their time, and due ones at once", async () => {
    await someData();
    const { holds, inventory: stock } = stores();
    const alice = "aaaaaaaaaaaa";
    const held = (holdId: string, ttlMs: number) =>
      holds.put(alice, holdId, { items: [{ petId: 2n, quantity: 2 }], ttlMs });
    await held("sold", 60_000);
    await holds.confirm(alice, "sold");
    await held("due", 1);
    await held("active", 60_000);
    const active = await holds.get(alice, "active");
    const sold = await holds.get(alice, "sold");
    await moveToFile();
    expect(await succeeding("restore", file())).toContain("2 orders, 3 holds");
    const totals = { active: 2, units: 4, confirmed: 1, released: 0, expired: 0 };
    expect(await holds.totals()).toEqual(totals);
    expect(await holds.get(alice, "active")).toEqual(active);
    expect(await holds.confirm(alice, "sold")).toEqual({ kind: "held", hold: sold });
    await holds.sweep("a process");
    expect((await stock.get(2n))?.quantity).toBe(3);
    expect(await holds.confirm(alice, "active")).toMatchObject({ kind: "held" });
    expect((await stock.get(2n))?.quantity).toBe(3);
    await succeeding("verify");
  });

  test("refuses a Redis with holds alone: exit code 6", async () => {
    await moveToFile();
    await redis.client.hset("inv:{stock}:holds", "confirmed", 1);
    const { code, stderr } = await inventory("restore", file());
    expect([code, stderr]).toEqual([6, expect.stringContaining("Redis is not empty")]);
  });

  test("refuses a damaged file and writes nothing: exit code 1", async () => {
    await someData();
    await moveToFile();
    const bytes = await readFile(file());
    const damaged = join(own.directory, "damaged.gz");
    bytes[100] = (bytes[100] ?? 0) ^ 1;
    await writeFile(damaged, bytes);
    for (const args of [
      ["restore", damaged],
      ["verify", damaged],
      ["restore", damaged, "--force"],
    ]) {
      expect(await inventory(...args)).toEqual(
        failed(1, `error: ${damaged} is damaged: its checksum is wrong\n`),
      );
    }
    await writeFile(damaged, bytes.subarray(0, 900));
    expect((await inventory("restore", damaged)).stderr).toBe(
      `error: ${damaged} is not a backup, or is truncated or damaged at its end, or was compressed again: use the file as it was saved\n`,
    );
    expect(await redis.client.dbsize()).toBe(0);
  });

  test("refuses a Redis with an account that no index has: exit code 6", async () => {
    await someData();
    await moveToFile();
    await redis.client.hset("inv:{a3}:cccccccccccc", { name: "shop", plan: "free", created: "5" });
    const { code, stderr } = await inventory("restore", file());
    expect([code, stderr]).toEqual([6, expect.stringContaining("Redis is not empty")]);
    expect(await redis.client.exists("inv:{a3}:cccccccccccc")).toBe(1);
  });

  test("refuses a Redis with data and changes nothing: exit code 6", async () => {
    await someData();
    await succeeding("backup", file());
    const before = await contentsOf(redis.client);
    const { code, stderr } = await inventory("restore", file());
    expect([code, stderr]).toEqual([6, expect.stringContaining("Redis is not empty")]);
    expect(await contentsOf(redis.client)).toEqual(before);
  });

  test("restores into a Redis on which the service has only started", async () => {
    await someData();
    await moveToFile();
    await redis.client.set("inv:format", 1);
    await succeeding("restore", file());
    expect((await stores().inventory.get(2n))?.quantity).toBe(7);
  });

  test("begins again after an interruption; until then no command uses the data", async () => {
    await someData();
    const before = await contentsOf(redis.client);
    await succeeding("backup", file());
    // What a killed restore leaves.
    await redis.client.set("inv:format", "restoring some-id");
    await redis.client.hset("inv:{stock}:items", "9", "1,1,5");
    await redis.client.del("inv:{accounts}");
    for (const command of [
      ["items", "export"],
      ["verify"],
      ["backup", file()],
      ["verify", "--repair"],
    ]) {
      const { code, stderr } = await inventory(...command);
      expect([code, stderr]).toEqual([6, expect.stringContaining("an incomplete restore")]);
    }
    await succeeding("restore", file());
    expect(await contentsOf(redis.client)).toEqual(before);
  });

  test("keeps keys valid: their hashes and bans are those of the backup", async () => {
    await someData();
    const { keyHash } = await addKey(stores(), "aaaaaaaaaaaa", { name: "second" });
    const home = await addKey(stores(), "aaaaaaaaaaaa", { networks: ["411"] });
    await moveToFile();
    await succeeding("restore", file());
    const admit = async (hash: string, address: string) => {
      const origin = { network: () => address };
      return stores().admission.admitKey("aaaaaaaaaaaa", hash, undefined, origin);
    };
    expect(await admit(keyHash, "")).toMatchObject({ verdict: "admitted" });
    expect(await admit(home.keyHash, `4${"1".repeat(32)}`)).toMatchObject({ verdict: "admitted" });
    expect(await admit(home.keyHash, `410${"1".repeat(30)}`)).toMatchObject({
      verdict: "address_not_allowed",
    });
  });

  test("refuses a backup that does not agree with itself, unless --force is set", async () => {
    await someData();
    await redis.client.hset("inv:{stock}:items", "2", "3,1,1");
    await moveToFile();
    const { code, stderr } = await inventory("restore", file());
    expect(code).toBe(1);
    expect(stderr).toMatch(/^pet 2 differs from its last change.*\nerror: nothing was restored/);
    expect(await redis.client.dbsize()).toBe(0);
    const forced = await inventory("restore", file(), "--force");
    expect(forced.code).toBe(0);
    expect(await stores().inventory.get(2n)).toMatchObject({ quantity: 3, status: 1 });
  });
});

describe("backup", () => {
  test("leaves an existing file and no temporary file if Redis fails: exit code 8", async () => {
    const path = join(own.directory, "old.gz");
    await writeFile(path, "old");
    await someData();
    await redis.client.del("inv:{stock}:items");
    await redis.client.set("inv:{stock}:items", "not a hash");
    const { code } = await inventory("backup", path);
    expect(code).toBe(8);
    expect(await readFile(path, "utf8")).toBe("old");
    expect((await readdir(own.directory)).filter((name) => name.includes("tmp"))).toEqual([]);
  });

  test("makes a file that only its owner may read", async () => {
    const path = join(own.directory, "private.gz");
    await succeeding("backup", path);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test("prints the number of records and the version as JSON", async () => {
    await someData();
    const printed = JSON.parse(await succeeding("backup", file(), "--output=json"));
    expect(printed).toEqual({
      file: file(),
      version: String((await page()).version),
      items: 2,
      accounts: 1,
      keys: 1,
      orders: 1,
      changes: 4,
      audit: 0,
      holds: 0,
    });
    const verified = JSON.parse(await succeeding("verify", file(), "--output=json"));
    expect({ file: file(), ...verified }).toEqual(printed);
  });

  test("shows its progress on a terminal", async () => {
    await someData();
    const { stderr } = await runHere(["backup", file()], { redisUrl: redis.url, isTTY: true });
    expect(stderr).toContain("saving [");
  });
});

function page() {
  return stores().inventory.page(undefined, 1);
}
