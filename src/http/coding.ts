import { promisify } from "node:util";
import {
  brotliCompress,
  brotliDecompress,
  constants,
  gunzip,
  gzip,
  zstdCompress,
  zstdDecompress,
} from "node:zlib";

/** A content coding (RFC 9110, section 8.4.1), by which RPC compresses messages too. */
export interface ContentCoding {
  readonly name: string;
  readonly compress: (data: Uint8Array) => Promise<Buffer<ArrayBuffer>>;
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
  { name: "zstd", compress: promisify(zstdCompress), decompress: promisify(zstdDecompress) },
  {
    name: "br",
    compress: (data) => compressBrotli(data, brotliOptions),
    decompress: promisify(brotliDecompress),
  },
  { name: "gzip", compress: promisify(gzip), decompress: promisify(gunzip) },
];

/** Whether decompressing failed because there would have been more bytes than allowed. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
}
