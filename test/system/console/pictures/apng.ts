import { crc32 } from "node:zlib";

/** A frame of an animation: a PNG that is drawn over the frames before it. */
export interface Frame {
  readonly png: Buffer;
  /** Where it is drawn, in pixels. */
  readonly x: number;
  readonly y: number;
  readonly milliseconds: number;
}

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

const signatureBytes = 8;
const sizeBytes = 8;

/**
 * Joins PNGs of the same color type to an animation that repeats forever (https://www.w3.org/TR/png-3/#apng-frame-based-animation).
 * Its size is that of the first one, which programs without animations show.
 *
 * @throws Error if the PNGs have different color types
 */
export function joinFrames(frames: readonly Frame[]): Buffer {
  const parts = frames.map((frame) => ({ frame, chunks: chunksOf(frame.png) }));
  const headers = parts.map(({ chunks }) => headerOf(chunks));
  const [first = Buffer.alloc(0)] = headers;
  for (const header of headers) {
    if (!header.subarray(sizeBytes).equals(first.subarray(sizeBytes))) {
      throw new Error("the frames have different color types");
    }
  }
  let sequence = 0;
  const joined: Chunk[] = [
    { type: "IHDR", data: first },
    { type: "acTL", data: integers(frames.length, 0) },
  ];
  for (const [at, { frame, chunks }] of parts.entries()) {
    const size = headers[at]?.subarray(0, sizeBytes) ?? first;
    joined.push({ type: "fcTL", data: control(sequence++, size, frame) });
    for (const { type, data } of chunks.filter((chunk) => chunk.type === "IDAT")) {
      joined.push(
        at === 0
          ? { type, data }
          : { type: "fdAT", data: Buffer.concat([integers(sequence++), data]) },
      );
    }
  }
  joined.push({ type: "IEND", data: Buffer.alloc(0) });
  const signature = frames[0]?.png.subarray(0, signatureBytes) ?? Buffer.alloc(0);
  return Buffer.concat([signature, ...joined.map(writeChunk)]);
}

/** Reads the chunks of a PNG. @throws Error if a checksum is wrong */
function chunksOf(png: Buffer): readonly Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = signatureBytes; at < png.length; ) {
    const end = at + 8 + png.readUInt32BE(at);
    const type = png.toString("latin1", at + 4, at + 8);
    if (crc32(png.subarray(at + 4, end)) !== png.readUInt32BE(end)) {
      throw new Error(`the chunk ${type} at ${at} is damaged`);
    }
    chunks.push({ type, data: png.subarray(at + 8, end) });
    at = end + 4;
  }
  return chunks;
}

function headerOf(chunks: readonly Chunk[]): Buffer {
  const header = chunks.find(({ type }) => type === "IHDR");
  if (!header) throw new Error("a PNG begins with IHDR");
  return header.data;
}

/** The chunk fcTL: the frame replaces what is below it, and stays. */
function control(sequence: number, size: Buffer, { x, y, milliseconds }: Frame): Buffer {
  const delay = Buffer.alloc(4);
  delay.writeUInt16BE(milliseconds, 0);
  delay.writeUInt16BE(1_000, 2);
  return Buffer.concat([integers(sequence), size, integers(x, y), delay, Buffer.alloc(2)]);
}

function integers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, 4 * at);
  return bytes;
}

function writeChunk({ type, data }: Chunk): Buffer {
  const content = Buffer.concat([Buffer.from(type, "latin1"), data]);
  return Buffer.concat([integers(data.length), content, integers(crc32(content))]);
}
