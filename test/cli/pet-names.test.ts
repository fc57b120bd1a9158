import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { csvCell, valueOfCell } from "../../src/cli/output/csv-text.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { useDirectory } from "../support/directory.ts";
import { useServer } from "../support/server.ts";
import { placed } from "../support/stock.ts";
import { storeKinds } from "../support/stores.ts";
import { runHere, useCommands } from "./command-line.ts";

const { inventory, json, succeed, withStores } = useCommands();
const folder = useDirectory();
const accountId = "cccccccccccc";

async function addPets({ catalog }: Stores): Promise<void> {
  await catalog.put([
    { petId: 2n, name: "Budgerigar", sku: "BI-201", quantity: 3, status: 1 },
    { petId: 5n, name: "Goldfish", sku: "FI-501", quantity: 25, status: 1 },
    { petId: 7n, quantity: 4, status: 2 },
  ]);
}

beforeEach(() => withStores(addPets));

function fileOf(text: string, name = "rows.csv"): string {
  const path = join(mkdtempSync(join(folder, "rows-")), name);
  writeFileSync(path, text);
  return path;
}

describe("names and SKUs", () => {
  const list = [
    "PET ID  NAME        SKU     QUANTITY  STATUS",
    "     2  Budgerigar  BI-201         3  available",
    "     5  Goldfish    FI-501        25  available",
    "     7                             4  pending",
  ];

  test("are in tables, CSV and JSON of pets", async () => {
    expect(await succeed("items list")).toBe(`${list.join("\n")}\n`);
    expect(await succeed("items list -o csv")).toContain("\n5,Goldfish,FI-501,25,available\n");
    expect((await json("items list")).slice(1)).toEqual([
      { petId: 5, quantity: 25, status: "available", name: "Goldfish", sku: "FI-501" },
      { petId: 7, quantity: 4, status: "pending" },
    ]);
    expect(await succeed("items show 5")).toMatch(/^pet id +5\nname +Goldfish\nsku +FI-501\n/);
    expect(await succeed("items levels")).toContain("5  Goldfish    FI-501 ");
    expect(await succeed("items list --limit 1")).toContain("2  Budgerigar  BI-201 ");
  });

  test.each([
    "items set 5 9",
    "items adjust 5 --by 1",
    "items receive 5=1",
    "items count 5=9",
    "items update 5 --status sold",
    "items delete 5",
  ])("are in what %s prints", async (command) => {
    expect(await succeed(command)).toMatch(/Goldfish.*FI-501/s);
  });

  test("are in lists of changes, holds and orders", async () => {
    const item = { petId: 5n, quantity: 4 };
    await withStores(async (stores) => {
      await addAccount(stores, { plan: "free" }, accountId);
      await stores.holds.put(accountId, "cart-1", { items: [item], ttlMs: 900_000 });
      await placed(stores.orders, accountId, 5n, 4);
    });
    expect(await succeed("items history 2")).toMatch(/ PET ID +NAME.* 2 +Budgerigar /s);
    expect(await succeed("orders list")).toMatch(/ PET ID +NAME .* 5 +Goldfish /s);
    expect(await succeed("holds list")).toContain("4 of pet 5 (Goldfish)");
    expect(await succeed("holds show", accountId, "cart-1")).toContain("4 of pet 5 (Goldfish)");
  });

  test("are those of any number of pets", async () => {
    const status = PetStatus.AVAILABLE;
    const pets = Array.from({ length: 1_200 }, (_, at) => ({
      petId: BigInt(1_000 + at),
      name: `Ant ${at}`,
      quantity: 1,
      status,
    }));
    await withStores(({ catalog }) => catalog.put(pets));
    expect(await succeed("items list --limit 203")).toMatch(/ 1199 +Ant 199 /);
    expect(await succeed("items list")).toMatch(/ 2199 +Ant 1199 /);
  });
});

