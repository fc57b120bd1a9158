import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PetStatus } from "../../../../gen/inventory/v1/inventory_pb.ts";
import { checkRows, csvRows, jsonRows } from "../../../../src/cli/items/import/import-file.ts";
import { readLines } from "../../../../src/cli/items/import/lines.ts";
import { namesOf, unreadNames } from "../../src/console/pets/names.ts";
import { checkFile } from "../../src/console/stock/changes/import/check-file.ts";
import { createItemReader, type Row } from "../../src/console/stock/changes/import/item-reader.ts";
import { itemTexts } from "../../src/console/stock/changes/item-text.ts";
import type { Item } from "../../src/console/stock/item.ts";

const header = "petId,quantity,status\n";

function rowsOf(...parts: readonly string[]): Row[] {
  const reader = createItemReader();
  return [...parts.flatMap((part) => reader.read(part)), ...reader.end()];
}

/** A row as a text: its line, and its item or fault. */
function textOf(row: Row): string {
  if ("fault" in row) return `${row.line} ${row.fault}`;
  const { petId, quantity, status, name, sku } = row.item;
  const names = [name, sku].flatMap((text) => (text === undefined ? [] : JSON.stringify(text)));
  return [row.line, petId, quantity, status, ...names].join(" ");
}

async function commandLineRows(content: string): Promise<Row[]> {
  async function* chunks() {
    yield Buffer.from(content);
  }
  const lines = readLines(chunks());
  const read = content.trimStart().startsWith("{") ? jsonRows(lines) : csvRows(lines);
  const rows: Row[] = [];
  for await (const row of checkRows(read)) rows.push(row);
  return rows;
}

/** A row without the text of its fault, which the console writes in its own way. */
function verdictOf(row: Row): string {
  return "fault" in row ? `${row.line} bad` : textOf(row);
}

