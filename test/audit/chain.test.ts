import { hash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chainHash, chainStart } from "../../src/audit/chain.ts";
import { createChainCheck } from "../../src/audit/chain-check.ts";
import type { AuditEntry } from "../../src/stores/audit-store.ts";

/** Makes a chain of entries after a given one. */
function chainOf(bodies: readonly string[], oldest = 1, anchor = chainStart): AuditEntry[] {
  let previous = anchor;
  return bodies.map((body, index) => {
    const entry = { sequence: oldest + index, time: 1_784_110_830_400 + index, body };
    previous = chainHash(previous, entry);
    return { ...entry, hash: previous };
  });
}

/** The first problem of a trail. */
function problemOf(
  entries: readonly AuditEntry[],
  original: readonly AuditEntry[],
  oldest = 1,
  anchor = chainStart,
): string | undefined {
  const check = createChainCheck(oldest, anchor);
  for (const entry of entries) {
    const problem = check.add(entry);
    if (problem) return problem;
  }
  const { sequence, hash } = original.at(-1) ?? { sequence: oldest - 1, hash: anchor };
  return check.end({ newest: sequence, hash });
}

const bodies = fc.array(fc.json(), { minLength: 2, maxLength: 30 });

/** Ways to change the entry at a position. Each returns a trail that differs from the original. */
const edits: Readonly<Record<string, (entries: AuditEntry[], at: number) => AuditEntry[]>> = {
  "another body": (entries, at) => entries.with(at, edited(entries, at, { body: "{}x" })),
  "another time": (entries, at) => entries.with(at, edited(entries, at, { time: 1 })),
  "another sequence number": (entries, at) =>
    entries.with(at, edited(entries, at, { sequence: 99 })),
  "another hash": (entries, at) => entries.with(at, edited(entries, at, { hash: chainStart })),
  "another body, with its hash": (entries, at) => {
    const previous = entries[at - 1]?.hash ?? chainStart;
    const entry = edited(entries, at, { body: "{}x" });
    return entries.with(at, { ...entry, hash: chainHash(previous, entry) });
  },
  removed: (entries, at) => entries.toSpliced(at, 1),
  "removed, and the later ones renumbered": (entries, at) => [
    ...entries.slice(0, at),
    ...entries.slice(at + 1).map((entry) => ({ ...entry, sequence: entry.sequence - 1 })),
  ],
  "written twice": (entries, at) => entries.toSpliced(at, 0, edited(entries, at, {})),
  "swapped with the next": (entries, at) => {
    const other = (at + 1) % entries.length;
    return entries.with(at, edited(entries, other, {})).with(other, edited(entries, at, {}));
  },
  "bodies swapped with the next": (entries, at) => {
    const other = (at + 1) % entries.length;
    const [mine, theirs] = [edited(entries, at, {}).body, edited(entries, other, {}).body];
    return entries
      .with(at, edited(entries, at, { body: `${theirs} ` }))
      .with(other, edited(entries, other, { body: mine }));
  },
};

function edited(
  entries: readonly AuditEntry[],
  at: number,
  change: Partial<AuditEntry>,
): AuditEntry {
  const entry = entries[at];
  if (!entry) throw new Error(`there is no entry at ${at}`);
  return { ...entry, ...change };
}

describe("the hash chain", () => {
  it("hashes four lines, as documented", () => {
    const entry = { sequence: 7, time: 1_784_110_830_400, body: '{"kind":"call","note":"é"}' };
    const text = `${"ab".repeat(32)}\n7\n1784110830400\n${hash("sha256", Buffer.from(entry.body, "utf8"))}\n`;
    expect(chainHash("ab".repeat(32), entry)).toBe(hash("sha256", text));
  });

  it("accepts a chain, and the rest of one whose oldest entries were removed", () => {
    fc.assert(
      fc.property(bodies, fc.nat(), (texts, cut) => {
        const entries = chainOf(texts);
        const removed = cut % entries.length;
        const anchor = entries[removed - 1]?.hash ?? chainStart;
        expect(problemOf(entries, entries)).toBeUndefined();
        expect(problemOf(entries.slice(removed), entries, removed + 1, anchor)).toBeUndefined();
      }),
    );
  });

  it.each(Object.keys(edits))("finds an entry with: %s", (kind) => {
    fc.assert(
      fc.property(bodies, fc.nat(), (texts, position) => {
        const entries = chainOf(texts);
        const changed = edits[kind]?.(entries, position % entries.length) ?? [];
        expect(problemOf(changed, entries)).toMatch(/^entr(y|ies) \d+/);
      }),
    );
  });

  it("names the first broken entry", () => {
    const entries = chainOf(["1", "2", "3", "4", "5"]);
    expect(problemOf(entries.with(2, edited(entries, 2, { body: "x" })), entries)).toBe(
      "entry 3 does not have its hash: it was changed, or an entry before it was",
    );
    expect(problemOf(entries.toSpliced(1, 1), entries)).toBe("entry 2 is missing");
    expect(problemOf(entries.toSpliced(1, 3), entries)).toBe("entries 2 to 4 are missing");
    expect(problemOf(entries.slice(0, 3), entries)).toBe("entries 4 to 5 are missing");
    expect(problemOf(entries, entries.slice(0, 3))).toBe(
      "entry 4 is there, but the trail ends with entry 3",
    );
    expect(problemOf(entries.with(1, edited(entries, 0, {})), entries)).toBe(
      "entry 1 is in the place of entry 2",
    );
  });
});
