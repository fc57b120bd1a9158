import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Column, table } from "../../src/cli/output/table.ts";
import { shortened, textWidth } from "../../src/cli/output/text-width.ts";

describe("the width of a text", () => {
  test.each([
    ["", 0],
    ["Shop", 4],
    ["Zoé", 3],
    ["Zoe\u0301", 3],
    ["한국 상점", 9],
    ["宠物店", 6],
    ["ペット", 6],
    ["ﾍﾟｯﾄ", 4],
    ["ｓｈｏｐ", 8],
    ["🐕", 2],
    ["👩🏽", 2],
    ["❤️", 2],
    ["🇩🇪", 2],
    ["©→", 2],
    ["𠀀", 2],
  ])("%s is %i", (text, width) => {
    expect(textWidth(text)).toBe(width);
  });

  test("a shortened text ends with an ellipsis and never divides a character", () => {
    expect(shortened("宠物店", 6)).toBe("宠物店");
    expect(shortened("宠物店", 5)).toBe("宠物…");
    expect(shortened("宠物店", 4)).toBe("宠…");
    expect(shortened("Zoe\u0301s", 3)).toBe("Zo…");
    expect(shortened("a🇩🇪b", 3)).toBe("a…");
  });
});

describe("a table", () => {
  const columns: readonly Column<readonly string[]>[] = [
    { title: "ID", of: (row) => row[0] },
    { title: "NAME", of: (row) => row[1], least: 4 },
    { title: "NOTE", of: (row) => row[2], least: 4 },
    { title: "QUANTITY", of: (row) => row[3], isNumber: true },
    { title: "TIME", of: (row) => row[4], isExtra: true },
    { title: "KEY", of: (row) => row[5], isExtra: true },
  ];
  const rows = [
    ["abc", "宠物店的名字", "", "7", "12:00", "k1"],
    ["d", "Shop", "", "-1234567890", "12:01", "k2"],
  ];
  const lines = (width: number) => table(columns, rows).lines(width);

  test("aligns numbers to the right, and texts by what a terminal shows", () => {
    expect(lines(60)).toEqual([
      "ID   NAME          NOTE     QUANTITY  TIME   KEY",
      "abc  宠物店的名字                  7  12:00  k1",
      "d    Shop                -1234567890  12:01  k2",
    ]);
  });

  test("leaves out what is empty, then extra columns from the last, and shortens names", () => {
    expect(lines(42)).toEqual([
      "ID   NAME             QUANTITY  TIME   KEY",
      "abc  宠物店的名字            7  12:00  k1",
      "d    Shop          -1234567890  12:01  k2",
    ]);
    expect(lines(37)[1]).toBe("abc  宠物店…            7  12:00  k1");
    expect(lines(32)[1]).toBe("abc  宠物店…            7  12:00");
    expect(lines(22)[1]).toBe("abc  宠…             7");
  });

  test("keeps ids and numbers whole if nothing else fits", () => {
    expect(lines(5)).toEqual([
      "ID   NAME     QUANTITY",
      "abc  宠…             7",
      "d    Shop  -1234567890",
    ]);
  });

  test("of any texts fits into its width, and its columns begin below each other", () => {
    const column: readonly Column<readonly [number, string]>[] = [
      { title: "N", of: ([at]) => at, isNumber: true },
      { title: "NAME", of: ([, name]) => name, least: 8 },
      { title: "STATE", of: () => "|" },
    ];
    const texts = fc.array(fc.string({ unit: "grapheme", maxLength: 60 }), { minLength: 1 });
    fc.assert(
      fc.property(texts, fc.integer({ min: 30, max: 90 }), (names, width) => {
        const written = table(
          column,
          names.map((each, at) => [at, each] as const),
        ).lines(width);
        expect(Math.max(...written.map(textWidth))).toBeLessThanOrEqual(width);
        const starts = written.slice(1).map((line) => textWidth(line.replace(/\|$/, "")));
        expect(new Set(starts).size).toBe(1);
      }),
    );
  });
});
