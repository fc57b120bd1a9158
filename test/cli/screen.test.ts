import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { openScreen } from "../../src/cli/output/screen.ts";

test("a drawing does not scroll the terminal: its last row stays empty", async () => {
  const stdout = Object.assign(new PassThrough(), { isTTY: true, rows: 4, columns: 10 });
  openScreen(stdout)?.draw(["a", "b", "c", "d", "e"]);
  const lines = (await stdout.end().toArray()).join("").split("\n");
  expect(lines).toEqual(["a", "b", "c", ""].map((text) => expect.stringContaining(text)));
});
