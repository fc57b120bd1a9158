import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { useDirectory } from "../support/directory.ts";
import { runHere, succeeded } from "./command-line.ts";

const directory = useDirectory();

const csv = "petId,quantity,status\n1,5,sold\n";

/** Checks a file, without Redis. */
async function checked(name: string, content: string | Buffer, ...options: readonly string[]) {
  const path = join(directory, name);
  await writeFile(path, content);
  const outcome = await runHere(["items import", path, "--dry-run", ...options]);
  return { ...outcome, stderr: outcome.stderr.replaceAll(`${directory}/`, "") };
}

/** The start of a zip archive whose first file has a name and a content. */
function zipOf(name: string, content = ""): Buffer {
  const header = Buffer.alloc(30);
  header.write("PK\u0003\u0004", "latin1");
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, Buffer.from(name + content)]);
}

const workbook = zipOf("[Content_Types].xml");
const openDocument = zipOf("mimetype", "application/vnd.oasis.opendocument.spreadsheet");
const oldWorkbook = Buffer.from("d0cf11e0a1b11ae1", "hex");

describe("a file of another kind is named, by its extension or its content: exit code 2", () => {
  test.each([
    ["a.csv.gz", gzipSync(csv), "zcat a.csv.gz | inventory items import - --format csv"],
    ["a.ndjson.gz", gzipSync("{}"), "zcat a.ndjson.gz | inventory items import - --format ndjson"],
    ["b.csv", gzipSync(csv), "b.csv is compressed with gzip"],
    ["pets", gzipSync(csv), "zcat pets | inventory items import - --format csv"],
    ["pets.dat", gzipSync(csv), "zcat pets.dat | inventory items import - --format csv"],
    ["b.ndjson", gzipSync("{}"), "zcat b.ndjson | inventory items import - --format ndjson"],
    ["b.JSON", gzipSync("[]"), "zcat b.JSON | inventory items import - --format json"],
    ["a.xlsx", workbook, "a.xlsx is an Excel workbook: save it as CSV"],
    ["c.csv", workbook, "c.csv is an Excel workbook"],
    ["a.xls", oldWorkbook, "a.xls is an Excel workbook"],
    ["d.csv", oldWorkbook, "d.csv is an Excel workbook"],
    ["a.ods", openDocument, "a.ods is an OpenDocument spreadsheet: save it as CSV"],
    ["e.csv", openDocument, "e.csv is an OpenDocument spreadsheet"],
    ["a.zip", zipOf("pets.csv"), "a.zip is a zip archive"],
    ["f.json", zipOf("pets.csv"), "f.json is a zip archive"],
    ["g.csv", Buffer.from(`\ufeff${csv}`, "utf16le"), "g.csv is UTF-16: save it as UTF-8"],
    ["h.csv", Buffer.from(csv, "utf16le"), "h.csv is UTF-16"],
    ["i.csv", Buffer.from(`\ufeff${csv}`, "utf16le").swap16(), "i.csv is UTF-16"],
    ["j.csv.zst", Buffer.from("28b52ffd00", "hex"), "is compressed with zstd"],
  ])("%s", async (name, content, what) => {
    const { code, stderr } = await checked(name, content);
    expect(code).toBe(2);
    expect(stderr).toContain(what);
  });

  test("on standard input", async () => {
    const outcome = await runHere(["items import - --format csv --dry-run"], {
      stdin: workbook.toString("latin1"),
    });
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toContain("standard input is an Excel workbook");
  });

  test("no file with such an extension is written as plain text", async () => {
    for (const name of ["o.csv.gz", "o.xlsx", "o.ods", "o.csv.zip"]) {
      const path = join(directory, name);
      const { code, stderr } = await runHere(["items export", path, "--format", "csv"]);
      expect([code, stderr]).toEqual([2, expect.stringContaining("writes plain text")]);
      expect(await readdir(directory)).not.toContain(name);
    }
  });
});

describe("a header says what is wrong with its file: exit code 1", () => {
  test.each([
    ["petId;quantity;status\n1;5;sold\n", 'line 1: fields are separated by ";"'],
    ["petId\tquantity\tstatus\n1\t5\tsold\n", 'line 1: fields are separated by "\\t"'],
    ["sep=;\npetId;quantity;status\n", "line 1: the line only says how fields are separated"],
    ["petId,quantity,status\r1,5,sold\r", "line 1: the lines end with CR only"],
    ["petId,quantity\u200e,status\n", 'line 1: unknown column "quantity\\u200e"'],
    ["petId,quantity,status\u00a0\n", 'line 1: unknown column "status\\u00a0"'],
    ["petId,quantity,status \n", 'line 1: unknown column "status "'],
  ])("%j", async (content, what) => {
    const { code, stderr } = await checked("header.csv", content);
    expect(code).toBe(1);
    expect(stderr).toContain(what);
  });
});

