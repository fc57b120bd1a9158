import { Readable, type Transform } from "node:stream";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import {
  brotliCompress,
  brotliDecompress,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gunzip,
  gzip,
  zstdCompress,
  zstdDecompress,
} from "node:zlib";

/** A content coding (RFC 9110, section 8.4.1), by which RPC compresses messages too. */
export interface ContentCoding {
  readonly name: string;
  readonly compress: (data: Uint8Array) => Promise<Buffer<ArrayBuffer>>;
  /** The same of data in pieces, which are not joined. */
  readonly compressPieces: (pieces: readonly Uint8Array[]) => Promise<Buffer>;
  /** @param options the most bytes to decompress to; rejects with {@link isTooLarge} beyond */
  readonly decompress: (
    data: Uint8Array,
    options: { readonly maxOutputLength: number },
  ) => Promise<Buffer<ArrayBuffer>>;
}

/** Below this many bytes compressing is not worth it: what it is about fits in a packet anyway. */
export const worthCompressing = 1024;

const compressBrotli = promisify(brotliCompress);

/** Quality of brotli: its default, 11, takes a hundred times as long. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** In the order of preference, which is that of their speed. */
export const codings: readonly ContentCoding[] = [
  {
    name: "zstd",
    compress: promisify(zstdCompress),
    compressPieces: (pieces) => through(createZstdCompress(), pieces),
    decompress: promisify(zstdDecompress),
  },
  {
    name: "br",
    compress: (data) => compressBrotli(data, brotliOptions),
    compressPieces: (pieces) => through(createBrotliCompress(brotliOptions), pieces),
    decompress: promisify(brotliDecompress),
  },
  {
    name: "gzip",
    compress: promisify(gzip),
    compressPieces: (pieces) => through(createGzip(), pieces),
    decompress: promisify(gunzip),
  },
];

function through(compressor: Transform, pieces: readonly Uint8Array[]): Promise<Buffer> {
  return buffer(Readable.from(pieces).pipe(compressor));
}

/** Whether decompressing failed because there would have been more bytes than allowed. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
}
