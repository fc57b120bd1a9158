const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** What a terminal shows in two columns: emoji, and the characters of Unicode's East Asian Width W and F. */
const isWide =
  /^(?:\p{Emoji_Presentation}|.\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}])/u;

/** Returns the number of columns that a terminal needs for a text without control characters. */
export function textWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += isWide.test(segment) ? 2 : 1;
  // The marks of halfwidth katakana are part of a grapheme, but have a column of their own.
  return width + (text.match(/[\uff9e\uff9f]/g)?.length ?? 0);
}

/** Shortens a text to a number of columns. The last one is then `…`. */
export function shortened(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let start = "";
  let left = columns - 1;
  for (const { segment } of graphemes.segment(text)) {
    left -= textWidth(segment);
    if (left < 0) break;
    start += segment;
  }
  return `${start}…`;
}
