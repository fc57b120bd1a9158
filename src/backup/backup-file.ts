import { createHash } from "node:crypto";
import { Readable, type Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createGunzip, createGzip, gunzipSync, gzipSync } from "node:zlib";
import { abridge } from "connect-gateway/call";
import { BackupError, jsonLines, readJsonLines } from "./json-lines.ts";
import { type Counts, type DataRecord, isWellFormed, noCounts, parseEntryId } from "./records.ts";

/**
 * A backup file is NDJSON in two gzip members. The first member has a header line, and then one record in each line.
 * The second member has a fixed size. Its only line is the manifest, with the SHA-256 of the first member. `zcat` shows
 * all lines.
 */

/** The last line of a backup. */
export interface Manifest {
  /** The format of the stored data (see src/stores/redis/format.ts). */
  readonly format: number;
  /** When the backup was made, in ISO 8601. */
  readonly createdAt: string;
  /** `<version>-<number>`: the version of the stock, and the number of all changes up to it (see history.lua). */
  readonly newest: string;
  readonly counts: Counts;
  /** SHA-256 of all bytes before the manifest, in hexadecimal. */
  readonly sha256: string;
}

/** What is known after the last record. */
export type Summary = Pick<Manifest, "newest" | "counts">;

/** A backup that can be read more than once. */
export interface BackupSource {
  readonly size: number;
  read(): AsyncIterable<Buffer>;
}

/** The length of the manifest's line in bytes, including the spaces that fill it. */
const manifestBytes = 768;
/** A gzip header (RFC 1952) without a time, for an unknown operating system. */
const gzipHeader = Buffer.from("1f8b08000000000000ff", "hex");
/** The size of the manifest's member: header, stored block with its own header (RFC 1951), checksum and length. */
const memberBytes = gzipHeader.length + 5 + manifestBytes + 8;

/** The number of characters that are compressed together. */
const textLength = 65_536;

/** Encodes a backup of a format of the stored data. @param batches the records; the generator returns the summary */
export async function* encodeBackup(
  format: number,
  createdAt: Date,
  batches: AsyncGenerator<readonly DataRecord[], Summary>,
): AsyncGenerator<Buffer> {
  const sha256 = createHash("sha256");
  let summary: Summary | undefined;
  async function* texts(): AsyncGenerator<string> {
    let text = `${JSON.stringify({ backup: "inventory", format })}\n`;
    let next = await batches.next();
    for (; !next.done; next = await batches.next()) {
      text += jsonLines(next.value);
      if (text.length < textLength) continue;
      yield text;
      text = "";
    }
    summary = next.value;
    yield text;
  }
  const gzip = createGzip({ level: constants.Z_BEST_SPEED, chunkSize: textLength });
  for await (const chunk of through(texts(), gzip)) {
    sha256.update(chunk);
    yield chunk;
  }
  if (!summary) throw new Error("the records have no summary");
  yield encodeManifest({
    format,
    createdAt: createdAt.toISOString(),
    ...summary,
    sha256: sha256.digest("hex"),
  });
}

async function* through(
  chunks: AsyncIterable<string | Buffer>,
  stream: Transform,
): AsyncGenerator<Buffer> {
  const passing = pipeline(Readable.from(chunks), stream);
  // The iteration throws the same error.
  passing.catch(() => {});
  yield* stream as AsyncIterable<Buffer>;
  await passing;
}

/** Encodes the manifest as a gzip member with a stored block. So each manifest has only one encoding. */
function encodeManifest(manifest: Manifest): Buffer {
  const text = JSON.stringify({ manifest }).padEnd(manifestBytes - 1);
  const line = Buffer.from(`${text}\n`, "latin1");
  if (line.length !== manifestBytes) throw new Error(`the manifest is too long: ${text}`);
  const member = gzipSync(line, { level: constants.Z_NO_COMPRESSION });
  gzipHeader.copy(member);
  return member;
}

/** Whether the members of a manifest have their types. Somebody can have written it by hand. */
function isManifest(value: unknown): value is Manifest {
  const { format, createdAt, newest, counts, sha256 } = value as Partial<Manifest>;
  return (
    Number.isSafeInteger(format) &&
    [createdAt, newest, sha256].every((text) => typeof text === "string") &&
    parseEntryId(String(newest)) !== undefined &&
    Object.keys(noCounts).every((name) => Number.isSafeInteger(counts?.[name as keyof Counts]))
  );
}

/** Decodes the manifest at the end of a backup. @returns undefined if any of its bytes is wrong */
function decodeManifest(member: Buffer): Manifest | undefined {
  try {
    const { manifest } = JSON.parse(gunzipSync(member).toString("latin1"));
    return isManifest(manifest) && encodeManifest(manifest).equals(member) ? manifest : undefined;
  } catch {
    return undefined;
  }
}

/** Reads the manifest, and checks the bytes before it. @throws BackupError if the file is no whole, unchanged backup */
export async function checkBackup(
  source: BackupSource,
  advance: (bytes: number) => void,
): Promise<Manifest> {
  const sha256 = createHash("sha256");
  const end = source.size - memberBytes;
  const tail: Buffer[] = [];
  let at = 0;
  for await (const chunk of source.read()) {
    const own = Math.max(0, Math.min(chunk.length, end - at));
    sha256.update(chunk.subarray(0, own));
    if (own < chunk.length) tail.push(Buffer.from(chunk.subarray(own)));
    at += chunk.length;
    advance(chunk.length);
  }
  const manifest = end < 0 || at !== source.size ? undefined : decodeManifest(Buffer.concat(tail));
  if (!manifest) {
    throw new BackupError(
      "is not a backup, or is truncated or damaged at its end, or was compressed again: use the file as it was saved",
    );
  }
  if (manifest.sha256 === sha256.digest("hex")) return manifest;
  throw new BackupError("is damaged: its checksum is wrong");
}

/** Reads the records of a file after {@link checkBackup}. @throws BackupError if one is malformed, or the file changed */
export async function* readRecords(
  source: BackupSource,
  { sha256: expected }: Manifest,
  advance: (bytes: number) => void,
): AsyncGenerator<DataRecord[]> {
  const sha256 = createHash("sha256");
  async function* records(): AsyncGenerator<Buffer> {
    let left = source.size - memberBytes;
    for await (const chunk of source.read()) {
      const own = chunk.subarray(0, left);
      left -= own.length;
      sha256.update(own);
      if (own.length > 0) yield own;
      advance(chunk.length);
    }
  }
  /** A few bytes can decompress to many chunks, during which the read can be stopped, too. */
  async function* decompressed(): AsyncGenerator<Buffer> {
    const gunzip = createGunzip({ chunkSize: textLength });
    for await (const chunk of through(records(), gunzip)) {
      advance(0);
      yield chunk;
    }
  }
  let isFirst = true;
  for await (const batch of readJsonLines<DataRecord>(decompressed())) {
    // The first line is the header. The manifest repeats what it says.
    const found = isFirst ? batch.slice(1) : batch;
    const malformed = found.find((record) => !isWellFormed(record));
    if (malformed) {
      throw new BackupError(`is damaged: it has the record ${abridge(JSON.stringify(malformed))}`);
    }
    yield found;
    isFirst = false;
  }
  if (sha256.digest("hex") !== expected) throw new BackupError("was changed while it was read");
}
