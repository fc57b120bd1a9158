import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openLineFiles, type RecordLine } from "../../src/cli/follow/line-files.ts";
import { directoryOfTest } from "../support/directory.ts";

const kind = { prefix: "changes", field: "version", time: /"at":(\d+)/ };
const rotation = { maxBytes: 200, maxAgeMs: 100 };
const startedAt = 1_700_000_000_000;

/** A record and what happens before it: how much time passes, in ms, and whether the command is started again. */
const steps = fc.array(
  fc.record({
    waitMs: fc.constantFrom(0, 1, 40, 99, 100, 101),
    length: fc.constantFrom(0, 30, 60, 250),
    isRestarted: fc.boolean(),
  }),
  { minLength: 1, maxLength: 40 },
);

function lineOf(version: number, at: number, length: number): RecordLine {
  const text = `{"version":${version},"at":${at},"note":"${"x".repeat(length)}"}`;
  return { from: BigInt(version), to: BigInt(version), at, text };
}

test("a new file begins only if the file would be too large, or its first record is too old", async () => {
  const root = directoryOfTest();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (given) => {
      const directory = join(root, `${run++}`);
      await mkdir(directory);
      const expected: string[][] = [];
      let firstAt = 0;
      let at = startedAt;
      let files = await openLineFiles(directory, rotation, kind);
      for (const [index, { waitMs, length, isRestarted }] of given.entries()) {
        at += waitMs;
        const line = lineOf(index + 1, at, length);
        if (isRestarted) {
          await files[Symbol.asyncDispose]();
          files = await openLineFiles(directory, rotation, kind);
        }
        await files.append([line]);
        const last = expected.at(-1);
        const bytes = [...(last ?? []), line.text].join("\n").length + 1;
        if (last && at - firstAt < rotation.maxAgeMs && bytes <= rotation.maxBytes) {
          last.push(line.text);
        } else {
          expected.push([line.text]);
          firstAt = at;
        }
      }
      await files[Symbol.asyncDispose]();
      const names = (await readdir(directory)).sort();
      const texts = await Promise.all(names.map((name) => readFile(join(directory, name), "utf8")));
      expect(texts).toEqual(expected.map((lines) => `${lines.join("\n")}\n`));
    }),
    { numRuns: 40 },
  );
});
