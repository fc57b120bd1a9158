import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { trackedFiles } from "../support/tracked-files.ts";

const root = join(import.meta.dirname, "../..");

const pages = trackedFiles("*.md");

/** A longer sentence takes a second reading. Authors aim for 25 words. */
const mostWords = 30;

/** The sentences of a page's text: without code blocks, headings and tables, and without the targets of links. */
function sentencesIn(markdown: string): string[] {
  const text = markdown.replace(/^( *)```.*?^\1```$/gms, "").replace(/\]\([^)]*\)/g, "]");
  const paragraphs = text.split(/\n\s*\n|\n(?= *(?:[-*|#>]|\d+\.) ?)/);
  return paragraphs
    .filter((paragraph) => !/^\s*[|#<]/.test(paragraph))
    .flatMap((paragraph) => paragraph.trim().split(/(?<=[.!?:;])\s+/));
}

const wordsIn = (sentence: string) => sentence.match(/[\w`'’/.-]*\w[\w`'’/.-]*/g)?.length ?? 0;

describe.each(pages)("%s", (page) => {
  it(`has no sentence of more than ${mostWords} words`, () => {
    const sentences = sentencesIn(readFileSync(join(root, page), "utf8"));
    expect(sentences.filter((sentence) => wordsIn(sentence) > mostWords)).toEqual([]);
  });

  it("has no other name for the API key than INVENTORY_API_KEY", () => {
    const others = /\bBearer \$(?!INVENTORY_API_KEY\b)\w+|\b(?:INVENTORY_)?KEY=|\bINVENTORY_KEY\b/g;
    expect(readFileSync(join(root, page), "utf8").match(others)).toBeNull();
  });
});

describe("what the check finds", () => {
  it("splits text into sentences, and leaves out code, tables, headings and the targets of links", () => {
    const page =
      "# A b\n\nOne [two three](a/b c.md). Four\nfive: six.\n\n```sh\nnot this\n```\n\n| not | this |\n- Seven.\n";
    expect(sentencesIn(page)).toEqual(["One [two three].", "Four\nfive:", "six.", "- Seven."]);
  });

  it("counts words, not marks", () => {
    expect(wordsIn("- **The service** reads `src/app/app.ts`, 20 times – no more.")).toBe(8);
  });
});
