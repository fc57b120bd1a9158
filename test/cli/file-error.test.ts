import { closeSync, openSync, writeSync } from "node:fs";
import { expect, test } from "vitest";
import { CommandError } from "../../src/cli/command-error.ts";
import { fileError } from "../../src/cli/output/file-format.ts";

/** Writes to a full device, and closes a file that is closed already. @returns the error of both */
function writeAndClose(): unknown {
  const file = openSync("/dev/full", "w");
  try {
    using _ = {
      [Symbol.dispose]() {
        closeSync(file);
        closeSync(file);
      },
    };
    writeSync(file, "x");
  } catch (error) {
    return error;
  }
  throw new Error("the device was not full");
}

test("when writing fails and closing too, the error says why writing failed, and names the file", () => {
  expect(fileError("a.csv", writeAndClose())).toEqual(
    new CommandError("invalid_argument", "a.csv: no space left on device"),
  );
});
