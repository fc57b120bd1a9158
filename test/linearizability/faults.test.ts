import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { faults } from "./faults.ts";
import { patched } from "./mutant.ts";

const src = join(import.meta.dirname, "../../src");

// The check itself takes minutes. A patch whose source has moved or changed is found here.
describe.each(Object.entries(faults))("the injected fault %s", (_, patches) => {
  test.each(patches)("changes $file: $from", (patch) => {
    const source = readFileSync(join(src, patch.file), "utf8");
    expect(patched(source, patch)).not.toBe(source);
  });
});
