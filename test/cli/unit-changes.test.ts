import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeEach, expect, test } from "vitest";
import { useDirectory } from "../support/directory.ts";
import { itemsFrom } from "../support/stock.ts";
import { useCommands } from "./command-line.ts";

const { inventory, json, succeed, withStores } = useCommands();
const folder = useDirectory();
const accountId = "aaaaaaaaaaaa";

beforeEach(async () => {
  await withStores(async (stores) => {
    await stores.catalog.put(itemsFrom(1n, 1_500, 10));
    await stores.holds.put(accountId, "cart-1", {
      items: [{ petId: 2n, quantity: 4 }],
      ttlMs: 900_000,
    });
  });
});

function fileOf(text: string): string {
  const path = join(mkdtempSync(join(folder, "rows-")), "rows.csv");
  writeFileSync(path, text);
  return path;
}

test("items receive adds the rows, and adds them once", async () => {
  const command = ["items receive", "2=3", "1=10", "--reference", "PO-17"];
  expect(await succeed(...command, "--output=csv")).toBe(
    "petId,name,sku,quantity,status\n1,,,20,available\n2,,,9,available\n",
  );
  expect(await json("items history 1 --limit 1")).toMatchObject([
    { quantityBefore: 10, quantityAfter: 20, reason: "arrival", reference: "PO-17" },
  ]);
  const again = await inventory("items receive", "1=10", "2=3", "--reference", "PO-17");
  expect(again.stderr).toBe("sent before, so nothing was changed: 2 rows\n");
  expect((await json("items show 1")).quantity).toBe(20);
  await succeed("items receive", "1=10", "2=3", "--reference", "PO-18");
  await succeed("items receive 3=1");
  expect((await inventory("items receive 3=1")).stderr).toMatch(/: 1 row\n$/);
  expect((await json("items show 1")).quantity).toBe(30);
});

test("items receive adds refused rows when the cause is gone, and adds them once", async () => {
  const receive = () => inventory("items receive", "1=-15", "4040=3", "--reference", "PO-19");
  expect(await receive()).toMatchObject({ code: 6, stdout: "" });
  await succeed("items create 4040 --quantity 0 --status available");
  for (const _ of [1, 2]) expect(await receive()).toMatchObject({ code: 6, stdout: "" });
  await succeed("items set 1 20");
  expect(await receive()).toMatchObject({ code: 0, stderr: "" });
  expect((await receive()).stderr).toBe("sent before, so nothing was changed: 2 rows\n");
  expect(await json("items levels 1 4040")).toMatchObject([{ quantity: 5 }, { quantity: 3 }]);
});

test("items receive sends a file of any length, 1,000 rows at a time", async () => {
  const rows = Array.from({ length: 1_500 }, (_, at) => `${at % 2},${1_500 - at}\n`);
  const file = fileOf(`delta,petId\n${rows.join("").replaceAll("0,", "3,")}`);
  const items = await json("items receive", "--file", file, "--reason", "return");
  expect(items).toHaveLength(1_500);
  expect(items[0]).toMatchObject({ petId: 1, quantity: 11 });
  expect((await inventory("items receive", "--file", file, "--reason", "return")).stderr).toContain(
    "sent before, so nothing was changed: 1500 rows",
  );
});

test("items receive skips what spreadsheets write around rows", async () => {
  const file = fileOf('\ufeff"petId",delta,,\r\n"1",5,,\r\n,,,\r\n"",,,\r\n2,"6"');
  expect(await json("items receive", "--file", file)).toMatchObject([
    { petId: 1, quantity: 15 },
    { petId: 2, quantity: 12 },
  ]);
});

test.each(["receive", "count"])("items %s says how to read a compressed file", async (name) => {
  const file = fileOf("");
  writeFileSync(file, gzipSync("petId,delta\n1,2\n"));
  const { code, stderr } = await inventory("items", name, "--file", file);
  expect([code, stderr]).toEqual([
    2,
    `error: ${file} is compressed with gzip: run \`zcat ${file} | inventory items ${name} --file -\`\n`,
  ]);
});

