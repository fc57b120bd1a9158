import { open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { useDirectory } from "../support/directory.ts";
import { failed, runHere, succeeded, useCommands } from "./command-line.ts";

const { inventory, redis } = useCommands();
const directory = useDirectory();

async function fileOf(name: string, content: string | Buffer): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, content);
  return path;
}

async function importing(name: string, content: string | Buffer, ...options: string[]) {
  return inventory("items import", await fileOf(name, content), ...options);
}

async function exported(): Promise<string[]> {
  const { stdout } = await inventory("items export");
  return stdout.trimEnd().split("\n").slice(1);
}

describe("items import of CSV", () => {
  test("adds new pets and updates existing ones", async () => {
    const first = await importing("a.csv", "petId,quantity,status\n1,5,available\n2,0,sold\n");
    expect(first).toEqual({ code: 0, stdout: "created 2, updated 0, skipped 0\n", stderr: "" });
    const second = await importing(
      "a.csv",
      "petId,quantity,status\n2,7,pending\n3,1,sold\n",
      "--output=json",
    );
    expect(second).toEqual(succeeded('{"created":1,"updated":1,"skipped":0}\n'));
    expect(await exported()).toEqual(["1,,,5,available", "2,,,7,pending", "3,,,1,sold"]);
  });

  test.each([
    ["columns in another order", "status,petId,quantity\nsold,1,5\n"],
    ["a byte order mark", "\ufeffpetId,quantity,status\n1,5,sold\n"],
    ["CRLF", "petId,quantity,status\r\n1,5,sold\r\n"],
    ["empty lines", "\n\r\npetId,quantity,status\n\n1,5,sold\n\n"],
    ["no line break at the end", "petId,quantity,status\n1,5,sold"],
    ["quotes", '"petId",quantity,"status"\n1,"5","sold"\n'],
  ])("accepts %s", async (_, content) => {
    expect((await importing("a.csv", content)).stderr).toBe("");
    expect(await exported()).toEqual(["1,,,5,sold"]);
  });

  test("keeps ids above 2^53 exact", async () => {
    const ids = ["9007199254740992", "9007199254740993", "9223372036854775807"];
    const rows = ids.map((id) => `${id},2147483647,sold`);
    await importing("a.csv", `petId,quantity,status\n${rows.join("\n")}\n`);
    expect(await exported()).toEqual(ids.map((id) => `${id},,,2147483647,sold`));
  });

  test("imports nothing from a file with bad rows, and prints the error of each: exit code 1", async () => {
    const rows = [
      "1,1,available",
      "two,1,available",
      "-1,1,available",
      "0,1,available",
      "9223372036854775808,1,available",
      "1e3,1,available",
      "3,-1,sold",
      "3,2147483648,sold",
      "3,1.0,sold",
      "3,,sold",
      "4,1,gone",
      "4,1,__proto__",
      "",
      "1,2,sold",
      "5,1,sold,x",
      "6,1",
      '7,"1"2,sold',
      '8,"1,sold',
      "9,1,sold",
    ];
    const whole = "in plain decimal";
    const { code, stdout, stderr } = await importing(
      "bad.csv",
      `petId,quantity,status\n${rows.join("\n")}\n`,
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr.trimEnd().split("\n")).toEqual([
      `line 3: petId: must be an integer between 1 and 9223372036854775807 ${whole}, not "two"`,
      "line 4: petId: must be between 1 and 9223372036854775807",
      "line 5: petId: must be between 1 and 9223372036854775807",
      `line 6: petId: must be an integer between 1 and 9223372036854775807 ${whole}, not "9223372036854775808"`,
      `line 7: petId: must be an integer between 1 and 9223372036854775807 ${whole}, not "1e3"`,
      "line 8: quantity: must be between 0 and 2147483647",
      `line 9: quantity: must be an integer between 0 and 2147483647 ${whole}, not "2147483648"`,
      `line 10: quantity: must be an integer between 0 and 2147483647 ${whole}, not "1.0"`,
      `line 11: quantity: must be an integer between 0 and 2147483647 ${whole}, not ""`,
      'line 12: status: must be one of available, pending, sold, not "gone"',
      'line 13: status: must be one of available, pending, sold, not "__proto__"',
      "line 15: petId: 1 is already on line 2",
      "line 16: must have 3 fields, has 4",
      "line 17: must have 3 fields, has 2",
      expect.stringMatching(/^line 18: malformed quotes: /),
      expect.stringMatching(/^line 19: malformed quotes: /),
      "error: nothing was imported: the file has 16 bad rows. Correct the file, or skip them with --skip-bad",
    ]);
    expect(await exported()).toEqual([]);
  });

  test("--skip-bad imports the good rows", async () => {
    const content = "petId,quantity,status\n1,1,sold\n1,2,sold\nx,1,sold\n2,1,gone\n2,5,sold\n";
    const { code, stdout, stderr } = await importing(
      "bad.csv",
      content,
      "--skip-bad",
      "--output=json",
    );
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: '{"created":2,"updated":0,"skipped":3}\n',
    });
    expect(stderr.match(/(?<="message":")line \d+/g)).toEqual(["line 3", "line 4", "line 5"]);
    expect(await exported()).toEqual(["1,,,1,sold", "2,,,5,sold"]);
  });

  test("prints the first 100 bad rows and counts the rest", async () => {
    const { stderr } = await importing(
      "bad.csv",
      `petId,quantity,status\n${"x,1,sold\n".repeat(250)}`,
    );
    const lines = stderr.trimEnd().split("\n");
    expect(lines).toHaveLength(102);
    expect(lines.slice(99)).toEqual([
      expect.stringMatching(/^line 101: /),
      "… and 150 more",
      expect.stringContaining("250 bad rows"),
    ]);
  });

  test.each([
    ["", "the file is empty: the header must have the columns petId, quantity, status"],
    ["petId,quantity,colour,status\n", 'line 1: unknown column "colour"'],
    ["petId,__proto__,status\n", 'line 1: unknown column "__proto__"'],
    ["\npetId,quantity\n", "line 2: missing column status"],
    ["petId,quantity,status,petId\n", "line 1: duplicate column petId"],
    ['petId,"quantity,status\n', "line 1: malformed quotes: "],
  ])("rejects the header of %j: exit code 1", async (content, message) => {
    for (const options of [[], ["--skip-bad"]]) {
      const { code, stdout, stderr } = await importing("header.csv", content, ...options);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toContain(`error: ${message}`);
    }
  });
});

describe("items import --dry-run", () => {
  const checking = async (content: string, ...options: string[]) =>
    runHere(["items import", await fileOf("dry.csv", content), "--dry-run", ...options]);

  test("counts the rows of a good file and connects to nothing: exit code 0", async () => {
    const content = "petId,quantity,status\n1,1,sold\n2,5,sold\n";
    expect(await checking(content)).toEqual(
      succeeded("good 2, bad 0; nothing was imported (dry run)\n"),
    );
    const server = await checking(content, "--server", "http://127.0.0.1:1", "--output=json");
    expect(server).toEqual({ code: 0, stdout: '{"good":2,"bad":0}\n', stderr: "" });
  });

  test("prints all bad rows, also more than 100: exit code 1", async () => {
    const content = `petId,quantity,status\n1,1,sold\n${"x,1,sold\n".repeat(250)}`;
    const { code, stdout, stderr } = await checking(content, "--output=json");
    expect({ code, stdout }).toEqual({ code: 1, stdout: '{"good":1,"bad":250}\n' });
    const lines = stderr.trimEnd().split("\n");
    expect(lines).toHaveLength(251);
    expect(JSON.parse(lines[249] ?? "").message).toMatch(/^line 252: petId/);
  });

  test("--skip-bad accepts bad rows: exit code 0", async () => {
    const outcome = await checking("petId,quantity,status\n0,1,sold\n", "--skip-bad");
    expect(outcome).toMatchObject({
      code: 0,
      stdout: "good 0, bad 1; nothing was imported (dry run)\n",
    });
  });
});

describe("items import of NDJSON", () => {
  test("accepts items in the JSON of the HTTP interface", async () => {
    const content =
      '\ufeff{"petId":9223372036854775807,"quantity":5.0,"status":"available"}\r\n\n{"status":"sold","quantity":0,"petId":1}';
    const { stdout } = await importing("a.ndjson", content, "--output=json");
    expect(stdout).toBe('{"created":2,"updated":0,"skipped":0}\n');
    expect(await exported()).toEqual(["1,,,0,sold", "9223372036854775807,,,5,available"]);
  });

  test("imports nothing from a file with bad rows, and prints the error of each: exit code 1", async () => {
    const integer = "petId: must be a JSON integer between 1 and 9223372036854775807";
    const rows = [
      ['{"petId":5,"quantity":1,"status":"available"}', undefined],
      ['{"petId":5,"quantity":1,"status":"available"}', "petId: 5 is already on line 1"],
      ['{"petId":"6","quantity":1,"status":"available"}', integer],
      ['{"petId":6.5,"quantity":1,"status":"available"}', integer],
      ['{"petId":9223372036854775808,"quantity":1,"status":"sold"}', integer],
      [
        '{"petId":-1,"quantity":1,"status":"sold"}',
        "petId: must be between 1 and 9223372036854775807",
      ],
      ['{"petId":6,"quantity":-1,"status":"sold"}', "quantity: must be between 0 and 2147483647"],
      ['{"petId":6,"status":"sold"}', "quantity: is required"],
      ['{"petId":6,"quantity":1}', "status: is required"],
      ['{"petId":6,"quantity":1,"status":"gone"}', /^status: has no value "gone": must be one of /],
      ['{"petId":6,"quantity":1,"status":"sold","colour":1}', /^colour: unknown field/],
      ['{"__proto__":{},"petId":6,"quantity":1,"status":"sold"}', /^__proto__: unknown field/],
      ['{"petId":6,"quantity":1', /^not valid JSON: .*, found the end at column 24$/],
      ["[]", "must be a JSON object"],
      [Buffer.from([0x22, 0xff, 0x22]), "must be UTF-8"],
    ] as const;
    const content = Buffer.concat(rows.flatMap(([row]) => [Buffer.from(row), Buffer.from("\n")]));
    const { code, stdout, stderr } = await importing("bad.jsonl", content);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    const printed = stderr.trimEnd().split("\n").slice(0, -1);
    const expected = rows.flatMap(([, fault], index) => (fault ? [[index + 1, fault]] : []));
    expect(printed.map((line) => Number(/^line (\d+): /.exec(line)?.[1]))).toEqual(
      expected.map(([line]) => line),
    );
    expected.forEach(([line, fault], index) => {
      const reason = printed[index]?.slice(`line ${line}: `.length);
      if (typeof fault === "string") {
        expect(reason).toBe(fault);
      } else {
        expect(reason).toMatch(fault as RegExp);
      }
    });
    expect(await exported()).toEqual([]);
  });

  test("reports an overlong row and continues with the next", async () => {
    const content = `${" ".repeat(200_000)}\n{"petId":0}\n`;
    expect((await importing("long.ndjson", content)).stderr).toMatch(
      /^line 1: must have at most 65536 bytes\nline 2: petId/,
    );
  });

  test("imports nothing from an empty file", async () => {
    expect((await importing("a.ndjson", "")).stdout).toBe("created 0, updated 0, skipped 0\n");
  });
});

describe("file arguments", () => {
  test("an error of the file system names the path: exit code 1", async () => {
    const missing = join(directory, "missing.csv");
    expect(await inventory("items import", missing)).toEqual(
      failed(1, `error: ${missing}: no such file or directory\n`),
    );
    expect((await inventory("items import", directory, "--format", "csv")).stderr).toBe(
      `error: ${directory}: illegal operation on a directory\n`,
    );
    const nowhere = join(directory, "nowhere", "a.csv");
    expect((await inventory("items export", nowhere)).stderr).toBe(
      `error: ${nowhere}: no such file or directory\n`,
    );
  });

  test.each([["-"], ["stock.txt"]])("%s without --format fails: exit code 2", async (path) => {
    const { code, stderr } = await inventory("items import", path);
    expect(code).toBe(2);
    expect(stderr).toContain("add --format csv, ndjson or json");
  });

  test("the progress bar is erased before other output on a terminal", async () => {
    const path = await fileOf("bad.csv", "petId,quantity,status\n0,1,sold\n");
    const { stderr } = await runHere(["items import", path], { redisUrl: redis.url, isTTY: true });
    const bar = `checking  [${"#".repeat(30)}] 100%`;
    const erase = "\r\u001b[K";
    expect(stderr).toContain(
      `${erase}line 2: petId: must be between 1 and 9223372036854775807\n\r${bar}${erase}error: `,
    );
  });
});

describe("items export", () => {
  test("replaces a file atomically: readers of the old file see no change", async () => {
    await importing("a.csv", "petId,quantity,status\n1,1,sold\n");
    const path = await fileOf("replaced.csv", "old");
    const opened = await open(path);
    const { code, stdout } = await inventory("items export", path, "--output=json");
    expect([code, JSON.parse(stdout)]).toEqual([0, { exported: 1, file: path }]);
    expect(await opened.readFile("utf8")).toBe("old");
    await opened.close();
    expect(await readFile(path, "utf8")).toBe("petId,name,sku,quantity,status\n1,,,1,sold\n");
  });

  test("-o ndjson writes lines, -o json writes an array; --format is for files", async () => {
    await importing("a.csv", "petId,quantity,status\n9223372036854775807,2,sold\n1,2,pending\n");
    const items = [
      '{"petId":1,"quantity":2,"status":"pending"}',
      '{"petId":9223372036854775807,"quantity":2,"status":"sold"}',
    ];
    expect((await inventory("items export -o ndjson")).stdout).toBe(`${items.join("\n")}\n`);
    expect((await inventory("items export - --output=json")).stdout).toBe(`[${items.join(",")}]\n`);
    expect(await inventory("items export --format csv")).toEqual(
      failed(2, "error: --format: is the format of a file. For standard output, use --output\n"),
    );
  });
});
