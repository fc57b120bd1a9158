import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type BackupSource,
  checkBackup,
  encodeBackup,
  readRecords,
  type Summary,
} from "../../src/backup/backup-file.ts";
import { BackupError } from "../../src/backup/json-lines.ts";
import type { DataRecord } from "../../src/backup/records.ts";

const aText = fc.string({ unit: "binary", maxLength: 20 });
const fields = fc.dictionary(
  fc.string({ minLength: 1 }).filter((name) => name !== "__proto__"),
  aText,
  { noNullPrototype: true },
);
const aRecord: fc.Arbitrary<DataRecord> = fc.oneof(
  fc.record({ item: aText, value: aText }, { noNullPrototype: true }),
  fc.record({ change: aText, fields }, { noNullPrototype: true }),
  fc.record({ account: aText, created: fc.nat(), fields }, { noNullPrototype: true }),
  fc.record({ order: aText, of: aText }, { noNullPrototype: true }),
);
const summary: Summary = {
  newest: "1795355494983304-2",
  counts: { items: 1, accounts: 2, keys: 3, orders: 4, changes: 5, audit: 6, holds: 7 },
};
const ignore = () => {};

const encode = (...batches: readonly (readonly DataRecord[])[]) => encodeWith(summary, batches);

async function encodeWith(
  end: Summary,
  batches: readonly (readonly DataRecord[])[] = [],
): Promise<Buffer> {
  async function* records() {
    yield* batches;
    return end;
  }
  const parts: Buffer[] = [];
  for await (const part of encodeBackup(1, new Date(0), records())) parts.push(part);
  return Buffer.concat(parts);
}

/** A file whose chunks end at multiples of some size. */
function fileOf(bytes: Buffer, chunkSize = 1_000): BackupSource {
  return {
    size: bytes.length,
    async *read() {
      for (let at = 0; at < bytes.length; at += chunkSize) yield bytes.subarray(at, at + chunkSize);
    },
  };
}

async function decode(source: BackupSource): Promise<DataRecord[]> {
  const records: DataRecord[] = [];
  const manifest = await checkBackup(source, ignore);
  for await (const some of readRecords(source, manifest, ignore)) records.push(...some);
  return records;
}

const isRefused = (bytes: Buffer) =>
  checkBackup(fileOf(bytes), ignore).then(
    () => false,
    (error) => error instanceof BackupError,
  );

test("a file has the records that were written, for any batches and chunks", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(aRecord, { maxLength: 5 }), { maxLength: 5 }),
      fc.integer({ min: 1, max: 3_000 }),
      async (batches, chunkSize) => {
        const source = fileOf(await encode(...batches), chunkSize);
        expect(await decode(source)).toEqual(batches.flat());
        const { newest, counts, format } = await checkBackup(source, ignore);
        expect({ newest, counts, format }).toEqual({ ...summary, format: 1 });
      },
    ),
    { numRuns: 100 },
  );
});

test("a file with a text longer than the chunks of the compression has it", async () => {
  const record = { order: "x".repeat(300_000), of: "ä€".repeat(100_000) };
  expect(await decode(fileOf(await encode([record], [record])))).toEqual([record, record]);
});

test("the read reports all bytes", async () => {
  const source = fileOf(await encode([{ lastOrder: "5" }]));
  let bytes = 0;
  await checkBackup(source, (more) => {
    bytes += more;
  });
  expect(bytes).toBe(source.size);
});

const smallFile = encode([{ item: "1", value: "5,1,1795355494983303" }, { lastOrder: "7" }]);

test("every flipped bit is refused", async () => {
  const bytes = await smallFile;
  expect(await isRefused(bytes)).toBe(false);
  const accepted: string[] = [];
  for (let at = 0; at < bytes.length; at += 1) {
    for (let bit = 0; bit < 8; bit += 1) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << bit);
      if (!(await isRefused(flipped))) accepted.push(`${at}.${bit}`);
    }
  }
  expect(accepted).toEqual([]);
});

test("every truncation is refused, and every appended byte", async () => {
  const bytes = await smallFile;
  const accepted: number[] = [];
  for (let length = 0; length < bytes.length; length += 1) {
    if (!(await isRefused(bytes.subarray(0, length)))) accepted.push(length);
  }
  expect(accepted).toEqual([]);
  expect(await isRefused(Buffer.concat([bytes, Buffer.from("x")]))).toBe(true);
  expect(await isRefused(Buffer.concat([bytes, bytes]))).toBe(true);
});

test.each([
  { counts: null },
  { counts: { ...summary.counts, holds: "7" } },
  { counts: { ...summary.counts, items: undefined } },
  { newest: 5 },
  { newest: null },
  { newest: "1795355494983304" },
])("a manifest with %j is refused", async (wrong) => {
  const forged = { ...summary, ...wrong } as Summary;
  expect(await isRefused(await encodeWith(forged))).toBe(true);
  expect(await isRefused(await encodeWith(summary))).toBe(false);
});

test("a file that changes between the check and the read is refused", async () => {
  const manifest = await checkBackup(fileOf(await smallFile), ignore);
  const other = fileOf(await encode([{ lastOrder: "8" }]));
  const reading = (async () => {
    for await (const _ of readRecords(other, manifest, ignore)) ignore();
  })();
  await expect(reading).rejects.toThrow("was changed while it was read");
});

const encodeAny = (...values: readonly unknown[]) => encode(values as readonly DataRecord[]);

test.each([
  ["null", null, "line 3 is not a JSON object"],
  ["a number", 5, "line 3 is not a JSON object"],
  ["an array", [], "line 3 is not a JSON object"],
  ["an item that is a number", { item: 5, value: "1,1,1" }, '{"item":5,"value":"1,1,1"}'],
  ["an item without a value", { item: "5" }, '{"item":"5"}'],
  ["an account without fields", { account: "a", created: 1, fields: null }, '{"account":"a"'],
  ["fields that are no texts", { change: "1-1", fields: { time: 5 } }, '{"change":"1-1"'],
  ["two kinds", { lastOrder: "5", item: null }, '{"lastOrder":"5","item":null}'],
])("a line that is no record is damage: %s", async (_, value, named) => {
  const bytes = await encodeAny({ lastOrder: "5" }, value);
  const reading = decode(fileOf(bytes));
  await expect(reading).rejects.toBeInstanceOf(BackupError);
  await expect(reading).rejects.toThrow(named);
});

test("a line may have 16 MiB, and a longer one is refused before it is read whole", async () => {
  const long = { lastOrder: "5".repeat(16 * 1_024 * 1_024 - 20) };
  expect(await decode(fileOf(await encode([long]), 65_536))).toEqual([long]);
  const tooLong = await encode([{ lastOrder: "5".repeat(200_000_000) }]);
  const reading = decode(fileOf(tooLong, 65_536));
  await expect(reading).rejects.toBeInstanceOf(BackupError);
  await expect(reading).rejects.toThrow("line 2 has more than 16777216 characters");
});

test("a read can be stopped while few bytes decompress to many", async () => {
  const source = fileOf(await encode([{ lastOrder: "5".repeat(10_000_000) }]), 1_000_000);
  const manifest = await checkBackup(source, ignore);
  let calls = 0;
  const advance = () => {
    calls += 1;
    if (calls === 3) throw new Error("stopped");
  };
  const reading = (async () => {
    for await (const _ of readRecords(source, manifest, advance)) ignore();
  })();
  await expect(reading).rejects.toThrow("stopped");
});
