import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ImportedPetSchema } from "../../gen/catalog/v1/catalog_pb.ts";
import { readElements } from "../../src/cli/items/import/json-elements.ts";
import { maxLineBytes } from "../../src/cli/items/import/lines.ts";
import { compileValidator } from "../../src/contract/validator.ts";
import { useRedis } from "../support/stores.ts";
import { runHere, succeedHere } from "./command-line.ts";

const redis = useRedis();

const violationsOf = compileValidator(ImportedPetSchema);

/** Names that the service accepts, among them those that spreadsheets would run, and those with hidden characters. */
const names = fc
  .oneof(
    fc.string({ unit: "grapheme", maxLength: 20 }),
    fc.stringMatching(/^(?:['=+@\\u{}0-9a-f,"-]|\u200d){1,12}$/),
  )
  .filter((name) =>
    violationsOf(create(ImportedPetSchema, { name })).every(({ field }) => field !== "name"),
  );

const items = fc.uniqueArray(
  fc.record(
    {
      petId: fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }),
      quantity: fc.integer({ min: 0, max: 2_147_483_647 }),
      status: fc.constantFrom("available", "pending", "sold"),
      name: names,
      sku: fc.stringMatching(/^[!-~]([ -~]{0,10}[!-~])?$/),
    },
    { requiredKeys: ["petId", "quantity", "status"] },
  ),
  {
    comparator: (a, b) => a.petId === b.petId || (a.sku !== undefined && a.sku === b.sku),
    maxLength: 20,
  },
);

const importing = (stdin: string, format: string, ...options: string[]) =>
  runHere(["items import - --format", format, ...options], { stdin, redisUrl: redis.url });
const printed = (...args: string[]) => succeedHere(args, { redisUrl: redis.url });

describe.each(["csv", "ndjson", "json"])("items import --format %s", (format) => {
  test.each(["list", "export"])("reads what items %s prints", async (command) => {
    await fc.assert(
      fc.asyncProperty(items, async (generated) => {
        await redis.client.flushdb();
        const rows = generated.map(({ petId, ...others }) =>
          JSON.stringify(others).replace("{", `{"petId":${petId},`),
        );
        expect(await importing(rows.join("\n"), "ndjson")).toMatchObject({ code: 0 });
        const text = await printed("items", command, "--output", format);
        const stock = await printed("items", "list", "--output=json");
        await redis.client.flushdb();
        const outcome = await importing(text, format);
        expect(outcome).toMatchObject({ code: 0, stderr: "" });
        expect(await printed("items", "list", "--output=json")).toBe(stock);
      }),
      { numRuns: 5 },
    );
  });
});

test("items show --output csv prints a row that items import reads", async () => {
  await redis.client.flushdb();
  await printed("items", "create", "5", "--quantity", "10", "--status", "sold");
  const text = await printed("items", "show", "5", "--output", "csv");
  expect(text).toBe("petId,name,sku,quantity,status\n5,,,10,sold\n");
  expect(await importing(text, "csv")).toMatchObject({ code: 0 });
});

describe("items import of a JSON array", () => {
  test("names the bad items by their positions", async () => {
    const text =
      '\ufeff [\n{"petId":1,"quantity":1,"status":"sold"} , {"petId":1,"quantity":1,"status":"sold"},{"petId":2}]\n';
    const { code, stderr } = await importing(text, "json", "--dry-run");
    expect(code).toBe(1);
    expect(stderr).toMatch(/^item 2: petId: 1 is already in item 1\nitem 3: quantity: .*\n/);
  });

  test("reads any objects in any chunks", async () => {
    const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })));
    await fc.assert(
      fc.asyncProperty(objects, fc.integer({ min: 1, max: 9 }), async (values, size) => {
        const bytes = Buffer.from(JSON.stringify(values, undefined, size % 3));
        async function* chunks() {
          for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
        }
        const read = await Array.fromAsync(readElements(chunks()));
        expect(read.map((line) => JSON.parse(`${line.bytes}`))).toEqual(JSON.parse(`${bytes}`));
        expect(read.map((line) => line.number)).toEqual(values.map((_, at) => at + 1));
      }),
    );
  });

  test("an item that is too long is a bad row", async () => {
    const text = `[{"petId":1,"x":"${"x".repeat(maxLineBytes)}"},{"petId":2,"quantity":1,"status":"sold"}]`;
    const { stdout, stderr } = await importing(text, "json", "--dry-run", "--skip-bad");
    expect(stdout).toMatch(/^good 1, bad 1;/);
    expect(stderr).toMatch(/^item 1: must have at most 65536 bytes\n/);
  });
});
