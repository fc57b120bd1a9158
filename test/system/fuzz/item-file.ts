import { CommandError } from "../../../src/cli/command-error.ts";
import { checkRows, csvRows, jsonRows } from "../../../src/cli/items/import/import-file.ts";
import { readLines } from "../../../src/cli/items/import/lines.ts";
import type { Random } from "../linearizability/random.ts";
import type { FuzzCase } from "./corpus.ts";
import { mutateBytes, mutateText } from "./mutations.ts";

const csv =
  'petId,quantity,status,name,sku\n1,5,available,,\n2,0,sold,\'=A1,X\n"3","7","pending","a ""b""\\u{200d}",-1\n4,2147483647,available,Rex,\n';
const ndjson =
  '{"petId":1,"quantity":5,"status":"available","name":"Rex","sku":"X"}\n{"petId":9007199254740993,"quantity":0,"status":"sold"}\n';

/**
 * Timeout for reading a file, in ms: longer than any case takes on a busy machine. 45,000 lines with malformed quotes
 * take 1.3 s on a slow one, 29 µs each.
 */
const slowMs = 5_000;

/** Makes a file to import: a valid one, with one mutation for each of the random generators. */
export function fileOf(format: "csv" | "ndjson", mutations: readonly Random[]): Buffer {
  let bytes: Buffer = Buffer.from(format === "csv" ? csv : ndjson);
  for (const each of mutations) {
    bytes = each.oneIn(2)
      ? Buffer.from(mutateText(bytes.toString("latin1"), each), "utf8")
      : mutateBytes(bytes, each, Buffer.from(ndjson));
  }
  return bytes;
}

/** Reads a file as `items import` does. @returns the class of the fault; undefined without a fault */
export async function readFileCase({ kind, bytes, cuts }: FuzzCase): Promise<string | undefined> {
  const begun = performance.now();
  const [first = bytes.length, second = 0] = cuts;
  async function* chunks(): AsyncGenerator<Buffer> {
    yield bytes.subarray(0, first);
    yield bytes.subarray(first, first + second);
    yield bytes.subarray(first + second);
  }
  try {
    const lines = readLines(chunks());
    for await (const row of checkRows(kind === "csv" ? csvRows(lines) : jsonRows(lines))) void row;
  } catch (error) {
    if (!(error instanceof CommandError)) {
      return `crash of the import: ${error instanceof Error ? error.message : error}`;
    }
  }
  const ms = performance.now() - begun;
  return ms > slowMs ? "slow import" : undefined;
}
