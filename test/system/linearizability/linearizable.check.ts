import { beforeAll, describe, expect, test } from "vitest";
import { isQuick } from "../../support/effort.ts";
import { buildChecker } from "./checker.ts";
import { checkedHistory } from "./concurrent-history.ts";
import { tally } from "./history.ts";
import { loseResponses, pageOfOne, readWhole, sendLate, useMutant } from "./mutant.ts";
import { seed } from "./random.ts";
import { useService } from "./service.ts";

beforeAll(buildChecker);

/** Histories of the long form, each with other random choices. */
const histories = isQuick ? [0] : [0, 1, 2, 3];

describe.each(histories)(
  "history %i over all protocols and two servers, with Redis and servers killed",
  (at) => {
    const service = useService({ hasOthers: true });

    test("is linearizable", async () => {
      const { linearizable, text, entries, steps } = await checkedHistory(
        `service-${at}`,
        service,
        2,
        seed + at,
      );
      expect(linearizable, text).toBe(true);
      // The history has every operation with every outcome.
      expect(Object.keys(tally(entries))).toEqual(
        expect.arrayContaining([
          "adjust done",
          "adjust too_small",
          "batch batch_refused",
          "batch done",
          "cancel done",
          "conditional adjust done",
          "conditional adjust quantity_mismatch",
          "conditional adjust version_mismatch",
          "count batch_refused",
          "count done",
          "confirm done",
          "confirm hold_ended",
          "confirm no_hold",
          "conditional set done",
          "conditional set quantity_mismatch",
          "conditional set version_mismatch",
          "get",
          "hold batch_refused",
          "hold done",
          "hold hold_ended",
          "import done",
          "list",
          "place done",
          "place too_small",
          "release done",
          "release hold_ended",
          "set done",
          "transfer batch_refused",
          "transfer done",
        ]),
      );
      expect(entries.some(({ outcome }) => outcome.kind === "unknown")).toBe(true);
      expect(entries.some(({ sent }) => sent > 1)).toBe(true);
      const expired = steps.filter(({ outcome }) => outcome.kind === "expired");
      expect(expired.some(({ made }) => made !== undefined)).toBe(true);
      expect(expired.some(({ made }) => made === undefined)).toBe(true);
      expect(steps.some(({ op, others }) => op === "import" && others !== undefined)).toBe(true);
      const cancelled = steps.filter(({ outcome }) => outcome.kind === "cancelled");
      expect(cancelled.some(({ made }) => made === undefined)).toBe(true);
    });
  },
);

describe("a history with a list so long that it is read in pages", () => {
  const service = useService({ main: useMutant([pageOfOne, readWhole]) });

  test("is linearizable", async () => {
    const outages = isQuick ? 0 : 1;
    const { linearizable, text } = await checkedHistory("pages-of-one", service, outages);
    expect(linearizable, text).toBe(true);
  });
});

describe("a history with late changes, and imports that lose replies of Redis", () => {
  const service = useService({ main: useMutant([sendLate, loseResponses]) });

  test("is linearizable, and no change is made after its deadline", async () => {
    const { linearizable, text, steps } = await checkedHistory("late-and-lost", service, 0);
    expect(linearizable, text).toBe(true);
    const settled = steps.filter((step) => step.settled !== undefined);
    expect(settled.length).toBeGreaterThan(0);
    expect(settled.filter(({ made }) => made !== undefined)).toEqual([]);
  });
});
