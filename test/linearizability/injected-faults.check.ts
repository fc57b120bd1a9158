import { beforeAll, describe, expect, test } from "vitest";
import { buildChecker } from "./checker.ts";
import { checkedHistory } from "./concurrent-history.ts";
import { type Patch, pageOfOne, readWhole, useMutant } from "./mutant.ts";
import { useService } from "./service.ts";

/** Faults that the check has to find, in a copy of the sources. */
const faults: Readonly<Record<string, readonly Patch[]>> = {
  "versions-not-compared": [
    { file: "redis/change.lua", from: "if versions ~= '' then", to: "if false then" },
  ],
  "quantities-not-compared": [
    { file: "redis/change.lua", from: "return expected ~= '' and", to: "return false and" },
  ],
  "adjusted-in-two-steps": [
    {
      file: "redis/inventory-store.ts",
      from: "async adjust(petId, delta, request = {}) {",
      to: `async adjust(petId, delta, request = {}) {
        const read = await this.get(petId);
        if (read && delta > 0) return this.setQuantity(petId, read.quantity + delta, request);`,
    },
  ],
  "list-of-several-times": [
    pageOfOne,
    readWhole,
    { file: "redis/whole-list.ts", from: "found.push(...next.value);", to: ";" },
  ],
  "list-kept-without-asking": [
    {
      file: readWhole.file,
      from: "if (!base) return readAlone(readAll);",
      to: "if (!base) return readAlone(readAll); if (Math.random() < 0.5) return base;",
    },
  ],
};

beforeAll(buildChecker);

describe.each(Object.entries(faults))("%s", (name, patches) => {
  const service = useService(useMutant(patches));

  test("is found", async () => {
    const { linearizable, text } = await checkedHistory(name, service, 0);
    expect(linearizable).toBe(false);
    expect(text).toContain("NOT LINEARIZABLE");
  });
});
