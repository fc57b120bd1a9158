import { expect, test, vi } from "vitest";
import { createLog } from "../../../src/observability/log/log.ts";
import {
  isOutOfFiles,
  lowFilesLimit,
  outOfFilesLine,
} from "../../../src/observability/log/open-files.ts";

test.each([
  ["EMFILE", true],
  ["ENFILE", true],
  ["ENOENT", false],
  [undefined, false],
])("an error with the code %s: %s", (code, expected) => {
  expect(isOutOfFiles(Object.assign(new Error("too many open files"), { code }))).toBe(expected);
});

test("one line a minute says that the limit of open files is reached", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    const lines: string[] = [];
    const write = outOfFilesLine(
      createLog("info", undefined, { write: (line) => lines.push(line) }),
    );
    for (let n = 0; n < 100; n += 1) write();
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      level: 50,
      msg: "the limit of open files is reached",
      reason: expect.stringContaining("MAX_CONNECTIONS"),
    });
    vi.advanceTimersByTime(59_999);
    write();
    expect(lines).toHaveLength(1);
    vi.advanceTimersByTime(1);
    write();
    expect(lines).toHaveLength(2);
  } finally {
    vi.useRealTimers();
  }
});

test.each([
  [10_000, 1_024, "10100"],
  [10_000, 10_099, "10100"],
  [10_000, 10_100, undefined],
  [900, 1_024, undefined],
])("MAX_CONNECTIONS=%i with %s files", (maxConnections, limit, needed) => {
  const reason = lowFilesLimit(maxConnections, limit);
  if (needed === undefined) expect(reason).toBeUndefined();
  if (needed !== undefined) {
    expect(reason).toContain(`MAX_CONNECTIONS=${maxConnections} needs ${needed}`);
    expect(reason).toContain(`${limit} files`);
  }
});