describe("a file of items", () => {
  test.each([
    ["CSV", `${header}1,5,sold\n9007199254740993,0,available\n`],
    ["columns in another order", "status,petId,quantity\nsold,1,5\navailable,9007199254740993,0\n"],
    [
      "CRLF, and no break at the end",
      "petId,quantity,status\r\n1,5,sold\r\n9007199254740993,0,available",
    ],
    [
      "rows and last columns of a spreadsheet that are empty",
      'petId,quantity,status,,\n1,5,sold,,\n9007199254740993,0,available, ,\n,,,,\n"",,,,\n',
    ],
    ["quotes", '"petId","quantity","status"\n"1",5,"sold"\n9007199254740993,"0",available\n'],
  ])("can be %s", (_, content) => {
    expect(rowsOf(content).map(textOf)).toEqual(["2 1 5 3", "3 9007199254740993 0 1"]);
  });

  test("can be NDJSON, with ids above 2^53", () => {
    const content =
      '{"petId":1,"quantity":5.0,"status":"sold"}\n\n{"status":"available","petId":9007199254740993,"quantity":0}';
    expect(rowsOf(content).map(textOf)).toEqual(["1 1 5 3", "3 9007199254740993 0 1"]);
  });

  test("names what is wrong with each line", () => {
    const rows = rowsOf(
      header,
      '1,5,sold\n0,5,sold\nx,5,sold\n2,-1,sold\n3,5,dead\n1,6,sold\n4,5\n5,5,"sold\n',
      `${"9".repeat(70_000)}\n\u0000\ufffd\n6,5,sold\n`,
    );
    expect(rows.map(textOf)).toEqual([
      "2 1 5 3",
      '3 petId: must be an integer between 1 and 9223372036854775807 in plain decimal, not "0"',
      '4 petId: must be an integer between 1 and 9223372036854775807 in plain decimal, not "x"',
      '5 quantity: must be an integer between 0 and 2147483647 in plain decimal, not "-1"',
      '6 status: must be one of available, pending, sold, not "dead"',
      "7 petId: 1 is already on line 2",
      "8 must have 3 fields, has 2",
      "9 malformed quotes: quote whole fields, and double quotes within them",
      "10 must have at most 65536 characters",
      "11 must have 3 fields, has 1",
      "12 6 5 3",
    ]);
  });

  test("names what is wrong with JSON", () => {
    const rows = rowsOf(
      '{"petId":"1","quantity":5,"status":"sold"}\n{"petId":1\n[]\n{"petId":1,"quantity":5,"status":"sold","x":1}\n',
      '{"petId":1,"petId":2,"quantity":5,"status":"sold"}\n{"petId":1.5,"quantity":5,"status":"sold"}',
    );
    expect(rows.map(textOf)).toEqual([
      '1 petId: must be an integer between 1 and 9223372036854775807 in plain decimal, not "1"',
      "2 not valid JSON",
      "3 must be an object",
      '4 unknown member "x"',
      "5 has a member twice",
      "6 petId: must be an integer between 1 and 9223372036854775807 in plain decimal",
    ]);
  });

  test("is judged in the words of the command line, which show characters that cannot be seen", async () => {
    const content = `${header}0012,5,sold\n1\u00a0,5,sold\n2,"1,000",sold\n3,\u200e5,sold\n4,5,sold \n5,5,Sold\n`;
    const rows = rowsOf(content).map(textOf);
    expect(rows).toEqual((await commandLineRows(content)).map(textOf));
    expect(rows[0]).toMatch(/not "0012". Remove the leading zeros$/);
    expect(rows[1]).toMatch(/not "1\\u00a0"$/);
  });

  test.each([
    ["petId;quantity;status\n1;2;sold\n", 'fields are separated by ";". Save the file with commas'],
    ["petId\tquantity\tstatus\n", 'fields are separated by "\\t". Save the file with commas'],
    ["sep=;\npetId;quantity;status\n", "the line only says how fields are separated"],
    ["petId,quantity,status\r1,2,sold\r", "the lines end with CR only"],
    ["petId,quantity,status,color\n1,2,sold,red\n", 'unknown column "color"'],
    ["petId,status,\u200bquantity\n", 'unknown column "\\u200bquantity"'],
    ["petId,quantity,,\n", "missing column status"],
    ["petId,quantity,status,petId\n", "duplicate column petId"],
  ])("says what is wrong with its header: %j", async (content, fault) => {
    expect(() => rowsOf(content)).toThrow(`Line 1: ${fault}`);
    await expect(commandLineRows(content)).rejects.toThrow(`line 1: ${fault}`);
  });

  test.each([
    ["empty", ""],
    ["of other columns", "id,count\n1,2\n"],
    ["separated by semicolons", "petId;quantity;status\n1;2;sold\n"],
    ["binary", "\u0000\u0001\ufffd\ufffd\n\n"],
  ])("is refused as a whole when it is %s", (_, content) => {
    expect(() => rowsOf(content)).toThrow(
      /the columns petId, quantity, status, and can have name and sku/,
    );
  });

  test("is the same in any division into parts", () => {
    const content = `${header}1,5,sold\r\n\n2,x,sold\n9007199254740993,7,"pending"`;
    const expected = rowsOf(content).map(textOf);
    expect(expected).toHaveLength(3);
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(content.length)), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), content.length];
        const parts = places.slice(1).map((end, index) => content.slice(places[index], end));
        expect(rowsOf(...parts).map(textOf)).toEqual(expected);
      }),
    );
  });

  test("has the same good and bad lines as for the command line", async () => {
    const id = fc.oneof(
      fc.bigInt(-1n, 2n ** 64n).map(String),
      fc.constantFrom("1", "2", "01", "1.0", "1e2", "", " 1", "-0", '"3"', '"3', "null", "true"),
    );
    const quantity = fc.oneof(fc.integer({ min: -2 }).map(String), id);
    const status = fc.constantFrom("sold", "available", "pending", '"sold"', "Sold", "", '"s""d"');
    const csvLine = fc
      .tuple(id, quantity, status, fc.constantFrom("", ",", "\r", "\n"))
      .map(([first, second, third, end]) => `${first},${second},${third}${end}`);
    const jsonLine = fc
      .tuple(id, quantity, status, fc.constantFrom("", " ", ',"x":1', "}"))
      .map(
        ([first, second, third, end]) =>
          `{"petId":${first},"quantity": ${second},"status":${JSON.stringify(third)}${end}}`,
      );
    const name = fc.oneof(
      fc.string({ unit: "binary", maxLength: 3 }).map((text) => text.replaceAll("\n", "")),
      fc.constantFrom("Rex", "", " Rex", "'=1", "\\u{200d}", "x".repeat(200), "x".repeat(201), "Ü"),
    );
    const sku = fc.oneof(name, fc.constantFrom("A", "B", "C"));
    const quotedText = (text: string) => `"${text.replaceAll('"', '""')}"`;
    const namedLine = fc
      .tuple(fc.nat(9), name, sku, fc.constantFrom("", ",", ",x"))
      .map((values) => `${values[0]},${quotedText(values[1])},1,${values[2]},sold${values[3]}`);
    const jsonName = fc.oneof(name, fc.constantFrom(7, null, [], undefined));
    const namedJson = fc
      .tuple(fc.nat(9), jsonName, jsonName)
      .map(([petId, name, sku]) =>
        JSON.stringify({ petId, name, quantity: 1, sku, status: "sold" }),
      );
    const file = fc.oneof(
      fc.array(namedLine).map((lines) => `petId,name,quantity,sku,status\n${lines.join("\n")}`),
      fc.array(namedJson, { minLength: 1 }).map((lines) => lines.join("\n")),
      fc.array(csvLine).map((lines) => header + lines.join("\n")),
      fc.array(jsonLine, { minLength: 1 }).map((lines) => lines.join("\n")),
    );
    await fc.assert(
      fc.asyncProperty(file, async (content) => {
        expect(rowsOf(content).map(verdictOf)).toEqual(
          (await commandLineRows(content)).map(verdictOf),
        );
      }),
      { numRuns: 500 },
    );
  });

  const named = (content: string) =>
    rowsOf(content).map((row) =>
      "fault" in row ? row.fault : { name: row.item.name, sku: row.item.sku },
    );

  test("can have names and SKUs, of which empty cells are absent", () => {
    expect(
      named(
        'sku,petId,quantity,status,name\nDO-1,1,5,sold,"Rex, a ""dog"""\n,2,5,sold,\n\'=1,3,5,sold,\'@home\n',
      ),
    ).toEqual([
      { name: 'Rex, a "dog"', sku: "DO-1" },
      { name: undefined, sku: undefined },
      { name: "@home", sku: "=1" },
    ]);
    expect(
      named(
        '{"petId":1,"quantity":5,"status":"sold","name":"Rex: \\"x\\":","sku":""}\n{"petId":2,"quantity":5,"status":"sold"}',
      ),
    ).toEqual([
      { name: 'Rex: "x":', sku: "" },
      { name: undefined, sku: undefined },
    ]);
  });

  test("names what is wrong with names and SKUs", () => {
    expect(
      named(
        `petId,quantity,status,name,sku\n1,5,sold,Rex,A\n2,5,sold,Max,A\n3,5,sold, Max,\n4,5,sold,${"x".repeat(201)},\n5,5,sold,Rex,Ü\n`,
      ).slice(1),
    ).toEqual([
      'sku: "A" is already on line 2',
      expect.stringMatching(/^name: .*no space at either end, not " Max"$/),
      expect.stringMatching(/^name: must have at most 200 characters, not "x+/),
      'sku: must have only printable ASCII characters, and no space at either end, not "Ü"',
    ]);
    expect(
      named(
        '{"petId":1,"quantity":5,"status":"sold","name":7}\n{"petId":1,"quantity":5,"status":"sold","sku":"A","sku":"B"}',
      ),
    ).toEqual(["name: must be a string", "has a member twice"]);
  });

  test("is exported with names, and read again", () => {
    const all = [
      { petId: 1n, name: 'Rex, "a: dog"', sku: "=DO-1" },
      { petId: 2n, name: "'=x", sku: "" },
      { petId: 3n, name: "", sku: "FI-3" },
      { petId: 4n, name: "", sku: "" },
    ];
    const items = all.map(({ petId }) => ({ petId, quantity: 1, status: PetStatus.SOLD }));
    for (const format of ["csv", "ndjson"] as const) {
      const content = itemTexts(items, namesOf(all), format).join("");
      expect(
        rowsOf(content).map((row) => "item" in row && [row.item.name ?? "", row.item.sku ?? ""]),
      ).toEqual(all.map(({ name, sku }) => [name, sku]));
    }
  });

  test("is exported in forms that the command line and the console read", async () => {
    const items: Item[] = Array.from({ length: 2_500 }, (_, n) => ({
      petId: 9_007_199_254_740_993n + BigInt(n),
      quantity: n,
      status: [PetStatus.AVAILABLE, PetStatus.PENDING, PetStatus.SOLD][n % 3] ?? PetStatus.SOLD,
    }));
    for (const format of ["csv", "ndjson"] as const) {
      const content = itemTexts(items, unreadNames, format).join("");
      const read = rowsOf(content);
      expect(read.flatMap((row) => ("item" in row ? [row.item] : []))).toMatchObject(items);
      expect((await commandLineRows(content)).map(textOf)).toEqual(read.map(textOf));
    }
  });
});

