import { describe, expect, test, vi } from "vitest";
import {
  isOutOfFiles,
  lowFilesLimit,
  outOfFilesLine,
} from "../../../src/observability/log/open-files.ts";
import { captureLog } from "../../support/captured-log.ts";
import { useFakeTime } from "../../support/fake-time.ts";

test.each([
  ["EMFILE", true],
  ["ENFILE", true],
  ["ENOENT", false],
  [undefined, false],
])("an error with the code %s: %s", (code, expected) => {
  expect(isOutOfFiles(Object.assign(new Error("too many open files"), { code }))).toBe(expected);
});

describe("the limit of open files", () => {
  useFakeTime({ toFake: ["performance"] });

  test("has one line a minute when it is reached", () => {
    const { log, lines } = captureLog();
    const write = outOfFilesLine(log);
    for (let n = 0; n < 100; n += 1) write();
    expect(lines).toMatchObject([
      {
        level: 50,
        msg: "the limit of open files is reached",
        reason: expect.stringContaining("MAX_CONNECTIONS"),
      },
    ]);
    vi.advanceTimersByTime(59_999);
    write();
    expect(lines).toHaveLength(1);
    vi.advanceTimersByTime(1);
    write();
    expect(lines).toHaveLength(2);
  });
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