describe("--sku", () => {
  test.each([
    "items show --sku FI-501",
    "items set --sku FI-501 12",
    "items set 12 --sku=FI-501 --expect 25",
    "items adjust --sku FI-501 --by 3",
    "items update --sku FI-501 --name Carp",
    "items delete --sku FI-501",
  ])("%s is about the pet", async (command) => {
    expect(await json(command)).toMatchObject({ petId: 5 });
  });

  test.each([
    "items list --sku FI-501",
    "items levels --sku FI-501",
    "items history --sku FI-501",
    "items list 5 --sku=BI-201 --min 4",
  ])("%s lists the pet", async (command) => {
    expect(await json(command)).toMatchObject([{ petId: 5 }]);
  });

  test("items set with --sku sets the quantity that is given", async () => {
    expect(await json("items set 12 --sku FI-501")).toMatchObject({ quantity: 12 });
    expect(await json("items list --sku FI-501 --sku BI-201")).toHaveLength(2);
    expect(await json("items holds --sku FI-501")).toEqual([]);
  });

  test.each([
    ["items show --sku NO-1", 4, '--sku: no pet has the SKU "NO-1"'],
    ["items list --sku NO-1 --sku FI-501", 4, '--sku: no pet has the SKU "NO-1"'],
    ["items history --sku fi-501", 4, '--sku: no pet has the SKU "fi-501"'],
    ["items watch --sku NO-1", 4, '--sku: no pet has the SKU "NO-1"'],
    ["items show 5 --sku FI-501", 2, "<pet-id>: give a pet id or --sku, but not both"],
    ["items set 5 12 --sku FI-501", 2, "<pet-id>: give a pet id or --sku, but not both"],
    ["items history 5 --sku FI-501", 2, "[pet-id]: give a pet id or --sku, but not both"],
    ["items set --sku FI-501", 2, "missing required argument 'quantity'"],
    ["items show", 2, "missing required argument 'pet-id'"],
    ["items show --sku=", 2, "--sku: must have"],
    ["items show --sku Käfer", 2, "--sku: must have only printable ASCII characters"],
  ])("%s fails: exit code %i", async (command, code, message) => {
    expect(await inventory(command)).toEqual({
      code,
      stdout: "",
      stderr: expect.stringContaining(message),
    });
  });
});

describe("entries", () => {
  test("get a name and a SKU, and lose them", async () => {
    const words = ["--quantity", "1", "--status", "sold", "--name", "Guinea pig"];
    const entry = { petId: 8, name: "Guinea pig", sku: "SM-1", status: "sold" };
    expect(await json("items create", "8", ...words, "--sku", "SM-1")).toEqual(entry);
    expect(await json("items update 8 --new-sku SM-2")).toEqual({ ...entry, sku: "SM-2" });
    const named = { ...entry, sku: "SM-2", name: "Cavy" };
    expect(await json("items update --sku SM-2 --name Cavy")).toEqual(named);
    const bare = { ...named, name: "", sku: "" };
    expect(await json("items update --sku SM-2 --name= --new-sku=")).toEqual(bare);
  });

  test.each([
    ["items update 7", 2, "give --name, --new-sku or --status"],
    ["items update 7 --new-sku FI-501", 6, 'sku: pet 5 has the SKU "FI-501"'],
    ["items create 8 --quantity 1 --status sold --sku FI-501", 6, 'pet 5 has the SKU "FI-501"'],
    ["items update --sku Käfer --name x", 2, "error: --sku: must have only printable ASCII"],
    ["items update 7 --new-sku Käfer", 2, "--new-sku: must have only printable ASCII"],
    ["items create 8 --quantity 1 --status sold --sku Käfer", 2, "--sku: must have only printable"],
  ])("%s fails: exit code %i", async (command, code, message) => {
    expect(await inventory(command)).toMatchObject({
      code,
      stderr: expect.stringContaining(message),
    });
  });
});