describe("the check of a file", () => {
  const stock = new Map([
    [1n, { petId: 1n, quantity: 5, status: PetStatus.SOLD, name: "Rex", sku: "DO-1" }],
    [2n, { petId: 2n, quantity: 5, status: PetStatus.SOLD, name: "", sku: "" }],
  ]);
  const check = (
    content: string | Uint8Array<ArrayBuffer>,
    signal = new AbortController().signal,
    imported: Parameters<typeof checkFile>[1]["imported"] = new Map(),
  ) =>
    checkFile(new Blob([content]), { stock, imported, chosen: undefined, signal, onProgress() {} });

  test("says what an import would change", async () => {
    const found = await check(`\ufeff${header}1,5,sold\n2,6,sold\n3,1,available\nx,1,sold\n`);
    expect(found).toMatchObject({ added: 1, changed: 1, badRows: 1 });
    expect(found.rows.map(({ line, item }) => [line, item.petId])).toEqual([
      [2, 1n],
      [3, 2n],
      [4, 3n],
    ]);
    expect(found.rows.map(({ before }) => before?.quantity)).toEqual([5, 5, undefined]);
    expect(found.faults).toMatchObject([{ line: 5 }]);
  });

  test("compares names and SKUs with those that the file has", async () => {
    const columns = "petId,quantity,status,name,sku\n";
    const found = await check(`${columns}1,5,sold,Rex,\n2,5,sold,,FI-2\n`);
    expect(found).toMatchObject({ changed: 1, added: 0 });
    expect(await check(`${columns}1,5,sold,Max,DO-1\n`)).toMatchObject({ changed: 1 });
    expect(await check(`${columns}1,5,sold,Rex,DO-1\n`)).toMatchObject({ changed: 0 });
  });

  test("leaves out rows that are imported already, unless they have other values now", async () => {
    const imported = await check(`${header}1,5,sold\n2,6,sold\n3,1,available\n`);
    const found = await check(
      `${header}1,5,sold\n2,7,sold\n3,1,sold\n4,1,sold\n`,
      undefined,
      new Map(imported.rows.map(({ item }) => [item.petId, item])),
    );
    expect(found.imported).toBe(1);
    expect(found.rows.map(({ line }) => line)).toEqual([3, 4, 5]);
  });

  test("names the quantities of known pets that change by a factor of ten or more", async () => {
    const found = await check(`${header}1,50,sold\n2,49,sold\n3,900,sold\n`);
    expect(found.large.map(({ text }) => text)).toEqual(["Line 2, pet 1: 5 → 50"]);
    // Also behind the rows that are shown.
    const others = Array.from({ length: 10 }, (_, at) => `${10 + at},1,sold\n`).join("");
    const { large } = await check(`${header}${others}1,50,sold\n`);
    expect(large.map(({ text }) => text)).toEqual(["Line 12, pet 1: 5 → 50"]);
  });

  test("keeps the first 100 faults, and counts all", async () => {
    const found = await check(`${header}${"x\n".repeat(5_000)}`);
    expect(found.badRows).toBe(5_000);
    expect(found.faults).toHaveLength(100);
  });

  test("refuses more than 200,000 rows, more than 32 MiB, and bytes that are no text", async () => {
    await expect(check(`${header}${"x\n".repeat(200_001)}`)).rejects.toThrow("200,000 rows");
    await expect(check(new Uint8Array(33 * 1_024 * 1_024))).rejects.toThrow("32 MiB");
    await expect(check(new Uint8Array([0xff, 0xfe, 0x00, 0x80]))).rejects.toThrow("UTF-16");
  });

  test.each([
    ["UTF-16", Uint8Array.from(Buffer.from("\ufeffpetId", "utf16le"))],
    [
      "an Excel workbook",
      Uint8Array.from(Buffer.from("PK\u0003\u0004..[Content_Types].xml", "latin1")),
    ],
    ["compressed with gzip", Uint8Array.from(gzipSync(header))],
    ["a JSON array", '\ufeff [{"petId":1,"quantity":5,"status":"sold"}]'],
  ])("says that a file is %s", async (kind, content) => {
    await expect(check(content)).rejects.toThrow(`The file is ${kind}`);
  });

  test("reads a line without an end in bounded memory", async () => {
    const found = await check(`${header}${"9".repeat(20 * 1_024 * 1_024)}`);
    expect(found.faults).toEqual([{ line: 2, fault: "must have at most 65536 characters" }]);
  });

  test("ends when it is aborted", async () => {
    await expect(check(header, AbortSignal.abort(new Error("stopped")))).rejects.toThrow("stopped");
  });
});