test("items count sets what is on hand, and leaves held units alone", async () => {
  const file = fileOf("petId,counted\n2,9\n\n1,0\n");
  const items = await json("items count", "--file", file, "--note", "Annual count");
  expect(items).toMatchObject([
    { petId: 1, quantity: 0 },
    { petId: 2, quantity: 5 },
  ]);
  expect(await json("items levels 2")).toMatchObject([{ held: 4, onHand: 9 }]);
  expect(await json("items history 2 --limit 1")).toMatchObject([
    { reason: "count", note: "Annual count" },
  ]);
  expect(await json("items count 2=9")).toMatchObject([{ petId: 2, quantity: 5 }]);
});

test("the same count takes effect again, because units have moved in the meantime", async () => {
  await json("items count 1=9");
  await json("items adjust 1 --by=-4");
  const again = await inventory("items count", "1=9");
  expect([again.code, again.stderr]).toEqual([0, ""]);
  expect(await json("items show 1")).toMatchObject({ quantity: 9 });
});

test.each<[string[], number, string]>([
  [["items count"], 2, "[row...]: give rows such as 5=10, or a file with --file"],
  [["items count 1=2 --file x.csv"], 2, "but not both"],
  [["items count 5"], 2, "[row...]: must be a pet id and a number, such as 5=10, and not 5"],
  [["items count 1=x"], 2, "1=x: counted: must be an integer"],
  [["items count 1=-1"], 2, "1=-1: counted: must be between 0 and 2147483647"],
  [["items count 0=1"], 2, "0=1: petId: must be between 1"],
  [["items count 1=2 1=3"], 2, "1=3: petId: 1 is already in 1=2"],
  [["items count 1=2 4040=1"], 4, "4040=1: there is no such pet"],
  [["items count 1=2 2=3"], 6, "2=3: 4 units are held"],
  [["items receive 1=0"], 2, "1=0: delta: must not be 0"],
  [["items receive 1=2 3=-11"], 6, "3=-11: the quantity is 10, which is too small"],
  [["items receive 1=2 --reason theft"], 2, "Allowed choices are arrival"],
  [["items receive --file none.csv"], 1, "none.csv"],
])("%j: exit code %i, and nothing is changed", async (args, code, message) => {
  const outcome = await inventory(...(args as [string]));
  expect([outcome.code, outcome.stdout]).toEqual([code, ""]);
  expect(outcome.stderr).toContain(message);
  expect(await json("items levels 1 3")).toMatchObject([{ onHand: 10 }, { onHand: 10 }]);
});

test.each([
  ["", "the file has no rows"],
  ["petId,counted\n", "the file has no rows"],
  ["petId,delta\n1,2\n", "line 1: unknown column"],
  ["petId\n1\n", "line 1: missing column counted"],
  ["petId;counted\n1;2\n", "fields are separated by"],
  ["petId,counted\n1,2\nx,2\n1,3\n", "; line 4: petId: 1 is already in line 2"],
  ['petId,counted\n1,2\n"2,9\n3,1\n', "line 3: malformed quotes"],
  ['petId,counted\n1,"2\n"\n', "line 2: malformed quotes"],
  ["petId,counted\n1,2,500\n", "line 2: must have 2 fields, has 3"],
  ["petId,counted\n1\n", "line 2: must have 2 fields, has 1"],
  [
    "petId,counted\n1,\u00a02\n",
    String.raw`line 2: counted: must be an integer between 0 and 2147483647 in plain decimal, not "\u00a02"`,
  ],
])("a bad file is refused whole: %j", async (text, message) => {
  const { code, stderr } = await inventory("items count", "--file", fileOf(text));
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect((await json("items show 1")).quantity).toBe(10);
});

test("a line that is too long is refused", async () => {
  const file = fileOf(`petId,counted\n1,2\n2,${"9".repeat(70_000)}\n`);
  const { code, stderr } = await inventory("items count", "--file", file);
  expect([code, stderr]).toEqual([2, "error: line 3: must have at most 65536 bytes\n"]);
});
