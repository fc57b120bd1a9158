import { expect, test } from "vitest";
import { createLog } from "../../../src/observability/log/log.ts";
import { readableLine } from "../../../src/observability/log/readable-line.ts";

/** Writes a line to a log. @returns it as a terminal shows it, without its time */
function shown(write: (log: ReturnType<typeof createLog>) => void): string {
  const lines: string[] = [];
  write(createLog("info", 2, { write: (line) => lines.push(readableLine(line)) }));
  return lines.join("").replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z /, "");
}

test("has the level, the message and the fields", () => {
  const fields = { server: "127.0.0.1:6379", reason: "no reply", causes: { age: 3 } };
  expect(shown((log) => log.warn(fields, 'a "fault"'))).toBe(
    'warn a "fault" worker=2 server=127.0.0.1:6379 reason="no reply" causes={"age":3}\n',
  );
});

test("is followed by the stack of an error", () => {
  const err = Object.assign(new Error("broken"), { stack: "Error: broken\n    at here" });
  expect(shown((log) => log.error({ err }, "a fault"))).toBe(
    "error a fault worker=2\n  Error: broken\n      at here\n",
  );
});

test("has no control character that could change the terminal", () => {
  const clear = "\u001b[2J";
  const err = Object.assign(new Error("broken"), { stack: clear });
  const line = shown((log) => log.error({ err, reason: clear }, clear));
  expect(line).toBe('error \\u001b[2J worker=2 reason="\\u001b[2J"\n  \\u001b[2J\n');
});