test("a row shows hidden characters of its values, and says what to do about leading zeros", async () => {
  const rows = ["1\u200e,5,sold", "2,5\u00a0,sold", "3,5,sold ", "0012,5,sold", "4,5,\u202esold"];
  const { code, stderr } = await checked("rows.csv", `petId,quantity,status\n${rows.join("\n")}\n`);
  expect(code).toBe(1);
  const faults = stderr.split("\n");
  expect(faults[0]).toMatch(/^line 2: petId: .*, not "1\\u200e"$/);
  expect(faults[1]).toMatch(/^line 3: quantity: .*, not "5\\u00a0"$/);
  expect(faults[2]).toMatch(/^line 4: status: .*, not "sold "$/);
  expect(faults[3]).toMatch(/^line 5: petId: .*, not "0012". Remove the leading zeros$/);
  expect(faults[4]).toMatch(/^line 6: status: .*, not "\\u202esold"$/);
});

test.each([
  [["items", "show", "5\u200e"], 'error: <pet-id>: must be an integer .*, not "5\\\\u200e"\n'],
  [["items", "adjust", "5", "--by", "1\u00a0"], 'error: --by: .*, not "1\\\\u00a0"\n'],
  [
    ["items", "import", "no such file.csv\u200b", "--format", "csv", "--dry-run"],
    '^error: "no such file.csv\\\\u200b": no such',
  ],
])("an error of a command shows hidden characters of an argument: %j", async (words, what) => {
  const { code, stderr } = await runHere(words, { redisUrl: "redis://127.0.0.1:1" });
  expect(code).not.toBe(0);
  expect(stderr).toMatch(new RegExp(what));
});

test("empty rows and empty last columns of a spreadsheet are skipped", async () => {
  const lines = [
    "petId,quantity,status,,",
    "1,5,sold,,",
    ",,,,",
    '"","",""',
    " , ,",
    "   ",
    "2,6,sold",
  ];
  expect(await checked("empty.csv", `${lines.join("\r\n")}\r\n`)).toEqual(
    succeeded("good 2, bad 0; nothing was imported (dry run)\n"),
  );
  expect((await checked("more.csv", `${lines[0]}\n1,5,sold,,x\n`)).stderr).toContain(
    "line 2: must have 3 fields, has 5",
  );
  const ndjson = '{"petId":1,"quantity":5,"status":"sold"}\n   \n\t\r\n';
  expect((await checked("blank.ndjson", ndjson)).stdout).toMatch(/^good 1, bad 0/);
});

describe("a syntax error in a JSON array has a position", () => {
  const item = '{"petId":1,"quantity":5,"status":"sold"}';

  test.each([
    ["no comma", `[${item}\n  ${item}]`, 'line 2, column 3: expected ",", found "{"'],
    ["another separator", `[\n${item};\n${item}]`, 'line 2, column 41: expected ",", found ";"'],
    [
      "a comma at the end",
      `[${item},\n]`,
      "line 1, column 42: remove the comma after the last item",
    ],
    [
      "a second array",
      `[${item}]\n[${item}]`,
      "line 1, column 42: the array ends before the last item",
    ],
    ["no array", item, 'line 1, column 1: expected "[", found "{"'],
    ["text behind it", `[${item}]\nx`, 'line 2, column 1: expected the end, found "x"'],
    ["no end of the array", `[\n${item}\n`, 'line 3, column 1: expected "]", found the end'],
    ["no end of an item", `[\n  {"petId":1`, "line 2, column 3: a brace or a quote of the item"],
    ["an empty file", "", 'line 1, column 1: expected "[", found the end'],
  ])("between items: %s", async (_, content, what) => {
    const { code, stderr } = await checked("a.json", content);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`error: ${what}`)]);
  });

  test("within an item", async () => {
    const { code, stderr } = await checked(
      "a.json",
      `[${item},\n  {"petId":2,\n   "quantity" 5}, {"petId" 3}]`,
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^item 2: not valid JSON: expected ":", found "5" at line 3, column 15$/m,
    );
    expect(stderr).toMatch(
      /^item 3: not valid JSON: expected ":", found "3" at line 3, column 28$/m,
    );
  });
});
