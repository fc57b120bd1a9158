import { beforeAll, describe, expect, test } from "vitest";
import { buildChecker } from "./checker.ts";
import { checkedHistory } from "./concurrent-history.ts";
import { tally } from "./history.ts";
import { pageOfOne, readWhole, useMutant } from "./mutant.ts";
import { useService } from "./service.ts";

beforeAll(buildChecker);

describe("all protocols through two servers, with Redis and servers killed in between", () => {
  const service = useService();

  test("is linearizable", async () => {
    const { linearizable, text, entries } = await checkedHistory("service", service, 2);
    expect(linearizable, text).toBe(true);
    // Everything that can become of an operation did, and was checked.
    expect(Object.keys(tally(entries))).toEqual(
      expect.arrayContaining([
        "adjust done",
        "adjust too_small",
        "conditional adjust done",
        "conditional adjust quantity_mismatch",
        "conditional adjust version_mismatch",
        "conditional set done",
        "conditional set quantity_mismatch",
        "conditional set version_mismatch",
        "get",
        "list",
        "set done",
      ]),
    );
    expect(entries.some(({ outcome }) => outcome.kind === "unknown")).toBe(true);
    expect(entries.some(({ sent }) => sent > 1)).toBe(true);
  });
});

describe("with a list so long that it is read in pages", () => {
  const service = useService(useMutant([pageOfOne, readWhole]));

  test("is linearizable", async () => {
    const { linearizable, text } = await checkedHistory("pages-of-one", service, 1);
    expect(linearizable, text).toBe(true);
  });
});
