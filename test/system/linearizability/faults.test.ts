import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { faults } from "./faults.ts";

const root = join(import.meta.dirname, "../../..");

// The check that finds the faults takes minutes, so this shows early that a change of the sources outdates a fault.
test.each(Object.entries(faults))("the sources have what the fault %s replaces, once", (_, all) => {
  for (const { file, from } of all) {
    expect(readFileSync(join(root, file), "utf8").split(from), file).toHaveLength(2);
  }
});
