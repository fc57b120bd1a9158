import { beforeAll, describe, expect, test } from "vitest";
import { isQuick } from "../../support/effort.ts";
import { buildChecker } from "./checker.ts";
import { checkedHistory } from "./concurrent-history.ts";
import { faults } from "./faults.ts";
import { useMutant } from "./mutant.ts";
import { useService } from "./service.ts";

/** The faults of the short form: one of a repeated message, one of a batch. */
const quickFaults: readonly string[] = ["message-applied-twice", "refused-batch-applied-partly"];

const chosen = Object.entries(faults).filter(([name]) => !isQuick || quickFaults.includes(name));

beforeAll(buildChecker);

test("the short form has faults that exist", () => {
  expect(Object.keys(faults)).toEqual(expect.arrayContaining([...quickFaults]));
});

describe.each(chosen)("the injected fault %s", (name, patches) => {
  const service = useService({ main: useMutant(patches) });

  test("makes the check fail", async () => {
    const { linearizable, text } = await checkedHistory(name, service, 0);
    expect(linearizable).toBe(false);
    expect(text).toContain("NOT LINEARIZABLE");
  });
});
