import { describe, expect, test } from "vitest";
import { ChangeReason } from "../../gen/inventory/v1/inventory_pb.ts";
import { createHistoryCheck } from "../../src/backup/check-history.ts";
import { changesText } from "../../src/backup/records.ts";

const startMs = 1_795_000_000_000;
/** How far the versions of a server are beyond its clock, in microseconds. */
const lead = 2 ** 32 + 12_345;

/** Returns what the check of a history reports. @param entries the time and the version of each change, in order */
function problemsOf(entries: readonly (readonly [timeMs: number, version: number])[]): string[] {
  const problems: string[] = [];
  const history = createHistoryCheck((problem) => problems.push(problem));
  let before: number | undefined;
  for (const [at, [time, version]] of entries.entries()) {
    const change = {
      petId: "7",
      version,
      quantityBefore: before === undefined ? undefined : at - 1,
      quantityAfter: at,
      status: "1",
      versionBefore: before,
    };
    const fields = {
      time: String(time),
      before: String(before ?? 0),
      changes: changesText([change], version),
      reason: String(ChangeReason.ADJUSTMENT),
      note: "",
      reference: "",
      account: "",
      key: "",
      request: "",
      statuses: before === undefined ? "-" : "1",
    };
    history.add({ change: `${version}-${at + 1}`, fields });
    before = version;
  }
  return problems;
}

describe("the version of a change fits its time", () => {
  test("with the same lead, one version after the one before, and with a lead that a failover has added to", () => {
    const laterMs = startMs + 3 * 60 * 60 * 1_000;
    const entries = [
      [startMs, startMs * 1_000 + lead],
      [startMs, startMs * 1_000 + lead + 1],
      [startMs + 20, (startMs + 20) * 1_000 + lead + 500],
      [laterMs, laterMs * 1_000 + 2 * lead],
      [laterMs + 20, (laterMs + 20) * 1_000 + 2 * lead],
    ] as const;
    expect(problemsOf(entries)).toEqual([]);
  });

  test("unless the lead of versions becomes smaller, or grows by less than a failover adds", () => {
    const laterMs = startMs + 3 * 60 * 60 * 1_000;
    for (const wrong of [lead - 60_000_000, lead + 60_000_000]) {
      const entries = [
        [startMs, startMs * 1_000 + lead],
        [laterMs, laterMs * 1_000 + wrong],
      ] as const;
      expect(problemsOf(entries)).toEqual([expect.stringContaining("does not fit its version")]);
    }
  });
});