describe("items import", () => {
  const importing = (text: string, name = "pets.csv", ...options: string[]) =>
    inventory("items import", fileOf(text, name), ...options);

  test("sets names and SKUs; an empty cell or an absent column leaves them", async () => {
    const rows = "sku,petId,name,quantity,status\nRE-7,7,Corn snake,1,sold\n,5,,1,sold\n";
    expect(await importing(rows)).toMatchObject({ code: 0, stderr: "" });
    await importing("petId,quantity,status\n2,1,sold\n");
    expect(await succeed("items list -o csv")).toBe(
      "petId,name,sku,quantity,status\n2,Budgerigar,BI-201,1,sold\n5,Goldfish,FI-501,1,sold\n7,Corn snake,RE-7,1,sold\n",
    );
  });

  test("of JSON removes a name that is empty", async () => {
    const rows = '[{"petId":5,"quantity":1,"status":"sold","name":"","sku":"X"}]';
    expect(await importing(rows, "pets.json")).toMatchObject({ code: 0 });
    expect(await json("items show 5")).toEqual({ petId: 5, quantity: 1, status: "sold", sku: "X" });
  });

  test.each([
    ["8, Rex,,1,sold", 'line 2: name: must have no control characters, *, not " Rex"'],
    ["8,Rex,Käfer,1,sold", 'line 2: sku: must have only printable ASCII *, not "Käfer"'],
    [`8,${"x".repeat(201)},,1,sold`, "line 2: name: must have at most 200 characters, not *"],
    ["8,a,X,1,sold\n9,b,X,1,sold", 'line 3: sku: "X" is already on line 2'],
    ["7,Rex,FI-501,1,sold", 'error: line 2: sku: pet 5 has the SKU "FI-501"*No row is imported.'],
  ])("names the row, the field and the value: %j", async (row, fault) => {
    const { code, stderr } = await importing(`petId,name,sku,quantity,status\n${row}\n`);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(new RegExp(fault.split("*").map(RegExp.escape).join(".*")));
    expect(await json("items list")).toHaveLength(3);
  });

  test("--skip-bad skips a row with the SKU of another pet", async () => {
    const rows = "petId,name,sku,quantity,status\n8,a,FI-501,1,sold\n9,b,X,1,sold\n";
    expect(await importing(rows, "pets.csv", "--skip-bad")).toMatchObject({
      code: 0,
      stdout: "created 1, updated 0, skipped 1\n",
      stderr: 'line 2: sku: pet 5 has the SKU "FI-501"\n',
    });
  });

  test("CSV keeps any name", () => {
    const texts = fc.stringMatching(/^(?:'|=|@|\\|u|\{|5c|200d|\}|\u200d|\u00ad|🐟|-1|x){0,12}$/u);
    fc.assert(
      fc.property(fc.oneof(texts, fc.string({ unit: "grapheme" })), (name) => {
        const cell = csvCell(name);
        expect(valueOfCell(cell)).toBe(name);
        expect(cell).not.toMatch(/\p{Cf}/u);
      }),
    );
    expect(["=A1", "'=A1", "-5", "a\u200db", "\\u{200d}"].map(csvCell)).toEqual([
      "'=A1",
      "''=A1",
      "-5",
      "a\\u{200d}b",
      "\\u{5c}u{200d}",
    ]);
    expect(["\\u{41}", "\\u{110000}", "\\u{d800}", "don't"].map(valueOfCell)).toEqual([
      "\\u{41}",
      "\\u{110000}",
      "\\u{d800}",
      "don't",
    ]);
  });
});

describe("rows of units with SKUs", () => {
  test("items receive takes arguments and --sku, and a repetition with ids changes nothing", async () => {
    const first = await json("items receive 7=1 --sku FI-501=10 --sku=BI-201=2");
    expect(first).toMatchObject([{ quantity: 5 }, { quantity: 35 }, { quantity: 5 }]);
    const again = await inventory("items receive 5=10 2=2 7=1");
    expect(again.stderr).toMatch(/nothing was changed: 3 rows/);
    expect(await json("items show 5")).toMatchObject({ quantity: 35 });
  });

  test("items count takes a file with ids and SKUs", async () => {
    const file = fileOf("sku,petId,counted\nFI-501,,9\n,7,8\n");
    expect(await json("items count --file", file)).toMatchObject([
      { quantity: 9 },
      { quantity: 8 },
    ]);
  });

  test("a SKU can have =, and more than 1,000 SKUs are found", async () => {
    const status = PetStatus.AVAILABLE;
    const pets = Array.from({ length: 1_200 }, (_, at) => ({
      petId: BigInt(1_000 + at),
      sku: `S=${at}`,
      quantity: 1,
      status,
    }));
    await withStores(({ catalog }) => catalog.put(pets));
    expect(await json("items receive --sku S=7=3")).toMatchObject([{ petId: 1_007, quantity: 4 }]);
    const file = fileOf(`sku,delta\n${pets.map(({ sku }) => `${sku},1\n`).join("")}`);
    expect(await json("items receive --file", file)).toHaveLength(1_200);
  });

  test.each([
    ["items receive --sku FI-501=1 --sku NO-1=1", 4, 'NO-1=1: sku: no pet has the SKU "NO-1"'],
    ["items receive 5=1 --sku FI-501=2", 2, "FI-501=2: pet 5 is already in 5=1"],
    ["items receive --sku FI-501=1 --sku FI-501=1", 2, "FI-501=1: pet 5 is already in FI-501=1"],
    ["items receive --sku FI-501", 2, "--sku: must be a SKU and a number, such as FI-501=10"],
    ["items receive --sku FI-501=x", 2, "FI-501=x: delta: must be an integer"],
    ["items receive --sku Käfer=1", 2, "Käfer=1: sku: must have only printable ASCII"],
  ])("%s: exit code %i, and nothing is changed", async (command, code, message) => {
    const outcome = await inventory(command);
    expect([outcome.code, outcome.stderr]).toEqual([code, expect.stringContaining(message)]);
    expect(await json("items show 5")).toMatchObject({ quantity: 25 });
  });

  test.each([
    ["sku,petId,delta\nFI-501,5,1\n", 2, "line 2: must have either petId or sku"],
    ["delta\n1\n", 2, "line 2: must have either petId or sku"],
    ["sku,delta\nFI-501,1\nFI-501,2\n", 2, "line 3: pet 5 is already in line 2"],
    ["sku,petId,delta\nFI-501,,1\n,5,2\n", 2, "line 3: pet 5 is already in line 2"],
    ["sku,delta\nNO-1,1\nFI-501,2\nNO-2,1\n", 4, 'line 4: sku: no pet has the SKU "NO-2"'],
    ["sku,name,delta\nNO-1,x,1\n", 2, 'line 1: unknown column "name"'],
  ])("a bad file is refused whole: %j", async (text, code, message) => {
    const outcome = await inventory("items receive --file", fileOf(text));
    expect([outcome.code, outcome.stderr]).toEqual([code, expect.stringContaining(message)]);
    expect(await json("items show 5")).toMatchObject({ quantity: 25 });
  });
});

describe.each(storeKinds.slice(0, 1))("with --server, stores in $name", (kind) => {
  const server = useServer(kind);

  async function call(scopes: readonly string[], ...words: readonly string[]) {
    const { secret: apiKey } = await addKey(server.stores, await addAccount(server.stores), {
      scopes: scopes as ["admin"],
    });
    return runHere([...words, "--server", server.url], { apiKey });
  }

  test("long names fit into the messages of an import", async () => {
    const row = (at: number) => `${at},${"🐟".repeat(200)},${`S${at}`.padEnd(64, '"')},1,sold\n`;
    const quoted = (at: number) =>
      row(at).replace(/S.*"/, (sku) => `"${sku.replaceAll('"', '""')}"`);
    const rows = Array.from({ length: 1_000 }, (_, at) => quoted(at + 1)).join("");
    const file = fileOf(`petId,name,sku,quantity,status\n${rows}`);
    expect(await call(["admin"], "items import", file)).toMatchObject({
      stdout: "created 1000, updated 0, skipped 0\n",
    });
  });

  test("a key that may not read the catalogue changes pets without names", async () => {
    await addPets(server.stores);
    const outcome = await call(["inventory:write"], "items set 5 9 -o json");
    expect(outcome.stdout).toBe('{"petId":5,"quantity":9,"status":"available"}\n');
    const { code, stderr } = await call(["inventory:write"], "items set 9 --sku FI-501");
    expect([code, stderr]).toEqual([5, expect.stringContaining("inventory:read")]);
  });
});
