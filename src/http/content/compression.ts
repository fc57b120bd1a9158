import { Readable, type Transform } from "node:stream";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import {
  brotliCompress,
  brotliDecompress,
  brotliDecompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gunzip,
  gunzipSync,
  gzip,
  zstdCompress,
  zstdDecompress,
  zstdDecompressSync,
} from "node:zlib";

/** A content coding (RFC 9110, section 8.4.1). RPC messages are compressed with the same ones. */
export interface ContentCoding {
  readonly name: string;
  readonly compress: (data: Uint8Array) => Promise<Buffer<ArrayBuffer>>;
  /** Compresses data in pieces without joining them first. */
  readonly compressPieces: (pieces: readonly Uint8Array[]) => Promise<Buffer>;
  /** Rejects with an error that {@link isTooLarge} recognizes when the result exceeds `maxOutputLength` bytes. */
  readonly decompress: (data: Uint8Array, options: OutputLimit) => Promise<Buffer<ArrayBuffer>>;
  /** Does the same at once, which takes less time for short data. */
  readonly decompressSync: (data: Uint8Array, options: OutputLimit) => Buffer<ArrayBuffer>;
}

/** The largest result, in bytes. */
interface OutputLimit {
  readonly maxOutputLength: number;
}

/**
 * Longest compressed data, in bytes, that is decompressed at once. The worst data of this length takes about 1 ms: it
 * consists of Huffman tables.
 */
export const shortCompressed = 1024;

/** Fewest bytes that are compressed. Shorter data fits in one packet anyway. */
export const worthCompressing = 1024;

const compressBrotli = promisify(brotliCompress);

/** The default quality of brotli, 11, takes a hundred times as long. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** In the order of preference: the fastest first. */
export const codings: readonly ContentCoding[] = [
  {
    name: "zstd",
    compress: promisify(zstdCompress),
    compressPieces: (pieces) => through(createZstdCompress(), pieces),
    decompress: promisify(zstdDecompress),
    decompressSync: zstdDecompressSync,
  },
  {
    name: "br",
    compress: (data) => compressBrotli(data, brotliOptions),
    compressPieces: (pieces) => through(createBrotliCompress(brotliOptions), pieces),
    decompress: promisify(brotliDecompress),
    decompressSync: brotliDecompressSync,
  },
  {
    name: "gzip",
    compress: promisify(gzip),
    compressPieces: (pieces) => through(createGzip(), pieces),
    decompress: promisify(gunzip),
    decompressSync: gunzipSync,
  },
];

function through(compressor: Transform, pieces: readonly Uint8Array[]): Promise<Buffer> {
  return buffer(Readable.from(pieces).pipe(compressor));
}

/** Returns whether decompression failed because the result exceeds the allowed size. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
}
