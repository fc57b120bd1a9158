import { readFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { chunksOf, joinFrames } from "../console/pictures/apng.ts";

const root = join(import.meta.dirname, "../..");
const path = "docs/caller/console-race.png";

/** What the fields of an fcTL chunk say. */
function frameOf(data: Buffer) {
  const [width, height, x, y] = [4, 8, 12, 16].map((at) => data.readUInt32BE(at));
  return {
    width,
    height,
    x,
    y,
    milliseconds: data.readUInt16BE(20),
    perSecond: data.readUInt16BE(22),
  };
}

function controlsOf(png: Buffer) {
  return chunksOf(png).flatMap(({ type, data }) => (type === "fcTL" ? [frameOf(data)] : []));
}

/** The numbers that order the chunks of the frames. */
function sequenceOf(png: Buffer): number[] {
  const ordered = chunksOf(png).filter(({ type }) => type === "fcTL" || type === "fdAT");
  return ordered.map(({ data }) => data.readUInt32BE(0));
}

describe("the animation in README", () => {
  const png = readFileSync(join(root, path));
  const control = chunksOf(png).find(({ type }) => type === "acTL")?.data;

  it("has six frames, repeats forever, and takes 6 to 10 s", () => {
    const frames = controlsOf(png);
    expect([control?.readUInt32BE(0), control?.readUInt32BE(4)]).toEqual([6, 0]);
    expect(frames).toHaveLength(6);
    const milliseconds = frames.reduce((sum, frame) => sum + frame.milliseconds, 0);
    expect(milliseconds).toBeGreaterThanOrEqual(6_000);
    expect(milliseconds).toBeLessThanOrEqual(10_000);
    expect(sequenceOf(png)).toEqual(sequenceOf(png).map((_, at) => at));
  });

  it("has the width of README, and less than 500 kB", () => {
    expect(chunksOf(png)[0]?.data.readUInt32BE(0)).toBe(864);
    expect(png.length).toBeLessThan(500_000);
  });

  it("is shown by README, with a text for readers who do not see it", () => {
    const readme = readFileSync(join(root, "README.md"), "utf8");
    const [, text = ""] = readme.match(new RegExp(`!\\[([^\\]]*)\\]\\(${path}\\)`)) ?? [];
    expect(text).toMatch(/two windows.*refused/i);
  });
});

describe("joinFrames", () => {
  /** A PNG of one color. @param colorType 0 is gray, 2 is RGB */
  function plain(width: number, height: number, colorType = 0): Buffer {
    const header = Buffer.from([0, 0, 0, width, 0, 0, 0, height, 8, colorType, 0, 0, 0]);
    const samples = colorType === 2 ? 3 : 1;
    const data = deflateSync(Buffer.alloc(height * (1 + width * samples)));
    return Buffer.concat([
      Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
      ...[chunk("IHDR", header), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))],
    ]);
  }

  function chunk(type: string, data: Buffer): Buffer {
    const content = Buffer.concat([Buffer.from(type, "latin1"), data]);
    const bytes = Buffer.alloc(content.length + 8);
    bytes.writeUInt32BE(data.length, 0);
    content.copy(bytes, 4);
    bytes.writeUInt32BE(crc32(content), content.length + 4);
    return bytes;
  }

  it("keeps the first picture, and draws the others at their places", () => {
    const joined = joinFrames([
      { png: plain(9, 8), x: 0, y: 0, milliseconds: 700 },
      { png: plain(3, 2), x: 5, y: 6, milliseconds: 1_500 },
    ]);
    const types = chunksOf(joined).map(({ type }) => type);
    expect(types).toEqual(["IHDR", "acTL", "fcTL", "IDAT", "fcTL", "fdAT", "IEND"]);
    expect(controlsOf(joined)).toEqual([
      { width: 9, height: 8, x: 0, y: 0, milliseconds: 700, perSecond: 1_000 },
      { width: 3, height: 2, x: 5, y: 6, milliseconds: 1_500, perSecond: 1_000 },
    ]);
    expect(sequenceOf(joined)).toEqual([0, 1, 2]);
    const [, , , first, , second] = chunksOf(joined);
    expect(first?.data).toEqual(chunksOf(plain(9, 8))[1]?.data);
    expect(second?.data.subarray(4)).toEqual(chunksOf(plain(3, 2))[1]?.data);
  });

  it("refuses frames of different color types", () => {
    const frame = { x: 0, y: 0, milliseconds: 1 };
    const frames = [plain(1, 1), plain(1, 1, 2)].map((png) => ({ ...frame, png }));
    expect(() => joinFrames(frames)).toThrow("the frames have different color types");
  });
});
