import { promisify } from "node:util";
import {
  brotliCompress,
  brotliDecompress,
  brotliDecompressSync,
  constants,
  gunzip,
  gunzipSync,
  gzip,
  type ZstdOptions,
  zstdCompress,
  zstdDecompress,
  zstdDecompressSync,
} from "node:zlib";
import { type HttpFailure, payloadTooLarge, unsupportedMediaType } from "../error-response.ts";
import { InvalidInput } from "../invalid-input.ts";
import { chooseBest, parseWeights } from "./accept.ts";

/** A content coding (RFC 9110, section 8.4.1). RPC messages are compressed with the same ones. */
export interface ContentCoding {
  readonly name: string;
  readonly compress: (data: Uint8Array) => Promise<Buffer<ArrayBuffer>>;
  /** Rejects with an error that {@link isTooLarge} recognizes when the result exceeds `maxBytes`. */
  readonly decompress: (data: Uint8Array, maxBytes: number) => Promise<Buffer<ArrayBuffer>>;
  /** Does the same at once, which takes less time for short data. */
  readonly decompressSync: (data: Uint8Array, maxBytes: number) => Buffer<ArrayBuffer>;
}

/** Longest compressed data, in bytes, that is decompressed at once. The worst, of Huffman tables, takes about 1 ms. */
export const shortCompressed = 1024;

/** Fewest bytes that are compressed. Shorter data fits in one packet anyway. */
export const worthCompressing = 1024;

/** The default quality of brotli, 11, takes a hundred times as long. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const brotli = promisify(brotliCompress);
const compressBrotli = (data: Uint8Array) => brotli(data, brotliOptions);

/** In the order of preference: the fastest first. */
export const codings: readonly ContentCoding[] = [
  coding("zstd", promisify(zstdCompress), promisify(zstdDecompress), zstdDecompressSync),
  coding("br", compressBrotli, promisify(brotliDecompress), brotliDecompressSync),
  coding("gzip", promisify(gzip), promisify(gunzip), gunzipSync),
];

/** Makes a coding from functions of node. */
function coding(
  name: string,
  compress: ContentCoding["compress"],
  inflate: (data: Uint8Array, options: ZstdOptions) => Promise<unknown>,
  inflateSync: (data: Uint8Array, options: ZstdOptions) => unknown,
): ContentCoding {
  const options = (maxOutputLength: number) => ({ maxOutputLength, info: true });
  return {
    name,
    compress,
    decompress: async (data, maxBytes) => wholeOf(data, await inflate(data, options(maxBytes))),
    decompressSync: (data, maxBytes) => wholeOf(data, inflateSync(data, options(maxBytes))),
  };
}

/** @throws Error when bytes follow the compressed data, which node ignores */
function wholeOf(data: Uint8Array, inflated: unknown): Buffer<ArrayBuffer> {
  // What node returns with the option `info`, which its types do not know.
  type Inflated = { buffer: Buffer<ArrayBuffer>; engine: { bytesWritten: number } };
  const { buffer, engine } = inflated as Inflated;
  if (engine.bytesWritten !== data.length) throw new Error("bytes follow the compressed data");
  return buffer;
}

/** Returns whether decompression failed because the result exceeds the allowed size. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
}

/** Reads a list of codings (RFC 9110, section 8.4). @returns undefined for none or `identity`; null for an unknown one, or several */
export function namedCoding(header: string | undefined): ContentCoding | undefined | null {
  if (!header) return undefined;
  const names = header.split(",").map((name) => name.trim().toLowerCase());
  const [name, ...others] = names.filter((each) => each !== "" && each !== "identity");
  if (name === undefined) return undefined;
  if (others.length > 0) return null;
  const known = name === "x-gzip" ? "gzip" : name;
  return codings.find((candidate) => candidate.name === known) ?? null;
}

/** Reads Content-Encoding; undefined for none. @throws HttpFailure 415 for an unknown coding, or for more than one */
export function requestCoding(header: string | undefined): ContentCoding | undefined {
  const coding = namedCoding(header);
  if (coding !== null) return coding;
  const accepted = codings.map((candidate) => candidate.name).join(", ");
  throw unsupportedMediaType(
    `The request body must be sent without a content coding, or with one of ${accepted}.`,
    { "accept-encoding": accepted },
  );
}

/** Returns the error for data that cannot be decompressed: HttpFailure 413, or InvalidInput. */
export function decompressionFault(
  error: unknown,
  { name }: ContentCoding,
  maxBytes: number,
): HttpFailure | InvalidInput {
  return isTooLarge(error)
    ? payloadTooLarge(maxBytes)
    : new InvalidInput(`must be valid ${name}`, "request body");
}

/** Chooses the content coding of a response by Accept-Encoding (RFC 9110, section 12.5.3); undefined for none. */
export function responseCoding(header: string | undefined): ContentCoding | undefined {
  if (!header) return undefined;
  const weights = parseWeights(header);
  const rest = weights.get("*") ?? 0;
  const weightOf = ({ name }: ContentCoding) => weights.get(name) ?? rest;
  const best = chooseBest(codings, weightOf);
  return best && weightOf(best) >= (weights.get("identity") ?? 0) ? best : undefined;
}
