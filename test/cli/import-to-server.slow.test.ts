import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { storeUnavailable } from "../../src/stores/errors.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { useDirectory } from "../support/directory.ts";
import { useServer } from "../support/server.ts";
import { storeKinds } from "../support/stores.ts";
import { runHere } from "./command-line.ts";

const rows = 10_000;
const path = join(useDirectory(), "pets.csv");

describe.each(storeKinds)("items import --server, stores in $name", (kind) => {
  const server = useServer(kind);
  const own = { apiKey: "" };

  beforeEach(async () => {
    const lines = Array.from({ length: rows }, (_, index) => `${index + 1},${index % 7},available`);
    await writeFile(path, `petId,quantity,status\n${lines.join("\n")}\n`);
    const accountId = await addAccount(server.stores);
    own.apiKey = (await addKey(server.stores, accountId, { scopes: ["admin"] })).secret;
  });

  const importing = (...options: string[]) =>
    runHere(["items import", path, "--server", server.url, ...options], { apiKey: own.apiKey });
  const size = async () => (await server.stores.inventory.list()).items.length;

  test("imports no row twice if it is resumed after a lost response", async () => {
    const { inventory } = server.stores;
    const put = inventory.put.bind(inventory);
    let calls = 0;
    Object.assign(inventory, {
      put: async (...args: Parameters<typeof put>) => {
        const outcome = await put(...args);
        calls += 1;
        if (calls >= 7) throw storeUnavailable(new Error("no response"));
        return outcome;
      },
    });
    const interrupted = await importing();
    Object.assign(inventory, { put });
    expect(interrupted.code).toBe(8);
    const [, point = ""] = /--resume (3000:\S+)/.exec(interrupted.stderr) ?? [];
    expect(await size()).toBe(3_500);
    await inventory.adjust(3_101n, 100);
    const resumed = await importing("--resume", point, "--output=json");
    expect(resumed).toEqual({
      code: 0,
      stdout: '{"created":7000,"updated":0,"skipped":0}\n',
      stderr: "",
    });
    expect(await inventory.get(3_101n)).toMatchObject({ quantity: 100 + (3_100 % 7) });
  });

  test("--resume with another file fails: exit code 6", async () => {
    const { inventory } = server.stores;
    const put = inventory.put.bind(inventory);
    Object.assign(inventory, {
      put: async (...args: Parameters<typeof put>) => {
        await put(...args);
        throw storeUnavailable(new Error("no response"));
      },
    });
    const interrupted = await importing();
    Object.assign(inventory, { put });
    const [, point = ""] = /--resume (0:\S+)/.exec(interrupted.stderr) ?? [];
    await writeFile(path, "petId,quantity,status\n1,0,sold\n");
    const resumed = await importing("--resume", point, "--output=json");
    expect(resumed).toMatchObject({ code: 6, stdout: "" });
    expect(JSON.parse(resumed.stderr)).toMatchObject({
      code: "failed_precondition",
      message: expect.stringContaining("differ from those of the import in --resume"),
    });
    expect(await size()).toBe(500);
  });

  test("imports nothing if the key lacks the scope admin: exit code 5", async () => {
    await addKey(server.stores, "aaaaaaaaaaaa");
    own.apiKey = (await addKey(server.stores, "aaaaaaaaaaaa")).secret;
    const { code, stderr } = await importing();
    expect(code).toBe(5);
    expect(stderr).toContain("lacks the scope `admin`");
    expect(await size()).toBe(0);
  });

  test("an error names the missing variable or the invalid option", async () => {
    own.apiKey = "";
    expect(await importing()).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("INVENTORY_API_KEY"),
    });
    const wrong = await runHere(["items import", path, "--server", "inventory"]);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("--server") });
    const resume = await runHere(["items import", path, "--resume", "-1"]);
    expect(resume).toMatchObject({ code: 2, stderr: expect.stringContaining("whole number") });
  });
});
